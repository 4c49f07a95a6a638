"""The boards that stand side by side in an exported leaderboard.

EXAM and n-EXAM have columns of their own there; where gold articles are, the ROUGE-1 F1
of Sander & Dietz 2021, Table 4, follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from curator.boards import Boards
from curator.evaluation.correlation import Correlation
from curator.evaluation.correlation import correlate as correlate_boards
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.exchange.leaderboard_tsv import (
    OVERALL,
    ExtraMeasure,
    LeaderboardCorrelation,
    LeaderboardRow,
)
from curator.exchange.notices import counted
from curator.verbs.scoring import board

BESIDE_GOLD = ("rouge-1-f1(joined,gold)",)
CORRELATIONS = ("spearman", "kendall")


@dataclass(frozen=True)
class BoardColumns:
    """The board asked for, and what stands in the columns of its export.

    ``exam`` fills the first columns: EXAM, or the measure asked for if it is another
    one. ``n_exam`` is None without gold articles whose grades are known.
    """

    asked: Leaderboard
    exam: Leaderboard
    n_exam: Leaderboard | None = None
    extra: tuple[Leaderboard, ...] = ()
    notes: tuple[str, ...] = ()


def board_columns(
    boards: Boards, settings: Settings, *, partial: bool = False
) -> BoardColumns:
    """The boards of an export under these settings.

    n-EXAM is left out, with a note, where grades of gold articles are missing, unless
    ``partial``.
    """
    asked = board(boards, settings)
    gold = any(pool.gold for pool in boards.collection.pools.values())
    if settings.measure not in ("cover", "n-exam") or not gold:
        return BoardColumns(asked, asked)
    exam = board(boards, replace(settings, measure="cover"))
    n_exam = board(boards, replace(settings, measure="n-exam"))
    notes = n_exam.notes
    missing = n_exam.needed - n_exam.known
    if missing and not partial:
        be = "is" if missing == 1 else "are"
        notes = (f"{counted(missing, 'grade')} {be} missing, so it is left out.",)
    notes = _of("n-exam", notes)
    extra = tuple(
        board(boards, replace(settings, measure=name)) for name in BESIDE_GOLD
    )
    return BoardColumns(
        asked,
        exam,
        n_exam if n_exam.standings and (partial or not missing) else None,
        tuple(one for one in extra if one.standings),
        (*notes, *(note for o in extra for note in _of(o.settings.measure, o.notes))),
    )


def _of(measure: str, notes: Iterable[str]) -> tuple[str, ...]:
    """The notes, each beginning with the measure's name."""
    return tuple(
        note if note.lower().startswith(measure.lower()) else f"{measure}: {note}"
        for note in notes
    )


def leaderboard_rows(
    columns: BoardColumns, official: Mapping[str, float]
) -> list[LeaderboardRow]:
    """The board as the TSV lays it out, the whole pool first where it has a score."""
    exam = {one.system: one for one in columns.exam.standings}
    n_exam = {}
    if columns.n_exam is not None:
        n_exam = {one.system: one for one in columns.n_exam.standings}
    rows = []
    if columns.exam.overall is not None:
        rows.append(LeaderboardRow(OVERALL, columns.exam.overall))
    for one in columns.asked.standings:
        name = one.system
        rows.append(
            LeaderboardRow(
                name,
                exam[name].score,
                exam[name].stderr,
                n_exam[name].score if name in n_exam else None,
                n_exam[name].stderr if name in n_exam else None,
                official_rank=official.get(name),
            )
        )
    return rows


def correlation_rows(
    columns: BoardColumns, official: Mapping[str, float]
) -> list[LeaderboardCorrelation]:
    """Spearman and Kendall with the official board; none without one."""
    exam = _correlations(columns.exam, official)
    n_exam = {} if columns.n_exam is None else _correlations(columns.n_exam, official)
    return [
        LeaderboardCorrelation(name, exam[name], n_exam.get(name))
        for name in CORRELATIONS
        if name in exam
    ]


def extra_measure(found: Leaderboard, official: Mapping[str, float]) -> ExtraMeasure:
    """One more measure's columns."""
    return ExtraMeasure(
        found.settings.measure,
        {one.system: (one.score, one.stderr) for one in found.standings},
        _correlations(found, official),
    )


def _correlations(
    found: Leaderboard, official: Mapping[str, float]
) -> dict[str, float | None]:
    if not official or not found.standings:
        return {}
    with_official: Correlation = correlate_boards(
        found.scores(), official, reference_is="ranks"
    )
    return {name: getattr(with_official, name) for name in CORRELATIONS}
