"""The examples of a report: passages that answer a question, and where they do.

Of each query the question of median reach, the passages counted that answer it, and of
these passages the best rated. So an example is neither the easiest question nor the
hardest, and nobody chose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from curator.bank.questions import Question
from curator.collection.pools import Query
from curator.engine.state import State
from curator.evaluation.settings import Settings
from curator.verbs.answers.extracted import answers
from curator.verbs.passages.passage import answering, passage_texts
from grading.highlight import sentences
from grading.spans import locate
from grading.stems import stems

MOST_EXAMPLES = 12
LONGEST_TEXT = 700  # characters of a passage that are shown
FEWEST_SHARED = 2  # words; a question of one word asks for that one
BEFORE = 200  # of these, before the marked words where the text begins earlier

Span = tuple[int, int]
Highlight = Literal["answer", "key", "answer words", "words", "none"]
"""How the marked words were found: see ``Example``."""


@dataclass(frozen=True, slots=True)
class Example:
    """A passage that answers a question, cut to a length, and the words that say so.

    ``before``, ``marked`` and ``after`` are the shown text in its order; ``cut_before``
    and ``cut_after`` say where some of it is missing. ``how``: the grader's own answer,
    an answer of the key, the sentence that shares most words with the question (and
    with its answers, where there are some that do not stand there word for word), or
    none. ``question`` is the query where the grader rates a passage as a whole.
    """

    query: str
    question: str
    passage_id: str
    rating: int
    reach: int
    before: str
    marked: str
    after: str
    how: Highlight
    cut_before: bool
    cut_after: bool


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What is to be shown of a query; without a question the query itself is asked."""

    query: Query
    question: Question | None
    passage_id: str
    rating: int
    reach: int


def examples(
    state: State, settings: Settings | None
) -> tuple[tuple[Example, ...], str]:
    """At most ``MOST_EXAMPLES``, of queries spread evenly over their order.

    And why there are none.
    """
    if settings is None:
        return (), "Nothing is graded, so no passage is known to answer."
    chosen = (_chosen(state, query_id, settings) for query_id in state.query_ids())
    found = [one for one in chosen if one is not None]
    if not found:
        return (), (
            "No passage answers a question whose text is known, so there is no example."
        )
    shown = evenly(found, MOST_EXAMPLES)
    texts = passage_texts(state, [one.passage_id for one in shown])
    return tuple(
        _example(state, settings.grader, one, texts[one.passage_id])
        for one in shown
        if one.passage_id in texts
    ), ""


def evenly(found: Sequence[_Chosen], most: int) -> list[_Chosen]:
    """So many of them, at even distances, the first among them; all if fewer."""
    number = min(most, len(found))
    return [found[i * len(found) // number] for i in range(number)]


def _chosen(state: State, query_id: str, settings: Settings) -> _Chosen | None:
    query = state.queries[query_id]
    graded = state.matrix(settings.grader, query_id, state.bank)
    threshold = state.threshold(settings)
    if graded.reading == "direct":
        ratings = graded.ratings[0] if graded.item_ids else graded.ratings.ravel()
        best = int(ratings.argmax()) if len(ratings) else -1
        if best < 0 or ratings[best] < threshold or query.title is None:
            return None
        reach = int((ratings >= threshold).sum())
        passage_id = graded.pool.passage_ids[best]
        return _Chosen(query, None, passage_id, int(ratings[best]), reach)
    by_id = {one.question_id: one for one in state.bank.of_query(query_id)}
    reaches = graded.correct(threshold).sum(axis=1)
    asked = [
        (int(reach), number)
        for number, reach in enumerate(reaches.tolist())
        if reach and by_id[graded.item_ids[number]].text is not None
    ]
    if not asked:
        return None
    reach, number = sorted(asked)[(len(asked) - 1) // 2]
    question = by_id[graded.item_ids[number]]
    passage_id = answering(state, query_id, question.question_id, settings)[0]
    return _Chosen(
        query, question, passage_id, int(graded.ratings[number].max()), reach
    )


def _example(state: State, grader: str, one: _Chosen, text: str) -> Example:
    asked, answer = one.query.name, None
    if one.question is not None:
        asked = one.question.title
        found = answers(state, one.query.query_id, [one.passage_id], grader)
        answer = found.get(one.passage_id, {}).get(one.question.question_id)
    key = one.question.answers if one.question else ()
    span, how = marked(text, asked, answer, key)
    start, end = window(text, span)
    first, last = (start, start) if span is None else (span[0], min(span[1], end))
    return Example(
        query=one.query.name,
        question=asked,
        passage_id=one.passage_id,
        rating=one.rating,
        reach=one.reach,
        before=text[start:first],
        marked=text[first:last],
        after=text[last:end],
        how=how,
        cut_before=start > 0,
        cut_after=end < len(text),
    )


def marked(
    text: str, question: str, answer: str | None, key: Sequence[str]
) -> tuple[Span | None, Highlight]:
    """The words that answer: the grader's answer, else the key's, else a sentence.

    The sentence is the first of those that share most words with the question and its
    answers, as stems and without stop words; None where none shares ``FEWEST_SHARED``
    of them.
    """
    if answer is not None and (span := locate(answer, text)) is not None:
        return span, "answer"
    for one in key:
        if (span := locate(one, text)) is not None:
            return span, "key"
    known = [*key] if answer is None else [answer, *key]
    wanted = set(stems(" ".join([question, *known])))
    best, most = None, min(FEWEST_SHARED, len(wanted) or 1) - 1
    for start, end in sentences(text):
        shared = len(wanted & set(stems(text[start:end])))
        if shared > most:
            best, most = (start, end), shared
    if best is None:
        return None, "none"
    return best, "answer words" if known else "words"


def window(text: str, span: Span | None) -> Span:
    """The stretch of ``LONGEST_TEXT`` characters to show, with the marked words in it.

    Cut at white space where there is some near; the beginning where that will do.
    """
    if len(text) <= LONGEST_TEXT:
        return 0, len(text)
    start = 0
    if span is not None and span[1] > LONGEST_TEXT:
        start = max(0, min(span[0] - BEFORE, len(text) - LONGEST_TEXT))
        blank = text.find(" ", start, span[0])
        start = blank + 1 if start and blank >= 0 else start
    end = min(start + LONGEST_TEXT, len(text))
    blank = text.rfind(" ", start + LONGEST_TEXT // 2, end)
    if end < len(text) and blank >= 0 and (span is None or blank >= span[1]):
        end = blank
    return start, end
