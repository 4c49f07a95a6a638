"""What the Passages page says of each passage and of what it shows, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from curator.bank.marks import Ideal
from curator.ui.passages import pool_rows
from curator.ui.passages.ideals import Span, spans_of
from curator.ui.passages.passage_rows import Piece
from curator.ui.passages.pool_rows import NOBODY, PageOfPool, Passages, StandIn
from curator.ui.shared import words
from curator.ui.shared.parts import DOWN, UP, Part, tone_of
from curator.ui.shared.view import Against
from curator.verbs.passages.pool_rows import PooledPassage, Show

BEFORE: dict[Against, str] = {
    "edit": "before my last edit",
    "session": "when this session began",
    "import": "as imported",
}
SHOWN_SYSTEMS = 3
CUT = 1100  # characters, some twelve lines
LEFT_OVER = 200  # fewer characters than that are not worth a click


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
    ideals: Sequence[Ideal] = (),
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
            ideals=spans_of(ideals, one.passage_id),
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
    yes, no = pool_rows.answered_words(direct=direct)
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
