"""Boards as rows: with arrows where grades are complete, with bounds where not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.evaluation.impact import Impact, Move
from curator.evaluation.leaderboard import Leaderboard, Standing
from curator.tables.leaderboard import rank_words
from curator.ui.shared import words
from curator.ui.shared.words import Part, move

MORE_MOVERS = 2  # rows beyond those asked for, where so many moved
BOUNDS_NOTE = (
    "Lowest if no missing grade answers, highest if all do. No arrows: a rank is known "
    "only as a range."
)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a score (or what it may be) lies on the axis, in percent of its width."""

    left: float
    right: float
    centre: float | None


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One system's line beside the editor; ``hollow`` for a move within noise."""

    rank: str
    move: Part
    system: str
    score: str
    change: str
    moved: bool
    mark: Mark | None
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class BoardTable:
    """A small board: rows, the axis' two ends, and whether arrows mean anything.

    ``shown`` rows are seen at once, ``moved_below`` of the others moved; ``note`` says
    how to read it.
    """

    measure: str
    rows: tuple[BoardRow, ...]
    low: str
    high: str
    bounded: bool
    compared: bool
    shown: int
    moved_below: int = 0
    note: str = ""


def board_table(
    board: Leaderboard, impact: Impact | None, *, shown: int | None = None
) -> BoardTable:
    """Movers first, the largest move on top, then everyone in order of rank.

    At least ``shown`` rows, and some more where more moved, are seen at once; the rest
    on request.

    Without an earlier board to compare with, and where grades are missing on either,
    there are no arrows; where they are missing on this one, ranks and scores are the
    ranges they lie in.
    """
    compared = impact if impact is not None and comparable(impact) else None
    moves = {m.system: m for m in compared.moves} if compared else {}
    by_system = {s.system: s for s in board.standings}
    movers = (
        [m.system for m in compared.movers if m.system in by_system] if compared else []
    )
    order = [by_system[name] for name in movers]
    order += [s for s in board.standings if s.system not in movers]
    low, high = _axis(board.standings)
    ranges = None if board.complete else board.rank_ranges()
    within_noise = compared.within_noise if compared else frozenset()
    seen = len(order)
    if shown is not None:
        seen = min(max(shown, min(len(movers), shown + MORE_MOVERS)), len(order))
    return BoardTable(
        measure=board.settings.measure,
        rows=tuple(
            _row(
                s,
                moves.get(s.system),
                low,
                high,
                rank=rank_words(board, s, ranges),
                bounded=not board.complete,
                hollow=s.system in within_noise,
            )
            for s in order
        ),
        low=words.score(low, 2),
        high=words.score(high, 2),
        bounded=not board.complete,
        compared=compared is not None,
        shown=seen,
        moved_below=max(len(movers) - seen, 0),
        note=BOUNDS_NOTE if ranges else "",
    )


def board_after(impact: Impact) -> Leaderboard:
    """The later board of an impact, as far as its moves tell."""
    standings = tuple(
        Standing(m.system, m.rank_after, m.score_after, None, None, None, 1.0)
        for m in impact.moves
        if m.rank_after is not None and m.score_after is not None
    )
    return Leaderboard(
        impact.settings, impact.queries_after, impact.missing, 0, standings
    )


def comparable(impact: Impact) -> bool:
    """Whether both boards rest on every grade they need, so that arrows are true."""
    return not impact.missing and not impact.missing_before


def rests_on(board: Leaderboard) -> str:
    """What a board rests on, beside its numbers."""
    depth = f"known@{board.settings.k}"
    shares = [s.known_at_k for s in board.standings]
    graded = f"{board.known:,} of {board.needed:,} grades"
    if board.questions:
        asked = words.count(board.questions, "question")
        graded = f"{board.questions_graded:,} of {asked} graded"
    parts = [
        *([graded] if board.needed else []),  # texts alone are no grades
        words.count(board.queries, "query", "queries"),
        words.count(len(board.standings), "system"),
    ]
    if shares and board.settings.grader:
        parts.append(f"{depth} {words.percent(sum(shares) / len(shares))}")
    return " · ".join(parts)


def _row(
    standing: Standing,
    moved: Move | None,
    low: float,
    high: float,
    *,
    rank: str,
    bounded: bool,
    hollow: bool,
) -> BoardRow:
    places = moved.places if moved else 0
    return BoardRow(
        rank=rank,
        move=move(places) if moved else Part(""),
        system=standing.system,
        score=words.bounds(standing.lower, standing.upper, standing.score)
        if bounded
        else words.score(standing.score),
        change=words.change(moved.change) if moved else "",
        moved=bool(places),
        mark=_mark(standing, low, high, bounded=bounded),
        hollow=hollow,
    )


def _ends(standing: Standing) -> tuple[float, float]:
    error = standing.stderr or 0.0
    low, high = standing.score - error, standing.score + error
    if standing.lower is not None and standing.upper is not None:
        low, high = min(low, standing.lower), max(high, standing.upper)
    return low, high


def _axis(standings: Sequence[Standing]) -> tuple[float, float]:
    """From the lowest end to the highest; one far-off system does not stretch it."""
    lows = sorted(low for low, _ in map(_ends, standings))
    highs = sorted(high for _, high in map(_ends, standings))
    if not lows:
        return 0.0, 1.0
    quarter = len(lows) // 4
    fence = 1.5 * (highs[-1 - quarter] - lows[quarter])
    return (
        min(low for low in lows if low >= lows[quarter] - fence),
        max(high for high in highs if high <= highs[-1 - quarter] + fence),
    )


def _mark(standing: Standing, low: float, high: float, *, bounded: bool) -> Mark | None:
    width = high - low
    if width <= 0:
        return None
    if bounded:
        if standing.lower is None or standing.upper is None:
            return None
        left, right, centre = standing.lower, standing.upper, standing.score
    else:
        error = standing.stderr or 0.0
        left, right = standing.score - error, standing.score + error
        centre = standing.score

    def at(value: float) -> float:
        return round(100 * min(max((value - low) / width, 0.0), 1.0), 1)

    return Mark(at(left), at(right), None if centre is None else at(centre))
