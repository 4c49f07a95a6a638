"""A query's pool as pages of passages: filters and their counts, and all words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from curator.bank.marks import Ideal
from curator.collection.pools import Collection
from curator.collection.queries import Query
from curator.ui.passages import ideals
from curator.ui.passages.ideals import Span, spans_of
from curator.ui.passages.passage_rows import Piece
from curator.ui.shared import html, words
from curator.ui.shared.view import Against
from curator.ui.shared.words import DOWN, UP, Part, tone_of
from curator.verbs.curate.question_rows import QuestionLine
from curator.verbs.passages.pool_rows import ON_JUDGMENTS, PooledPassage, Show, shown

PAGE = 20  # passages
BEFORE: dict[Against, str] = {
    "edit": "before my last edit",
    "session": "when this session began",
    "import": "as imported",
}
SHOWN_SYSTEMS = 3
CUT = 1100  # characters, some twelve lines
LEFT_OVER = 200  # fewer characters than that are not worth a click
HIGHLIGHTED = 4  # questions whose sentence is marked in one passage

Passages = Sequence[PooledPassage]


@dataclass(frozen=True, slots=True)
class Choice:
    """A filter of the pool, and how many passages it leaves."""

    show: Show
    name: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A kept question and how many passages of the pool answer it.

    The count is not known where it has not been graded, and ``by`` another grader
    than the selected where that one stands in. ``bar`` is its share of the largest.
    """

    number: int
    question_id: str
    text: str
    count: int
    known: bool
    by: str
    bar: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class AskedGroup:
    """The kept questions of one subtopic; no heading where the query has none."""

    heading: str
    rows: tuple[AskedRow, ...]


@dataclass(frozen=True, slots=True)
class PageOfPool:
    """One page: ``first`` passages stand before it, ``total`` on all pages.

    ``found`` of them match the filters; ``before`` and ``after`` are next to the
    current one.
    """

    passages: tuple[PooledPassage, ...]
    first: int
    number: int
    pages: int
    found: int
    total: int
    current: PooledPassage | None
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class StandIn:
    """What another grader says of questions that the selected one cannot grade.

    ``answers`` maps passage ids to ratings by question id.
    """

    grader: str
    question_ids: frozenset[str]
    answers: Mapping[str, Mapping[str, int]]

    @classmethod
    def of(
        cls, grader: str, question_ids: frozenset[str], passages: Passages
    ) -> StandIn:
        """From the pool under that other grader."""
        return cls(
            grader,
            question_ids,
            {
                one.passage_id: {
                    question_id: rating
                    for question_id, rating in one.answers.items()
                    if question_id in question_ids
                }
                for one in passages
            },
        )

    def beside(self, passages: Passages) -> Passages:
        """The passages with these answers too; labels and verdicts stay as they are."""
        return tuple(
            replace(one, answers={**one.answers, **more}) if more else one
            for one in passages
            for more in (self.answers[one.passage_id],)
        )


NOBODY = StandIn("", frozenset(), {})


def choices(
    passages: Passages,
    show: Show,
    *,
    question_id: str | None,
    system: str | None,
    direct: bool = False,
) -> tuple[Choice, ...]:
    """The filters that make sense here, counted under the other two."""
    yes, no = answered_words(direct=direct)
    names: dict[Show, str] = {
        "all": "all",
        "changed": "changed",
        "relevant-unanswered": f"judged relevant, {no}",
        "nonrelevant-answered": f"judged non-relevant, {yes}",
    }
    if not direct:
        names["uncovered"] = "no question covers"
    judged = any(one.relevant is not None for one in passages)
    return tuple(
        Choice(
            one,
            name,
            len(shown(passages, one, question_id=question_id, system=system)),
            one == show,
        )
        for one, name in names.items()
        if judged or one not in ON_JUDGMENTS
    )


