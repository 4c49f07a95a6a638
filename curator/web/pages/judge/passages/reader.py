"""The reader: one passage, the sentences that answer, and the way to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from curator.bank.edits.check import check_by
from curator.bank.questions import noun_of
from curator.collection.pools import UNJUDGED
from curator.edit_words import RETIRE
from curator.evaluation.settings import Settings
from curator.formats.templates import macro
from curator.verbs.passages.passage import PassageView, RatedQuestion
from curator.verbs.passages.pool_rows import PooledPassage
from curator.web.components import background_status, session, words
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.passages import pool
from curator.web.pages.judge.passages.highlights import (
    Asked,
    Highlighter,
    Spans,
    Wish,
    answer_spans,
    answers_under,
)
from curator.web.pages.judge.passages.passage_text import cited_by, pieces

SHOWN_SYSTEMS = 6
LONGEST_ANSWER = 64  # characters of an answer that are quoted
ELSEWHERE = "answered, but these words are not in the passage"
HIGHLIGHTED = 4  # questions whose sentence is marked
PATIENCE = 0.25  # seconds; what is found later comes with the next look
WAYS = {"changed": "changed", "pool": "in pool"}


class OpenPair(NamedTuple):
    """A question to answer of a passage: the judge's answer, then the grader's."""

    question_id: str
    revision: int
    number: int
    text: str
    answer: str
    model: str


@st.cache_resource(show_spinner=False)
def highlighter() -> Highlighter:
    """The server's highlighter, over its one worker."""
    return Highlighter(session.service().model)


def look_for(passages: Iterable[Asked], patience: float = 0.0) -> bool:
    """Have sentences found beside the page, which is drawn anew once they are.

    Whether those of the first passage are known after so many seconds. What was asked
    for in vain is not asked for again.
    """
    wanted = list(passages)
    before = session.recall(Wish)
    if before is not None and before.in_vain and before.passages == wanted:
        return False
    session.drop(Wish)
    if not wanted or session.service().model.state != "ready":
        return False
    wish = session.keep(highlighter().prepare(wanted, instead_of=before))
    known = False
    if patience:
        with session.resting():
            known = wish.first.wait(patience)
    known = known and bool(highlighter().spans_of(wanted[:1], ask=False)[0])
    if known and len(wanted) == 1:
        session.drop(Wish)  # nothing is left to be drawn anew
    return known


@background_status.arrival
def sentences_arrived() -> bool:
    """Return True once, when the sentences that the page waits for are known."""
    wish = session.recall(Wish)
    if wish is None or not wish.known:
        return False
    session.drop(Wish)
    return True


def reader(
    page: PageState,
    view: PassageView,
    to_read: Sequence[str],
    answering: Sequence[str],
    answers: Mapping[str, str],
    rows: Sequence[PooledPassage],
    judge: str,
    unknown: Sequence[Asked] = (),
) -> None:
    """The passage with its previous and next among those gone through.

    ``to_read`` are all that can be read in their order, ``answering`` those that answer
    the question selected, the first of all where there are any; ``answers`` are what a
    grader that answers found in this one, by question. The sentences that answer
    follow when they are found, then those of ``unknown`` elsewhere on the page; a
    grader that answers has said where.
    """
    in_pool = page.collection.pools[page.query.query_id]
    through: dict[str, Sequence[str]] = {
        "changed": [label.passage_id for label in page.changed],
        "answers": answering,
        "pool": to_read,
    }
    holds = noun_of(one.question for one in view.rated) == "nugget"
    called = WAYS | {"answers": words.answer_it("nugget" if holds else "question")}
    ways = [(name, called[name], len(ids)) for name, ids in through.items() if ids]
    chosen = session.current().browse
    # As long as none is chosen, that of what is shown first.
    first = (name for name, ids in through.items() if view.passage_id in ids)
    way = chosen if chosen and through.get(chosen) else next(first, "pool")
    with st.container(key="reader"):
        place = st.empty()
    under = page.shown_settings
    assert under is not None
    head = "none" if view.label is None else words.label(view.label)
    if view.label is not None and ungraded(view):
        head += " so far"  # it may still rise
    head += f" by {page.by}" if page.by else ""
    # Where nobody judged, or blind, a passage is not called unjudged either.
    judged = bool((in_pool.judgments != UNJUDGED).any())
    judgment = pool.judgment(view.judgment) if judged else ""
    ranks = dict(sorted(view.ranks.items(), key=lambda found: (found[1], found[0])))
    systems = pool.retrieved_by(ranks, in_pool.depth, SHOWN_SYSTEMS)
    numbers = page.numbers
    asked = {
        rated.question.question_id: rated.question.title
        for rated in to_highlight(view, session.view().question)
    }
    in_words = answers if answers_under(page, under.grader) else None
    # Text first: the model may take a moment, and the passage can be read meanwhile.
    for again in (False, True):
        if in_words is None:
            (spans,) = highlighter().spans_of([(view.text, asked)], ask=False)
        else:
            every = (*view.rated, *view.retired)
            correct = [one.question.question_id for one in every if one.correct]
            spans = answer_spans(view.text, in_words, correct)
        place.html(
            macro("judge/passages/passages.html", "reader")(
                view.passage_id,
                (head, judgment, verdict(view, under, page.collection.min_relevance)),
                pieces(
                    view.text,
                    {numbers[q]: span for q, span in spans.items()},
                    citations=view.citations,
                ),
                answer_words(view, numbers, in_words, spans),
                systems or "no runs imported",
                ways,
                way,
                *neighbours(through[way], view.passage_id),
                says="Holds" if holds else "Answers",
                cited=cited_by(view.citations),
                strip=pool_strip(rows, to_read, answering, view.passage_id),
                pair=pair_of(page, view, judge),
                question=session.view().question or "",
            )
        )
        waits = bool(asked) and not spans and in_words is None
        lacks = [(view.text, asked)] if waits else []
        if again or not look_for([*lacks, *unknown], PATIENCE if waits else 0.0):
            return


