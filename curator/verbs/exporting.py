"""``export``: the bank, qrels, graded passages or a board, written to a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from curator.boards import Boards
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.correlation import Correlation
from curator.evaluation.correlation import correlate as correlate_boards
from curator.evaluation.labels import NO_LABEL, binary_labels, graded_labels
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.exchange.autograder_bank_export import write_bank
from curator.exchange.autograder_grades_export import write_graded
from curator.exchange.leaderboard_tsv import (
    OVERALL,
    LeaderboardCorrelation,
    LeaderboardRow,
    write_leaderboard,
)
from curator.exchange.output_files import output_file
from curator.exchange.trec_qrels import write_qrels
from curator.store.connection import snapshot
from curator.store.export import graded_queries, read_extras
from curator.verbs.scoring import board

KINDS = ("bank", "qrels", "autograder", "leaderboard")


@dataclass(frozen=True)
class ExportSummary:
    """What was written where, and what a reader should know of it."""

    kind: str
    target: Path
    written: int
    what: str
    notices: tuple[str, ...] = ()


def export(
    connection: sqlite3.Connection,
    boards: Boards,
    kind: str,
    target: Path,
    settings: Settings | None,
    *,
    binary: bool = False,
    allow_partial: bool = False,
) -> ExportSummary:
    """Write one of KINDS whole or not at all; ``settings`` for qrels and boards.

    Raises EvaluationError for qrels or a board that rest on missing grades, unless
    ``allow_partial``.
    """
    if kind == "bank":
        return _export_bank(connection, boards, target)
    if kind == "autograder":
        return _export_autograder(connection, boards, target)
    if settings is None:
        raise EvaluationError(f"Exporting {kind} needs a grader.")
    if kind == "qrels":
        return _export_qrels(boards, target, settings, binary, allow_partial)
    if kind == "leaderboard":
        return _export_leaderboard(boards, target, settings, allow_partial)
    raise UnknownNameError(f"Cannot export '{kind}'. Available: {', '.join(KINDS)}.")


def _export_bank(
    connection: sqlite3.Connection, boards: Boards, target: Path
) -> ExportSummary:
    questions = list(boards.bank)
    with output_file(target) as stream:
        write_bank(
            stream,
            boards.collection.queries,
            questions,
            extras=read_extras(connection),
            test_collection=boards.collection.title,
        )
    kept = sum(question.state == "kept" for question in questions)
    left = len(questions) - kept
    notices = (f"{left} retired or proposed items are left out.",) if left else ()
    return ExportSummary("bank", target, kept, "kept items", notices)


def _export_autograder(
    connection: sqlite3.Connection, boards: Boards, target: Path
) -> ExportSummary:
    # One state of the file from the first query to the last, whoever saves meanwhile.
    with output_file(target) as stream, snapshot(connection):
        write_graded(stream, graded_queries(connection, boards.collection.queries))
    queries = len(boards.collection.queries)
    return ExportSummary("autograder", target, queries, "queries with their passages")


def _export_qrels(
    boards: Boards, target: Path, settings: Settings, binary: bool, partial: bool
) -> ExportSummary:
    sheets = boards.sheets(settings.grader, boards.bank, boards.query_ids())
    _refuse_partial(
        sum(s.known for s in sheets.values()),
        sum(s.needed for s in sheets.values()),
        partial,
    )
    threshold = boards.threshold(settings)
    labels = {}
    for query_id, sheet in sheets.items():
        values = (
            binary_labels(sheet.graded, threshold)
            if binary
            else graded_labels(sheet.graded)
        )
        for passage_id, label in zip(
            sheet.graded.pool.passage_ids, values.tolist(), strict=True
        ):
            if label != NO_LABEL:
                labels[query_id, passage_id] = label
    with output_file(target) as stream:
        write_qrels(stream, labels)
    left = len(boards.collection.queries) - len(sheets)
    notices = [f"{left} queries without a kept item are left out."] if left else []
    missing = sum(s.needed - s.known for s in sheets.values())
    if missing:
        notices.append(f"{missing:,} grades are missing; labels rest on the others.")
    return ExportSummary("qrels", target, len(labels), "labels", tuple(notices))


def _export_leaderboard(
    boards: Boards, target: Path, settings: Settings, partial: bool
) -> ExportSummary:
    standings = board(boards, settings)
    _refuse_partial(standings.known, standings.needed, partial)
    with output_file(target) as stream:
        write_leaderboard(
            stream,
            leaderboard_rows(standings, boards.collection.official),
            correlations=correlation_rows(standings, boards.collection.official),
        )
    return ExportSummary(
        "leaderboard", target, len(standings.standings), "systems", standings.notes
    )


def leaderboard_rows(
    standings: Leaderboard, official: Mapping[str, float]
) -> list[LeaderboardRow]:
    """The board as the TSV lays it out, the whole pool first where it has a score."""
    rows = [
        LeaderboardRow(
            one.system, one.score, one.stderr, official_rank=official.get(one.system)
        )
        for one in standings.standings
    ]
    if standings.overall is not None:
        rows.insert(0, LeaderboardRow(OVERALL, standings.overall))
    return rows


def correlation_rows(
    standings: Leaderboard, official: Mapping[str, float]
) -> list[LeaderboardCorrelation]:
    """Spearman and Kendall with the official board; none without one."""
    if not official or not standings.standings:
        return []
    found: Correlation = correlate_boards(
        standings.scores(), official, reference_is="ranks"
    )
    return [
        LeaderboardCorrelation("spearman", found.spearman),
        LeaderboardCorrelation("kendall", found.kendall),
    ]


def _refuse_partial(known: int, needed: int, partial: bool) -> None:
    if known < needed and not partial:
        raise EvaluationError(
            f"{needed - known} of {needed} grades are missing, so this would not be "
            "the whole truth. Grade first, or say --allow-partial."
        )
