"""A query's pool as pages of passages: filters and their counts, and all words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from curator.bank.questions import Question
from curator.bank.wording import isolated
from curator.collection.pools import Collection, Query
from curator.verbs.passages.order import VALUES, Order
from curator.verbs.passages.pool_rows import (
    NEEDS_JUDGMENTS,
    PooledPassage,
    Show,
    filter_passages,
)
from curator.web.components import html, words
from curator.web.components.view import Against
from curator.web.components.words import DOWN, UP, Part, tone_of
from curator.web.pages.judge.passages.passage_text import (
    cited_by,
    cut,
    ideal_words,
    more_words,
)

__all__ = ["cited_by", "cut", "ideal_words", "more_words"]  # the template asks for too

PAGE = 20  # passages
BEFORE: dict[Against, str] = {
    "edit": "before my last edit",
    "session": "when this session began",
    "import": "as imported",
}
HIGHLIGHTED = 4  # questions whose sentence is marked in one passage

Passages = Sequence[PooledPassage]


@dataclass(frozen=True, slots=True)
class PageOfPool:
    """One page: ``first`` passages stand before it, ``total`` on all pages.

    ``before`` and ``after`` are next to the current one, which ``stays`` where only its
    being selected keeps it here.
    """

    passages: Passages
    first: int
    number: int
    pages: int
    total: int
    current: PooledPassage | None
    stays: bool
    before: str | None
    after: str | None


def choices(
    passages: Passages,
    *,
    question_id: str | None,
    system: str | None,
    direct: bool = False,
    averaged: bool = False,
    noun: str = "question",
) -> list[tuple[Show, str, int]]:
    """The filters that make sense here, counted under the other two."""
    yes, no = answered_words(whole=direct or averaged)
    names: dict[Show, str] = {
        "all": "all",
        "changed": "changed",
        "relevant-unanswered": f"judged relevant, {no}",
        "nonrelevant-answered": f"judged non-relevant, {yes}",
        "uncovered": f"no {noun} covers",
    }
    judged = any(one.relevant is not None for one in passages)
    return [
        (
            show,
            name,
            len(
                filter_passages(passages, show, question_id=question_id, system=system)
            ),
        )
        for show, name in names.items()
        if (judged or show not in NEEDS_JUDGMENTS)
        and not (direct and show == "uncovered")
    ]


def orders(passages: Passages, *, noun: str = "question") -> dict[Order, str]:
    """The orders that make sense here, in words."""
    names: dict[Order, str] = {
        "look": "worth a look first",
        "label": "highest label",
        "judgment": "highest judgment",
        "rank": "best rank",
        "retrieved": "retrieved by most",
        "covered": f"most {noun}s",
        "length": "longest",
        "pool": "as imported",
    }
    return {
        order: name
        for order, name in names.items()
        if order not in VALUES or any(VALUES[order](one) for one in passages)
    }


def answered_words(*, whole: bool) -> tuple[str, str]:
    """What a label says of a passage: relevant, and not relevant.

    Of the passage as a ``whole``: a direct grader asks no question, so nothing is
    answered under it; a mean may be low although a question is answered.
    """
    return ("graded relevant", "not graded so") if whole else ("answered", "unanswered")


def means_words(noun: str) -> str:
    """What to make of a mean label beside a judgment."""
    return (
        "A mean label seldom reaches the minimum rating: a passage that answers a "
        f"{noun} may not be graded relevant, and that is no disagreement."
    )


def why_no_judgments(passages: Passages, collection: Collection) -> str:
    """Why nothing is compared with judgments, or ""."""
    if collection.blind:
        return "Judging is blind: neither judgments nor systems’ names are shown."
    if any(one.relevant is not None for one in passages) or not passages:
        return ""
    if all(one.judgment is None for one in passages):
        return "Without judgments of this query, labels are not compared with any."
    if collection.min_relevance is None:
        return "No minimum relevance is set."
    return ""


def page_of(
    passages: Passages, matching: Passages, *, passage_id: str | None, page: int
) -> PageOfPool:
    """The page with the passage selected, else the page asked for or the nearest.

    The selected passage stays in its place when it matches no longer, so that an edit
    does not take away what the judge is reading. Without one the first is current.
    """
    found = {one.passage_id for one in matching}
    listed = found | {passage_id}
    rows = [one for one in passages if one.passage_id in listed]
    ids = [one.passage_id for one in rows]
    pages = max(1, -(-len(rows) // PAGE))
    at = (min(max(page, 1), pages) - 1) * PAGE
    if passage_id in ids:
        at = ids.index(passage_id)
    first = at - at % PAGE
    return PageOfPool(
        passages=rows[first : first + PAGE],
        first=first,
        number=at // PAGE + 1,
        pages=pages,
        total=len(rows),
        current=rows[at] if rows else None,
        stays=passage_id in ids and passage_id not in found,
        before=ids[at - 1] if at else None,
        after=ids[at + 1] if at + 1 < len(ids) else None,
    )


def grouped(
    questions: Sequence[Question], query: Query
) -> list[tuple[str, list[Question]]]:
    """The questions under each subtopic's name; under "" those of none."""
    names = {one.subtopic_id: one.text for one in query.subtopics}
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        groups[question.subtopic_id or ""].append(question)
    return [(names.get(id_) or id_, those) for id_, those in groups.items()]