def pool_strip(
    rows: Sequence[PooledPassage],
    to_read: Sequence[str],
    answering: Sequence[str],
    current: str,
) -> list[tuple[str, bool]]:
    """List the kind of each passage of the pool, and whether it is the current one.

    First those that answer the selected question, then relevant ones, then others.
    """
    kinds = dict.fromkeys(to_read, "other")
    kinds |= {row.passage_id: "relevant" for row in rows if row.answered}
    kinds |= dict.fromkeys(answering, "answers")
    return [
        (kind, passage_id == current)
        for kind in ("answers", "relevant", "other")
        for passage_id in to_read
        if kinds[passage_id] == kind
    ]


def pair_of(page: PageState, view: PassageView, judge: str) -> OpenPair | None:
    """Return the selected question with this passage, to be answered by the judge.

    None for viewers, and where texts are restricted.
    """
    if session.why_not("apply") or words.why_withheld(page.query):
        return None
    rated = {rated.question.question_id: rated for rated in view.rated}
    selected = rated.get(session.view().question or "")
    if selected is None or selected.question.text is None:
        return None
    question = selected.question
    pair = (question.text, view.passage_id)
    last = check_by(page.bank, page.query.query_id, pair, judge)
    model = "" if selected.rating is None else "yes" if selected.correct else "no"
    return OpenPair(
        question.question_id,
        question.revision,
        page.numbers[question.question_id],
        question.title,
        "" if last is None else last.answer,
        model if last is not None else "",
    )


def to_highlight(view: PassageView, selected: str | None) -> list[RatedQuestion]:
    """The questions it answers: the selected one, then the others kept.

    A retired question that the passage answered is shown while it is selected, or
    where no kept question is answered. Where nothing is answered nothing is marked.
    """
    answered = [rated for rated in view.rated if rated.correct]
    retired = [rated for rated in view.retired if rated.correct]
    chosen = [r for r in (*answered, *retired) if r.question.question_id == selected]
    rest = [r for r in (answered or retired) if r not in chosen]
    shown = [r for r in (*chosen, *rest) if r.question.text is not None]
    return shown[:HIGHLIGHTED]


def neighbours(ids: Sequence[str], current: str) -> tuple[str, str | None, str | None]:
    """Its place, as ``3 of 215``, the passage before it, the one after."""
    if current not in ids:
        return "", None, ids[0] if ids else None
    at = ids.index(current)
    before = ids[at - 1] if at else None
    after = ids[at + 1] if at + 1 < len(ids) else None
    return f"{at + 1} of {len(ids):,}", before, after


def ungraded(view: PassageView) -> int:
    """How many grades are missing."""
    return sum(rated.rating is None for rated in view.rated)


def verdict(view: PassageView, settings: Settings, min_relevance: int | None) -> str:
    """What the judgment says, and whether the label disagrees for good."""
    if view.judgment is None or view.label is None or min_relevance is None:
        return ""
    judged = view.judgment >= min_relevance
    labelled = view.label >= settings.relevant_from()
    final = None if ungraded(view) and not labelled else labelled
    averaged = settings.rule.fractional
    differs = pool.disagrees(judged, final, averaged=averaged)
    return pool.verdict(judged, disagrees=differs)


def answer_words(
    view: PassageView,
    numbers: Mapping[str, int],
    answers: Mapping[str, str] | None,
    spans: Spans,
) -> str:
    """``4 rated 5 · 2 rated 4, retired``, or what a grader that answers answered."""

    def listed(rated: Sequence[RatedQuestion]) -> list[str]:
        correct = [one for one in rated if one.correct]
        if answers is not None:
            return _quoted(correct, numbers, answers, spans)
        return [
            f"{numbers.get(one.question.question_id, 0)} rated {one.rating}"
            for one in correct
        ]

    kept, missing = listed(view.rated), ungraded(view)
    retired = [f"{one}, {RETIRE.past}" for one in listed(view.retired)]
    open_still = [words.missing_grades(missing)] if missing else []
    if kept:
        return " · ".join([*kept, *retired, *open_still])
    if missing and missing == len(view.rated):
        return " · ".join([*retired, "not graded yet"])
    noun = noun_of(one.question for one in view.rated)
    return " · ".join([*retired, f"no kept {noun}", *open_still])


def _quoted(
    rated: Sequence[RatedQuestion],
    numbers: Mapping[str, int],
    answers: Mapping[str, str],
    spans: Spans,
) -> list[str]:
    """``4 answered “epidermis”`` for each; together those whose words are not there."""
    found, elsewhere = [], []
    for one in rated:
        name = one.question.question_id
        number, answer = numbers.get(name, 0), answers.get(name, "")
        quoted = f"“{words.shortened(answer, LONGEST_ANSWER)}”"
        if not answer:
            found.append(f"{number} answered")
        elif name in spans:
            found.append(f"{number} answered {quoted}")
        else:
            elsewhere.append(f"{number} {quoted}")
    return [*found, f"{ELSEWHERE}: {', '.join(elsewhere)}"] if elsewhere else found
