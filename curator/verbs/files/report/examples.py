"""Examples of a report: passages that answer a question, with the answering words.

For each query, takes the question of median reach and the best-rated counted passage
that answers it. An example is thus neither the easiest nor the hardest question, and
not selected by hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from curator.errors import EvaluationError
from curator.evaluation.settings import Settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.answers.extracted import answers
from curator.verbs.passages.passage import answering, passage_texts
from grading.highlight import locate, sentences
from grading.stems import stems

MOST_EXAMPLES = 12
LONGEST_TEXT = 700  # characters of a passage in an example
FEWEST_SHARED = 2  # words; 1 for a question of one word
CONTEXT_BEFORE = 200  # characters kept before the marked words

Span = tuple[int, int]
Highlight = Literal["answer", "key", "answer words", "words", "none"]
"""How the marked words were found: see ``ReportExample``."""


@dataclass(frozen=True, slots=True)
class ReportExample:
    """A passage that answers a question, shortened, with the answering words marked.

    ``before``, ``marked`` and ``after`` are the text in order. ``how`` is the source of
    the mark: the grader's answer, an answer of the key, the sentence that shares most
    words with the question (and with its answers, if there are any that are not in the
    text verbatim), or none. ``question`` is the query where the grader rates whole
    passages, and ``key`` are the known answers.
    """

    query_id: str
    query: str
    question: str
    question_id: str
    key: tuple[str, ...]
    passage_id: str
    rating: int
    reach: int
    before: str = ""
    marked: str = ""
    after: str = ""
    how: Highlight = "none"


def examples(
    snapshot: Snapshot, settings: Settings | None
) -> tuple[ReportExample, ...]:
    """Select up to ``MOST_EXAMPLES`` of evenly spaced queries.

    Raises EvaluationError if there is none.
    """
    if settings is None:
        raise EvaluationError("Nothing is graded, so there are no examples.")
    chosen = (_choose(snapshot, id_, settings) for id_ in snapshot.query_ids())
    available = [candidate for candidate in chosen if candidate is not None]
    if not available:
        raise EvaluationError(
            "No passage answers a question with a known text, so there are no examples."
        )
    number = min(MOST_EXAMPLES, len(available))
    selected = [available[i * len(available) // number] for i in range(number)]
    texts = passage_texts(snapshot, [candidate.passage_id for candidate in selected])
    return tuple(
        _with_text(snapshot, settings.grader, candidate, texts[candidate.passage_id])
        for candidate in selected
        if candidate.passage_id in texts
    )


def _choose(
    snapshot: Snapshot, query_id: str, settings: Settings
) -> ReportExample | None:
    query = snapshot.queries[query_id]
    graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    threshold = snapshot.threshold(settings)
    if graded.reading == "direct":
        ratings = graded.ratings[0] if graded.item_ids else graded.ratings.ravel()
        reach = int((ratings >= threshold).sum())
        if not reach or query.title is None:
            return None
        best, name = int(ratings.argmax()), query.name
        grade = graded.pool.passage_ids[best], int(ratings[best]), reach
        return ReportExample(query_id, name, name, "", (), *grade)
    questions = {q.question_id: q for q in snapshot.bank.questions_of(query_id)}
    reaches = graded.correct(threshold).sum(axis=1)
    answerable = [
        (int(reach), number)
        for number, reach in enumerate(reaches.tolist())
        if reach and questions[graded.item_ids[number]].text is not None
    ]
    if not answerable:
        return None
    reach, number = sorted(answerable)[(len(answerable) - 1) // 2]
    question = questions[graded.item_ids[number]]
    return ReportExample(
        query_id,
        query.name,
        question.title,
        question.question_id,
        question.answers,
        answering(snapshot, query_id, question.question_id, settings)[0],
        int(graded.ratings[number].max()),
        reach,
    )


def _with_text(
    snapshot: Snapshot, grader: str, example: ReportExample, text: str
) -> ReportExample:
    answer = None
    if example.question_id:
        passage_id = example.passage_id
        by_passage = answers(snapshot, example.query_id, [passage_id], grader)
        answer = by_passage.get(passage_id, {}).get(example.question_id)
    span, how = marked(text, example.question, answer, example.key)
    start, end = window(text, span)
    first, last = (start, start) if span is None else (span[0], min(span[1], end))
    return replace(
        example,
        before=("… " if start else "") + text[start:first],
        marked=text[first:last],
        after=text[last:end] + (" …" if end < len(text) else ""),
        how=how,
    )


def marked(
    text: str, question: str, answer: str | None, key: Sequence[str]
) -> tuple[Span | None, Highlight]:
    """Find the answering words: the grader's answer, else the key's, else a sentence.

    The sentence is the first of those that share most words with the question and its
    answers, as stems without stop words; None if none shares ``FEWEST_SHARED``.
    """
    if answer is not None and (span := locate(answer, text)) is not None:
        return span, "answer"
    for key_answer in key:
        if (span := locate(key_answer, text)) is not None:
            return span, "key"
    known_answers = [*key] if answer is None else [answer, *key]
    question_stems = set(stems(" ".join([question, *known_answers])))
    best, most = None, min(FEWEST_SHARED, len(question_stems) or 1) - 1
    for start, end in sentences(text):
        shared = len(question_stems & set(stems(text[start:end])))
        if shared > most:
            best, most = (start, end), shared
    if best is None:
        return None, "none"
    return best, "answer words" if known_answers else "words"


def window(text: str, span: Span | None) -> Span:
    """Select up to ``LONGEST_TEXT`` characters that contain the marked words.

    Cut at white space if there is any near; from the start of the text if possible.
    """
    if len(text) <= LONGEST_TEXT:
        return 0, len(text)
    start = 0
    if span is not None and span[1] > LONGEST_TEXT:
        start = max(0, min(span[0] - CONTEXT_BEFORE, len(text) - LONGEST_TEXT))
        blank = text.find(" ", start, span[0])
        start = blank + 1 if start and blank >= 0 else start
    end = min(start + LONGEST_TEXT, len(text))
    blank = text.rfind(" ", start + LONGEST_TEXT // 2, end)
    if end < len(text) and blank >= 0 and (span is None or blank >= span[1]):
        end = blank
    return start, end