def to_highlight(
    one: PooledPassage, titles: Mapping[str, str], selected: str | None
) -> dict[str, str]:
    """Text by id of the questions whose sentence is marked, the selected one first."""
    answered = [question_id for question_id in one.answers if question_id in titles]
    ordered = sorted(answered, key=lambda question_id: question_id != selected)
    return {question_id: titles[question_id] for question_id in ordered[:HIGHLIGHTED]}


def nothing_found(
    show: Show,
    *,
    number: int | None,
    system: str | None,
    against: Against | None,
    words: str = "",
    whole: bool = False,
) -> str:
    """Why the page is empty: ``No passage of this query is judged relevant but …``.

    ``against`` is what labels are compared with, None where there is nothing yet.
    """
    yes, no = answered_words(whole=whole)
    if show == "changed" and against is None:
        return "You have no edits in this query, so no label has changed."
    filtered = {
        "changed": f"has another label than {BEFORE[against or 'edit']}",
        "relevant-unanswered": f"is judged relevant but {no}",
        "nonrelevant-answered": f"is judged non-relevant but {yes}",
        "uncovered": "is without a question that covers it, but likely relevant",
    }.get(show)
    parts = [filtered] if filtered else []
    if number is not None:
        parts.append(f"answers question {number}")
    if system is not None:
        parts.append(f"was retrieved by {system}")
    if words:
        parts.append(f"holds {words}")
    return f"No passage of this query {' and '.join(parts)}."


def found_words(found: int, total: int) -> str:
    """``12 of 215 passages``, ``215 passages``."""
    every = words.count(total, "passage")
    return every if found == total else f"{found:,} of {every}"


def added_words(count: int, answer: bool | None) -> str:
    """What a new question turned out to reach.

    ``answer`` says whether the passage it was added from answers it, None where no
    grader has been asked yet.
    """
    if answer is None:
        return "Added. No grades of it yet."
    many = words.count(count, "passage answers it", "passages answer it")
    this = "this one included" if answer else "this one not among them"
    return f"Added. {many}; {this}." if count else f"Added. {many}."


# Of one passage


def answers(
    one: PooledPassage,
    numbers: Mapping[str, int],
    *,
    rated: bool = True,
    items: int,
    noun: str = "question",
) -> str:
    """``2 of 10: 2 rated 5 · 4 rated 4``, best rated first; or what is known instead.

    ``rated`` for a grader with ratings 0-5, ``items`` is how many it is asked.
    """
    best = sorted((-rating, numbers.get(q, 0)) for q, rating in one.answers.items())
    parts = [f"{number} rated {-low}" if rated else f"{number}" for low, number in best]
    if parts:
        parts[0] = f"{len(parts)} of {items}: {parts[0]}"
    else:
        parts = ["not graded yet" if one.label is None else f"no kept {noun}"]
    if one.missing and one.label is not None:
        parts.append(words.missing_grades(one.missing))
    return " · ".join(parts)


def segments(one: PooledPassage) -> str:
    """``#1 best 0 · #2 best 5 · #3 not graded``: a document's segments in order."""
    return " · ".join(
        f"{segment_id.removeprefix(one.passage_id)} "
        + ("not graded" if best is None else f"best {best}")
        for segment_id, best in one.segments.items()
    )


def retrieved_by(ranks: Mapping[str, int], depth: int, most: int | None = None) -> str:
    """``run-a at 3, run-b at 7 and 4 more``, best first; nothing without runs.

    ``depth`` is how many ranks count, 0 without runs.
    """
    if not ranks:
        return f"no system among its first {depth}" if depth else ""
    named = ", ".join(
        f"{isolated(system)} at {rank}" for system, rank in [*ranks.items()][:most]
    )
    more = 0 if most is None else len(ranks) - most
    return f"{named} and {more} more" if more > 0 else named


def cites_words(cited: Mapping[str, bool]) -> str:
    """``5 passages, 2 without a text here``."""
    lost = sum(not here for here in cited.values())
    without = f", {lost:,} without a text here" if lost else ""
    return f"{words.count(len(cited), 'passage')}{without}"


def label(one: PooledPassage) -> str:
    """``label 4``, or what it was and is: ``4 → 0``."""
    if one.label == one.label_before:
        return "no label" if one.label is None else f"label {words.label(one.label)}"
    return words.label_change(one.label_before, one.label, "none")


def change(one: PooledPassage) -> Part:
    """``▼−2``: how its label moved, by arrow and by sign; empty without a move."""
    if one.label_before in (one.label, None) or one.label is None:
        return Part("")
    by = one.label - one.label_before
    arrow, sign = (UP, "+") if by > 0 else (DOWN, words.MINUS)
    size = words.label(abs(by), words.digits_apart(0.0, abs(by)))
    return Part(f"{arrow}{sign}{size}", tone_of(by))


def change_html(one: PooledPassage) -> Markup:
    """The move of its label in its tone."""
    return Markup(html.part(change(one)))


def judgment(judged: int | None) -> str:
    """``official 2``, or that nobody judged it."""
    return "unjudged" if judged is None else f"official {judged}"


def disagrees(relevant: bool | None, answered: bool | None, *, averaged: bool) -> bool:
    """Whether label and judgment are both there, and only one says relevant.

    Of a mean this is never said: it seldom reaches the minimum rating.
    """
    known = None not in (relevant, answered)
    return known and not averaged and relevant != answered


def verdict(relevant: bool | None, *, disagrees: bool) -> str:
    """What the judgment says, and whether the label disagrees; "" without one."""
    if relevant is None:
        return ""
    judged = "relevant" if relevant else "not relevant"
    return f"{judged}: the label disagrees" if disagrees else judged
