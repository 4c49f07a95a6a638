"""The boards that stand side by side in an exported leaderboard.

EXAM and n-EXAM have columns of their own, which hold nothing else; any other measure
that was asked for follows them. Where gold articles are, the ROUGE-1 F1 of Sander &
Dietz 2021, Table 4, stands beside EXAM.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from curator.engine.scoring import board
from curator.engine.state import State
from curator.evaluation.correlation import correlate
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import looks_at_k
from curator.evaluation.releases import Release
from curator.evaluation.settings import DEFAULT_K, Settings
from curator.formats.text.notices import missing_grades
from curator.formats.trec.leaderboard_tsv import GOLD, OVERALL, BoardColumn

EXAM, N_EXAM = "cover", "n-exam"
BESIDE_GOLD = "rouge-1-f1(joined,gold)"
CORRELATIONS = ("spearman", "kendall")


def board_columns(
    state: State, settings: Settings, *, partial: bool = False
) -> tuple[Leaderboard, list[BoardColumn], list[str]]:
    """(the board asked for, the columns of its export, notes on these).

    EXAM's and n-EXAM's come first, empty where they are not defined. A column that was
    not asked for is left out, with a note, where it is not defined or grades of it are
    missing, unless ``partial``.
    """
    if settings.measure == "exam":  # another name of the first column
        settings = replace(settings, measure=EXAM)
    asked, official = board(state, settings), state.collection.official
    if not asked.standings:  # whose notes say why
        exam = asked if settings.measure == EXAM else None
        return asked, [_column(EXAM, exam, official), BoardColumn(N_EXAM)], []
    exams = settings.measure in (EXAM, N_EXAM)
    boards, notes = {settings.measure: asked}, list[str]()
    gold = exams and any(pool.gold for pool in state.collection.pools.values())
    for name in (EXAM, N_EXAM) if gold else (EXAM,):
        if name != settings.measure and settings.grader:
            one = _graded(state, replace(settings, measure=name))
            missing = one.needed - one.known
            if missing and not partial:
                left = f"{missing_grades(missing)}, so it is left out."
                one = replace(one, standings=(), notes=(left,))
            if one.standings:
                boards[name] = one
            notes += _notes(one)
    if EXAM in boards and not looks_at_k(settings.measure) and settings.k != DEFAULT_K:
        as_deep = f"as deep as {settings.measure} looks"
        notes.append(f"exam is Cover of the first {settings.k} passages, {as_deep}.")
    if gold:
        one = board(state, replace(settings, measure=BESIDE_GOLD))
        notes += _notes(one)
        if one.standings:
            boards[BESIDE_GOLD] = one
    names = dict.fromkeys((EXAM, N_EXAM, *boards))
    columns = [_column(name, boards.get(name), official) for name in names]
    if N_EXAM in boards:
        columns[:2] = [
            _with_gold(columns[0], boards[N_EXAM].gold_exam),
            _with_gold(columns[1], 1.0),
        ]
    return asked, columns, notes


def _with_gold(column: BoardColumn, score: float | None) -> BoardColumn:
    """Add the gold articles' own score, a line of Sander & Dietz 2021, Table 4."""
    return replace(column, scores={GOLD: (score, None), **column.scores})


def _graded(state: State, settings: Settings) -> Leaderboard:
    """The board of EXAM or n-EXAM; without standings where it is not defined."""
    if state.grader(settings.grader).spec.reading.item_kind == "query":
        why = "is undefined for a direct relevance grader, so it is left out."
        return Leaderboard(settings, 0, 0, 0, (), (f"{settings.measure} {why}",))
    return board(state, settings)


def _notes(found: Leaderboard) -> list[str]:
    """The board's notes, each beginning with the measure's name."""
    measure = found.settings.measure
    return [
        note if note.lower().startswith(measure.lower()) else f"{measure}: {note}"
        for note in found.notes
    ]


def _column(
    name: str, found: Leaderboard | None, official: Mapping[str, float]
) -> BoardColumn:
    """The board's scores, of EXAM the whole pool's too, and its correlations."""
    if found is None:
        return BoardColumn(name)
    scores: dict[str, tuple[float | None, float | None]] = {}
    if name == EXAM and found.overall is not None:
        scores[OVERALL] = found.overall, None
    scores |= {one.system: (one.score, one.stderr) for one in found.standings}
    if not official or not found.standings:
        return BoardColumn(name, scores)
    alike = correlate(found.scores(), official, reference_is="ranks")
    return BoardColumn(name, scores, {one: getattr(alike, one) for one in CORRELATIONS})


def released_columns(frozen: Release) -> list[BoardColumn]:
    """A release's board: systems, scores and errors, and nothing that may change."""
    measure = frozen.settings.measure
    scores = {one.system: (one.score, one.stderr) for one in frozen.board}
    return [
        BoardColumn(name, scores) if name == measure else BoardColumn(name)
        for name in dict.fromkeys((EXAM, N_EXAM, measure))
    ]
