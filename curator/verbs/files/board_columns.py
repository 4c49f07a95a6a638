"""The boards that stand side by side in an exported leaderboard.

EXAM and n-EXAM have columns of their own, which hold nothing else; any other measure
that was asked for follows them. Where gold articles are, the ROUGE-1 F1 of Sander &
Dietz 2021, Table 4, stands beside EXAM.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from curator.engine.scoring import board
from curator.engine.state import State
from curator.evaluation.correlation import Correlation
from curator.evaluation.correlation import correlate as correlate_boards
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import looks_at_k
from curator.evaluation.releases import Release
from curator.evaluation.settings import DEFAULT_K, Settings
from curator.formats.text.notices import missing_grades
from curator.formats.trec.leaderboard_tsv import (
    OVERALL,
    ExtraMeasure,
    LeaderboardCorrelation,
    LeaderboardRow,
)

EXAM, N_EXAM = "cover", "n-exam"
BESIDE_GOLD = ("rouge-1-f1(joined,gold)",)
CORRELATIONS = ("spearman", "kendall")
Score = tuple[float | None, float | None]
NO_SCORE: Score = (None, None)


@dataclass(frozen=True)
class BoardColumns:
    """The board asked for, which says systems and order, and what is in the columns.

    ``exam`` and ``n_exam`` are None where they are not defined, or rest on missing
    grades; ``extra`` are the measures after them.
    """

    asked: Leaderboard
    exam: Leaderboard | None = None
    n_exam: Leaderboard | None = None
    extra: tuple[Leaderboard, ...] = ()
    notes: tuple[str, ...] = ()


def board_columns(
    state: State, settings: Settings, *, partial: bool = False
) -> BoardColumns:
    """The boards of an export under these settings.

    A column that was not asked for is left out, with a note, where it is not defined or
    grades of it are missing, unless ``partial``.
    """
    asked = board(state, settings)
    exams = settings.measure in (EXAM, N_EXAM)
    if not asked.standings:  # whose notes say why
        return BoardColumns(asked, asked if settings.measure == EXAM else None)
    found, notes = {settings.measure: asked}, list[str]()
    extra = [] if exams else [asked]
    gold = any(pool.gold for pool in state.collection.pools.values())
    for name in (EXAM, N_EXAM) if exams and gold else (EXAM,):
        if name != settings.measure and settings.grader:
            one = _graded(state, replace(settings, measure=name))
            lacking = one.needed - one.known
            if lacking and not partial:
                left = f"{missing_grades(lacking)}, so it is left out."
                one = replace(one, standings=(), notes=(left,))
            if one.standings:
                found[name] = one
            notes += _of(one)
    if EXAM in found and not looks_at_k(settings.measure) and settings.k != DEFAULT_K:
        as_deep = f"as deep as {settings.measure} looks"
        notes.append(f"exam is Cover of the first {settings.k} passages, {as_deep}.")
    for name in BESIDE_GOLD if exams and gold else ():
        one = board(state, replace(settings, measure=name))
        notes += _of(one)
        extra += [one] if one.standings else []
    return BoardColumns(
        asked, found.get(EXAM), found.get(N_EXAM), tuple(extra), tuple(notes)
    )


def _graded(state: State, settings: Settings) -> Leaderboard:
    """The board of EXAM or n-EXAM; without standings where it is not defined."""
    if state.grader(settings.grader).spec.reading.item_kind == "query":
        why = "is undefined for a direct relevance grader, so it is left out."
        return Leaderboard(settings, 0, 0, 0, (), (f"{settings.measure} {why}",))
    return board(state, settings)


def _of(found: Leaderboard) -> tuple[str, ...]:
    """The board's notes, each beginning with the measure's name."""
    measure = found.settings.measure
    return tuple(
        note if note.lower().startswith(measure.lower()) else f"{measure}: {note}"
        for note in found.notes
    )


def leaderboard_rows(
    columns: BoardColumns, official: Mapping[str, float]
) -> list[LeaderboardRow]:
    """The board as the TSV lays it out, the whole pool first where it has a score."""
    exam, n_exam = _scores(columns.exam), _scores(columns.n_exam)
    rows = []
    if columns.exam is not None and columns.exam.overall is not None:
        rows.append(LeaderboardRow(OVERALL, columns.exam.overall))
    for one in columns.asked.standings:
        name = one.system
        cells = (*exam.get(name, NO_SCORE), *n_exam.get(name, NO_SCORE))
        rows.append(LeaderboardRow(name, *cells, official_rank=official.get(name)))
    return rows


def correlation_rows(
    columns: BoardColumns, official: Mapping[str, float]
) -> list[LeaderboardCorrelation]:
    """Spearman and Kendall with the official board; none without one."""
    if not official or not columns.asked.standings:
        return []
    exam, n_exam = (
        {} if one is None else _correlations(one, official)
        for one in (columns.exam, columns.n_exam)
    )
    return [
        LeaderboardCorrelation(name, exam.get(name), n_exam.get(name))
        for name in CORRELATIONS
    ]


def released_columns(
    frozen: Release,
) -> tuple[list[LeaderboardRow], tuple[ExtraMeasure, ...]]:
    """A release's board: its rows, and its measure where it is none of EXAM's two.

    Systems, scores and errors, which were frozen, and nothing that may change.
    """
    measure = frozen.settings.measure
    rows, scores = [], {}
    for one in frozen.board:
        of_one = scores[one.system] = one.score, one.stderr
        exam = of_one if measure == EXAM else NO_SCORE
        n_exam = of_one if measure == N_EXAM else NO_SCORE
        rows.append(LeaderboardRow(one.system, *exam, *n_exam))
    if measure in (EXAM, N_EXAM):
        return rows, ()
    return rows, (ExtraMeasure(measure, scores),)


def extra_measure(found: Leaderboard, official: Mapping[str, float]) -> ExtraMeasure:
    """One more measure's columns."""
    return ExtraMeasure(
        found.settings.measure,
        _scores(found),
        _correlations(found, official),
    )


def _scores(found: Leaderboard | None) -> dict[str, Score]:
    if found is None:
        return {}
    return {one.system: (one.score, one.stderr) for one in found.standings}


def _correlations(
    found: Leaderboard, official: Mapping[str, float]
) -> dict[str, float | None]:
    if not official or not found.standings:
        return {}
    with_official: Correlation = correlate_boards(
        found.scores(), official, reference_is="ranks"
    )
    return {name: getattr(with_official, name) for name in CORRELATIONS}
