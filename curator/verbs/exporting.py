"""``export``: bank, qrels, graded passages, a board, known answers; each to a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from curator.boards import Boards
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.labels import NO_LABEL, binary_labels, graded_labels
from curator.evaluation.settings import Settings
from curator.exchange.answer_selection import write_answers
from curator.exchange.autograder_bank_export import write_bank
from curator.exchange.autograder_grades_export import write_graded
from curator.exchange.leaderboard_tsv import write_leaderboard
from curator.exchange.notices import counted
from curator.exchange.output_files import output_file
from curator.exchange.trec_qrels import write_qrels
from curator.store.connection import snapshot
from curator.store.export import graded_queries, read_extras
from curator.verbs.board_columns import (
    board_columns,
    correlation_rows,
    extra_measure,
    leaderboard_rows,
)
from curator.verbs.known_answers import known_answers
from curator.verbs.provenance import with_provenance

KINDS = ("bank", "qrels", "autograder", "leaderboard", "answers")


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
    closed: Collection[str] = (),
) -> ExportSummary:
    """Write one of KINDS whole or not at all; ``settings`` for qrels and boards.

    ``closed`` are queries whose proposals are hidden from whoever exports.

    Raises EvaluationError for qrels or a board that rest on missing grades, unless
    ``allow_partial``.
    """
    if kind == "bank":
        return _export_bank(connection, boards, target, closed)
    if kind == "autograder":
        return _export_autograder(connection, boards, target)
    if kind == "answers":
        return _export_answers(boards, target)
    if settings is None:
        raise EvaluationError(f"Exporting {kind} needs a grader.")
    if kind == "qrels":
        return _export_qrels(boards, target, settings, binary, allow_partial)
    if kind == "leaderboard":
        return _export_leaderboard(boards, target, settings, allow_partial)
    raise UnknownNameError(f"Cannot export '{kind}'. Available: {', '.join(KINDS)}.")


def _export_bank(
    connection: sqlite3.Connection,
    boards: Boards,
    target: Path,
    closed: Collection[str],
) -> ExportSummary:
    questions = with_provenance(connection, boards.bank, closed=closed)
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
    notices = (_left_out(left, "retired or proposed item"),) if left else ()
    return ExportSummary("bank", target, kept, "kept items", notices)


def _export_autograder(
    connection: sqlite3.Connection, boards: Boards, target: Path
) -> ExportSummary:
    # One state of the file from the first query to the last, whoever saves meanwhile.
    with output_file(target) as stream, snapshot(connection):
        write_graded(stream, graded_queries(connection, boards.collection.queries))
    queries = len(boards.collection.queries)
    return ExportSummary("autograder", target, queries, "queries with their passages")


def _export_answers(boards: Boards, target: Path) -> ExportSummary:
    known = known_answers(boards.bank)
    write_answers(target, (one.selection() for one in known))
    answers = sum(len(one.correct) + len(one.incorrect) for one in known)
    kept = sum(question.state == "kept" for question in boards.bank)
    notices = (
        [
            _left_out(
                kept - len(known),
                "kept item without a known answer",
                "kept items without a known answer",
            )
        ]
        if len(known) < kept
        else []
    )
    return ExportSummary("answers", target, answers, "known answers", tuple(notices))


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
    notices = []
    if left:
        queries = "query without a kept item", "queries without a kept item"
        notices.append(_left_out(left, *queries))
    missing = sum(s.needed - s.known for s in sheets.values())
    if missing:
        notices.append(f"{_missing(missing)}; labels rest on the others.")
    return ExportSummary("qrels", target, len(labels), "labels", tuple(notices))


def _export_leaderboard(
    boards: Boards, target: Path, settings: Settings, partial: bool
) -> ExportSummary:
    columns = board_columns(boards, settings, partial=partial)
    standings = columns.asked
    for one in (standings, columns.exam):
        _refuse_partial(one.known, one.needed, partial)
    official = boards.collection.official
    with output_file(target) as stream:
        write_leaderboard(
            stream,
            leaderboard_rows(columns, official),
            correlations=correlation_rows(columns, official),
            extra=[extra_measure(one, official) for one in columns.extra],
        )
    return ExportSummary(
        "leaderboard",
        target,
        len(standings.standings),
        "systems",
        tuple(dict.fromkeys((*standings.notes, *columns.notes))),
    )


def _refuse_partial(known: int, needed: int, partial: bool) -> None:
    if known < needed and not partial:
        raise EvaluationError(
            f"{_missing(needed - known, needed)}, so this would not be "
            "the whole truth. Grade first, or say --allow-partial."
        )


def _left_out(number: int, noun: str, plural: str | None = None) -> str:
    be = "is" if number == 1 else "are"
    return f"{counted(number, noun, plural)} {be} left out."


def _missing(number: int, needed: int | None = None) -> str:
    """``1 grade is missing``, ``2 of 30 grades are missing``."""
    be = "is" if number == 1 else "are"
    if needed is None:
        return f"{counted(number, 'grade')} {be} missing"
    return f"{number:,} of {counted(needed, 'grade')} {be} missing"
