"""Exports of banks and grades: Autograder's bank and graded passages, known answers."""

from __future__ import annotations

from curator.exchange.answer_selection import write_answers
from curator.exchange.autograder_bank_export import write_bank
from curator.exchange.autograder_grades_export import write_graded
from curator.exchange.output_files import output_file
from curator.store.connection import snapshot
from curator.store.export import graded_queries, read_extras
from curator.verbs.export_orders import ExportOrder, ExportSummary, left_out
from curator.verbs.known_answers import known_answers
from curator.verbs.provenance import with_provenance


def export_bank(order: ExportOrder) -> ExportSummary:
    """The kept questions in Autograder's newest form."""
    boards = order.boards
    questions = with_provenance(order.connection, boards.bank, closed=order.closed)
    with output_file(order.target) as stream:
        write_bank(
            stream,
            boards.collection.queries,
            questions,
            extras=read_extras(order.connection),
            test_collection=boards.collection.title,
        )
    kept = sum(question.state == "kept" for question in questions)
    left = len(questions) - kept
    notices = (left_out(left, "retired or proposed item"),) if left else ()
    return ExportSummary("bank", order.target, kept, "kept items", notices)


def export_autograder(order: ExportOrder) -> ExportSummary:
    """Every query with its passages, judgments, ranks and grades."""
    connection, queries = order.connection, order.boards.collection.queries
    # One state of the file from the first query to the last, whoever saves meanwhile.
    with output_file(order.target) as stream, snapshot(connection):
        write_graded(stream, graded_queries(connection, queries))
    what = "queries with their passages"
    return ExportSummary("autograder", order.target, len(queries), what)


def export_answers(order: ExportOrder) -> ExportSummary:
    """The answers known to be right or wrong, in WikiQA's form."""
    bank = order.boards.bank
    known = known_answers(bank)
    write_answers(order.target, (one.selection() for one in known))
    answers = sum(len(one.correct) + len(one.incorrect) for one in known)
    kept = sum(question.state == "kept" for question in bank)
    notices = (
        [
            left_out(
                kept - len(known),
                "kept item without a known answer",
                "kept items without a known answer",
            )
        ]
        if len(known) < kept
        else []
    )
    what = "known answers"
    return ExportSummary("answers", order.target, answers, what, tuple(notices))
