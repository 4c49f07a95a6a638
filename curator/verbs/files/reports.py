"""Exports of what came from whole texts: generated reports, and TQA's lessons."""

from __future__ import annotations

import sqlite3

from curator.errors import EvaluationError
from curator.formats.reports import write_reports
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.formats.tqa import FORMAT, LESSON, write_lessons
from curator.store.collection import passages_with_text
from curator.store.connection import snapshot
from curator.store.counts import counts
from curator.store.export import read_extras
from curator.store.imports.reports import read_report_lines, report_stems
from curator.verbs.files.export_request import (
    ExportOrder,
    ExportSummary,
    left_out,
    refuse_blind,
)
from curator.verbs.files.losses import lost


def export_reports(order: ExportOrder) -> ExportSummary:
    """The lines of all generated reports, as they came in and in that order."""
    refuse_blind(order)
    connection = order.state.connection
    with snapshot(connection):
        lines = read_report_lines(connection)
        missing = [
            *_others(connection, len(lines)),
            *lost(order.state, "reports"),
        ]
    if not lines:
        raise EvaluationError(
            "No generated reports came into this workspace; `curator import WORKSPACE "
            "--reports FILE` reads some."
        )
    with output_file(order.target) as stream:
        written = write_reports(stream, lines.values())
    what = "generated reports"
    return ExportSummary("reports", order.target, written, what, (), tuple(missing))


def _others(connection: sqlite3.Connection, reports: int) -> list[str]:
    """Rankings and texts that came from no report, where there are some."""
    stems = report_stems(connection)
    rankings = counts(connection)["rankings"] - reports
    texts = sum(
        has_text and passage_id.rpartition("/")[0] not in stems
        for passage_id, has_text in passages_with_text(connection).items()
    )
    of = (("ranking", rankings), ("passage text", texts))
    return [f"{counted(n, what)} of no report" for what, n in of if n]


def export_tqa(order: ExportOrder) -> ExportSummary:
    """The lessons that came in, with their questions as they are now."""
    state, connection = order.state, order.state.connection
    with snapshot(connection):
        extras = read_extras(connection)
        missing = lost(state, "tqa")
    lessons = [
        (query.query_id, text, state.bank.of_query(query.query_id))
        for query in state.collection.queries
        if (text := extras.get((LESSON, query.query_id, FORMAT))) is not None
    ]
    if not lessons:
        raise EvaluationError(
            "No TQA lessons came into this workspace; `curator import WORKSPACE --bank "
            "FILE` reads some, and `--bank` writes any bank."
        )
    with output_file(order.target) as stream:
        written = write_lessons(stream, lessons)
    others = len(state.collection.queries) - len(lessons)
    words = "query that came", "queries that came"
    notices = (left_out(others, *(f"{one} from no TQA file" for one in words)),)
    return ExportSummary(
        "tqa",
        order.target,
        written,
        "questions of TQA lessons",
        notices if others else (),
        missing,
    )
