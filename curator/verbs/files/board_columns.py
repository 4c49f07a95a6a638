"""The columns of an exported leaderboard.

EXAM and n-EXAM have fixed columns; any other measure requested follows them. With gold
articles, the ROUGE-1 F1 of Sander & Dietz 2021, Table 4, is added next to EXAM.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from curator.evaluation.correlation import correlate
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import uses_k
from curator.evaluation.releases import Release
from curator.evaluation.settings import DEFAULT_K, Settings
from curator.formats.text.notices import missing_grades
from curator.formats.trec.leaderboard_tsv import GOLD, OVERALL, BoardColumn
from curator.snapshot.scoring import board
from curator.snapshot.snapshot import Snapshot

EXAM, N_EXAM = "cover", "n-exam"  # EXAM is Cover
GOLD_ROUGE = "rouge-1-f1(joined,gold)"
CORRELATIONS = ("spearman", "kendall")


def board_columns(
    snapshot: Snapshot, settings: Settings, *, partial: bool = False
) -> tuple[Leaderboard, list[BoardColumn], list[str]]:
    """Return the requested board, the columns of its export, and notes on these.

    EXAM's and n-EXAM's columns come first, empty where they are undefined. A column
    that was not requested is left out, with a note, where it is undefined or its grades
    are incomplete, unless ``partial``.
    """
    if settings.measure == "exam":  # another name of Cover
        settings = replace(settings, measure=EXAM)
    requested, official = board(snapshot, settings), snapshot.collection.official
    if not requested.standings:  # its notes say why
        exam = requested if settings.measure == EXAM else None
        return requested, [_column(EXAM, exam, official), BoardColumn(N_EXAM)], []
    is_exam = settings.measure in (EXAM, N_EXAM)
    boards, notes = {settings.measure: requested}, list[str]()
    gold = is_exam and any(pool.gold for pool in snapshot.collection.pools.values())
    for name in (EXAM, N_EXAM) if gold else (EXAM,):
        if name != settings.measure and settings.grader:
            extra = _exam_board(snapshot, replace(settings, measure=name))
            missing = extra.needed - extra.known
            if missing and not partial:
                note = f"{missing_grades(missing)}, so it is left out."
                extra = replace(extra, standings=(), notes=(note,))
            if extra.standings:
                boards[name] = extra
            notes += _notes(extra)
    if EXAM in boards and not uses_k(settings.measure) and settings.k != DEFAULT_K:
        notes.append(
            f"exam is Cover of the first {settings.k} passages, the depth of "
            f"{settings.measure}."
        )
    if gold:
        extra = board(snapshot, replace(settings, measure=GOLD_ROUGE))
        notes += _notes(extra)
        if extra.standings:
            boards[GOLD_ROUGE] = extra
    if requested.known < requested.needed:
        missing = requested.needed - requested.known
        notes.append(f"{missing_grades(missing, requested.needed)}.")
    names = dict.fromkeys((EXAM, N_EXAM, *boards))
    columns = [_column(name, boards.get(name), official) for name in names]
    if N_EXAM in boards:
        columns[:2] = [
            _with_gold(columns[0], boards[N_EXAM].gold_exam),
            _with_gold(columns[1], 1.0),
        ]
    return requested, columns, notes


def _with_gold(column: BoardColumn, score: float | None) -> BoardColumn:
    """Add the gold articles' own score, a line of Sander & Dietz 2021, Table 4."""
    return replace(column, scores={GOLD: (score, None), **column.scores})


def _exam_board(snapshot: Snapshot, settings: Settings) -> Leaderboard:
    if snapshot.grader(settings.grader).spec.reading.item_kind == "query":
        reason = "is undefined for a direct relevance grader, so it is left out."
        return Leaderboard(settings, 0, 0, 0, (), (f"{settings.measure} {reason}",))
    return board(snapshot, settings)


def _notes(leaderboard: Leaderboard) -> list[str]:
    measure = leaderboard.settings.measure
    return [
        note if note.lower().startswith(measure.lower()) else f"{measure}: {note}"
        for note in leaderboard.notes
    ]


def _column(
    name: str, leaderboard: Leaderboard | None, official: Mapping[str, float]
) -> BoardColumn:
    """The board's scores and correlations; for EXAM also the whole pool's score."""
    if leaderboard is None:
        return BoardColumn(name)
    scores: dict[str, tuple[float | None, float | None]] = {}
    if name == EXAM and leaderboard.overall is not None:
        scores[OVERALL] = leaderboard.overall, None
    scores |= {row.system: (row.score, row.stderr) for row in leaderboard.standings}
    if not official or not leaderboard.standings:
        return BoardColumn(name, scores)
    correlation = correlate(leaderboard.scores(), official, reference_is="ranks")
    return BoardColumn(
        name, scores, {kind: getattr(correlation, kind) for kind in CORRELATIONS}
    )


def released_columns(frozen: Release) -> list[BoardColumn]:
    """The columns of a release's board, without values that may change later."""
    measure = frozen.settings.measure
    scores = {row.system: (row.score, row.stderr) for row in frozen.board}
    return [
        BoardColumn(name, scores) if name == measure else BoardColumn(name)
        for name in dict.fromkeys((EXAM, N_EXAM, measure))
    ]