def answered_words(*, direct: bool) -> tuple[str, str]:
    """What a label says of a passage: relevant, and not relevant.

    A direct grader asks no question, so nothing is answered under it.
    """
    return (
        ("graded relevant", "not graded so") if direct else ("answered", "unanswered")
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
        return "Nobody has said from which judgment on a passage is relevant."
    return ""


def page_of(
    passages: Passages, matching: Passages, *, passage_id: str | None, page: int
) -> PageOfPool:
    """The page with the passage selected, else the page asked for or the nearest.

    The selected passage stays in its place when it matches no longer, so that an edit
    does not take away what the judge is reading. Without one the first is current.
    """
    wanted = {one.passage_id for one in matching} | {passage_id}
    rows = [one for one in passages if one.passage_id in wanted]
    ids = [one.passage_id for one in rows]
    pages = max(1, -(-len(rows) // PAGE))
    number = min(max(page, 1), pages)
    at = (number - 1) * PAGE
    if passage_id in ids:
        at = ids.index(passage_id)
        number = at // PAGE + 1
    first = (number - 1) * PAGE
    return PageOfPool(
        passages=tuple(rows[first : first + PAGE]),
        first=first,
        number=number,
        pages=pages,
        found=len(matching),
        total=len(rows),
        current=rows[at] if rows else None,
        before=ids[at - 1] if at else None,
        after=ids[at + 1] if at + 1 < len(ids) else None,
    )


def asked_groups(
    lines: Sequence[QuestionLine],
    query: Query,
    passages: Passages,
    numbers: Mapping[str, int],
    *,
    kind: str,
    selected: str | None,
    ungraded: frozenset[str] = frozenset(),
    stand_in: StandIn = NOBODY,
) -> tuple[AskedGroup, ...]:
    """The kept questions of this kind by subtopic, with what they reach."""
    kept = [
        line.question
        for line in lines
        if line.question.state == "kept" and line.question.kind == kind
    ]
    counts = dict.fromkeys((q.question_id for q in kept), 0)
    for one in passages:
        for question_id in one.answers:
            if question_id in counts:
                counts[question_id] += 1
    most = max(counts.values(), default=0)
    names = {s.subtopic_id: s.text or s.subtopic_id for s in query.subtopics}
    grouped: dict[str | None, list[AskedRow]] = {}
    for question in sorted(kept, key=lambda q: numbers[q.question_id]):
        count = counts[question.question_id]
        grouped.setdefault(question.subtopic_id, []).append(
            AskedRow(
                number=numbers[question.question_id],
                question_id=question.question_id,
                text=question.title,
                count=count,
                known=question.question_id not in ungraded,
                by=stand_in.grader
                if question.question_id in stand_in.question_ids
                else "",
                bar=count / most if most else 0.0,
                chosen=question.question_id == selected,
            )
        )
    return tuple(
        AskedGroup(
            "" if subtopic_id is None else names.get(subtopic_id, subtopic_id),
            tuple(rows),
        )
        for subtopic_id, rows in grouped.items()
    )


def to_highlight(
    one: PooledPassage, titles: Mapping[str, str], selected: str | None
) -> dict[str, str]:
    """Text by id of the questions whose sentence is marked, the selected one first."""
    answered = [question_id for question_id in one.answers if question_id in titles]
    ordered = sorted(answered, key=lambda question_id: question_id != selected)
    return {question_id: titles[question_id] for question_id in ordered[:HIGHLIGHTED]}


@dataclass(frozen=True, slots=True)
class PassageRow:
    """One passage in words. ``change`` is the move of its label, empty without one.

    ``disagrees`` says that label and judgment do; ``all_systems`` is the long form of
    ``systems``; ``stays`` that no filter but its being selected keeps it here.
    ``ideals`` are the spans of its text marked as ideal answers, (0, None) all of it.
    """

    passage_id: str
    place: str
    label: str
    change: Part
    judgment: str
    verdict: str
    disagrees: bool
    answers: str
    systems: str
    all_systems: str
    selected: bool
    stays: bool
    ideals: tuple[Span, ...] = ()


def passage_rows(
    page: PageOfPool,
    matching: Passages,
    numbers: Mapping[str, int],
    *,
    direct: bool,
    rated: bool,
    judged: bool,
    depth: int,
    stand_in: StandIn = NOBODY,
    marked: Sequence[Ideal] = (),
) -> tuple[PassageRow, ...]:
    """The page's passages in words. ``numbers`` are those the questions stand under.

    ``direct`` for a grader without questions, ``rated`` for one with ratings 0-5;
    without ``judged`` nothing is said of judgments. ``depth`` is how many ranks count,
    0 without runs. The answers of a ``stand_in`` are said to be its.
    """
    wanted = {one.passage_id for one in matching}
    return tuple(
        PassageRow(
            passage_id=one.passage_id,
            place=f"{place:,} of {page.total:,}"
            if one is page.current
            else f"{place:,}",
            label=_label(one),
            change=_change(one),
            judgment=_judgment(one) if judged else "",
            verdict=_verdict(one),
            disagrees=_disagrees(one),
            answers="" if direct else answers(one, numbers, stand_in, rated=rated),
            systems=retrieved_by(one.ranks, depth, SHOWN_SYSTEMS),
            all_systems=retrieved_by(one.ranks, depth, len(one.ranks)),
            selected=one is page.current,
            stays=one.passage_id not in wanted,
            ideals=spans_of(marked, one.passage_id),
        )
        for place, one in enumerate(page.passages, page.first + 1)
    )


def nothing_found(
    show: Show,
    *,
    number: int | None,
    system: str | None,
    against: Against | None,
    direct: bool = False,
) -> str:
    """Why the page is empty: ``No passage of this query is judged relevant but …``.

    ``against`` is what labels are compared with, None where there is nothing yet.
    """
    yes, no = answered_words(direct=direct)
    if show == "changed" and against is None:
        return "No edit of yours stands in this query, so no label has changed."
    said = {
        "changed": f"has another label than {BEFORE[against or 'edit']}",
        "relevant-unanswered": f"is judged relevant but {no}",
        "nonrelevant-answered": f"is judged non-relevant but {yes}",
        "uncovered": "is without a question that covers it, but likely relevant",
    }.get(show)
    parts = [said] if said else []
    if number is not None:
        parts.append(f"answers question {number}")
    if system is not None:
        parts.append(f"was retrieved by {system}")
    return f"No passage of this query {' and '.join(parts)}."


def found_words(found: int, total: int) -> str:
    """``12 of 215 passages``, ``215 passages``."""
    if found == total:
        return words.count(total, "passage")
    return f"{found:,} of {words.count(total, 'passage')}"


def proposed_words(count: int) -> str:
    """``3 questions proposed from this passage. Open in Curate to decide.``"""
    proposed = words.count(count, "question")
    return f"{proposed} proposed from this passage. Open in Curate to decide."


def added_words(count: int, answer: bool | None, grader: str) -> str:
    """What a new question turned out to reach.

    ``answer`` says whether the passage it was added from answers it, None where no
    grader has been asked yet; ``grader`` names one that stands in for the selected,
    or is "".
    """
    if answer is None:
        return "Added. No grades of it yet."
    many = words.count(count, "passage answers it", "passages answer it")
    this = "this one included" if answer else "this one not among them"
    by = f", by {grader}" if grader else ""
    return f"Added. {many}{by}; {this}." if count else f"Added. {many}{by}."


def cut(pieces: Sequence[Piece]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The beginning of a long passage, cut where a sentence or a word ends; the rest.

    The rest is empty where the passage is short enough to be shown whole.
    """
    text = "".join(piece.text for piece in pieces)
    if len(text) <= CUT + LEFT_OVER:
        return tuple(pieces), ()
    end = max(text.rfind(mark, 0, CUT) + 2 for mark in (". ", "? ", "! "))
    if end < CUT * 0.6:
        end = text.rfind(" ", 0, CUT) + 1 or CUT
    begin: list[Piece] = []
    rest: list[Piece] = []
    at = 0
    for piece in pieces:
        split = min(max(end - at, 0), len(piece.text))
        if split:
            begin.append(replace(piece, text=piece.text[:split]))
        if split < len(piece.text):
            rest.append(replace(piece, text=piece.text[split:]))
        at += len(piece.text)
    return tuple(begin), tuple(rest)


def more_words(rest: Sequence[Piece]) -> str:
    """``640 more characters, with the answer to 4`` for the part that is folded."""
    numbers = sorted({number for piece in rest for number in piece.answers})
    said = words.count(sum(len(piece.text) for piece in rest), "more character")
    if not numbers:
        return said
    return f"{said}, with the answer to {', '.join(map(str, numbers))}"


def answers(
    one: PooledPassage,
    numbers: Mapping[str, int],
    stand_in: StandIn = NOBODY,
    *,
    rated: bool = True,
) -> str:
    """``2 rated 5 · 4 rated 4``, best rated first; or what is known instead.

    What a stand-in says comes last, under its name.
    """
    others = stand_in.question_ids
    own = {q: rating for q, rating in one.answers.items() if q not in others}
    parts = _rated(own, numbers, rated=rated)
    if not parts:
        parts = ["not graded yet" if one.label is None else "no kept question"]
    if one.missing > len(others) and one.label is not None:
        parts.append(words.missing_grades(one.missing))
    more = _rated(stand_in.answers.get(one.passage_id, {}), numbers, rated=True)
    if more:
        parts.append(f"by {stand_in.grader}: {', '.join(more)}")
    return " · ".join(parts)


def _rated(
    ratings: Mapping[str, int], numbers: Mapping[str, int], *, rated: bool
) -> list[str]:
    best = sorted((-rating, numbers.get(q, 0)) for q, rating in ratings.items())
    return [f"{number} rated {-low}" if rated else f"{number}" for low, number in best]


def retrieved_by(ranks: Mapping[str, int], depth: int, most: int) -> str:
    """``run-a at 3, run-b at 7 and 4 more``, best first; nothing without runs."""
    if not ranks:
        return f"no system among its first {depth}" if depth else ""
    said = ", ".join(f"{system} at {rank}" for system, rank in [*ranks.items()][:most])
    more = len(ranks) - most
    return f"{said} and {more} more" if more > 0 else said


def _label(one: PooledPassage) -> str:
    if not one.changed:
        return "no label" if one.label is None else f"label {one.label}"
    before, after = (
        "none" if n is None else str(n) for n in (one.label_before, one.label)
    )
    return f"{before} → {after}"


def _change(one: PooledPassage) -> Part:
    """``▼−2``: the direction by arrow and by sign."""
    if not one.changed or one.label is None or one.label_before is None:
        return Part("")
    by = one.label - one.label_before
    arrow, sign = (UP, "+") if by > 0 else (DOWN, words.MINUS)
    return Part(f"{arrow}{sign}{abs(by)}", tone_of(by))


def _judgment(one: PooledPassage) -> str:
    return "unjudged" if one.judgment is None else f"official {one.judgment}"


def _verdict(one: PooledPassage) -> str:
    if one.relevant is None:
        return ""
    said = "relevant" if one.relevant else "not relevant"
    return f"{said}: the label disagrees" if _disagrees(one) else said


def _disagrees(one: PooledPassage) -> bool:
    if one.relevant is None or one.answered is None:
        return False
    return one.relevant != one.answered


def ideals_json(row: PassageRow) -> str:
    """Its ideal answers for the script that marks them."""
    return json.dumps(row.ideals)


def change_html(row: PassageRow) -> Markup:
    """The move of its label."""
    return Markup(html.part(row.change))


def ideal_words(spans: Sequence[Span]) -> str:
    """``ideal answer`` of a whole passage, ``ideal answer in it`` of words in one."""
    return ideals.said(spans)
