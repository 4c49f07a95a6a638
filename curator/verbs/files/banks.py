"""Exports of banks and grades: Autograder's bank and graded passages, known answers."""

from __future__ import annotations

from collections.abc import Collection

from curator.formats.answer_selection import write_answers
from curator.formats.autograder.bank_export import write_bank
from curator.formats.autograder.grades import FORMAT
from curator.formats.autograder.grades_export import write_graded
from curator.formats.autograder.paragraphs import STATED_TITLE
from curator.formats.text.output_files import output_file
from curator.formats.text.spreadsheets import is_csv, question_rows, write_csv
from curator.store.connection import snapshot
from curator.store.export import (
    empty_rankings,
    graded_queries,
    judgments,
    read_extras,
    ungraded_items,
)
from curator.verbs.answers.extracted import known_questions
from curator.verbs.files.collections import without_passages
from curator.verbs.files.export_request import (
    ExportOrder,
    ExportSummary,
    left_out,
    refuse_blind,
)
from curator.verbs.files.losses import lost
from curator.verbs.files.provenance import with_provenance


def export_bank(order: ExportOrder) -> ExportSummary:
    """The kept questions in Autograder's newest form, or as a table where the name of
    the file ends in .csv.
    """
    state = order.state
    if is_csv(order.target):
        return _bank_table(order)
    questions = with_provenance(
        order.state.connection, state.bank, closed=order.state.viewer.closed
    )
    with output_file(order.target) as stream:
        write_bank(
            stream,
            state.collection.queries,
            questions,
            extras=read_extras(order.state.connection),
            test_collection=state.collection.title,
        )
    kept = sum(question.state == "kept" for question in questions)
    return ExportSummary(
        "bank", order.target, kept, "kept items", lost=_lost(order, "bank")
    )


def _bank_table(order: ExportOrder) -> ExportSummary:
    """The kept questions, a row each."""
    state = order.state
    kept = [question for question in state.bank if question.state == "kept"]
    with output_file(order.target) as stream:
        write_csv(stream, question_rows(state.collection.queries, kept))
    return ExportSummary(
        "bank", order.target, len(kept), "kept items", lost=_lost(order, "bank.csv")
    )


def export_autograder(order: ExportOrder) -> ExportSummary:
    """Every query with its passages, judgments, ranks and grades."""
    refuse_blind(order)
    connection, queries = order.state.connection, order.state.collection.queries
    # One state of the file from the first query to the last, whoever saves meanwhile.
    with output_file(order.target) as stream, snapshot(connection):
        write_graded(stream, graded_queries(connection, queries))
        besides = ("query texts",) if _titles_are_stated(order) else ()
        lost_ones = _lost(order, "autograder", besides)
        ungraded = ungraded_items(connection)
        notices = without_passages(empty_rankings(connection))
    if ungraded:
        words = "kept item without a grade", "kept items without a grade"
        notices.append(left_out(ungraded, *words))
    return ExportSummary(
        "autograder",
        order.target,
        len(queries),
        "queries with their passages",
        tuple(notices),
        lost=lost_ones,
    )


def _titles_are_stated(order: ExportOrder) -> bool:
    """Whether a judgment states each query's title as it is here."""
    extras = read_extras(order.state.connection)
    judged = {query_id for query_id, _ in judgments(order.state.connection)}
    for query in order.state.collection.queries:
        other = (STATED_TITLE, query.query_id, FORMAT) in extras
        if query.title is not None and (other or query.query_id not in judged):
            return False
    return True


def export_answers(order: ExportOrder) -> ExportSummary:
    """The answers known to be right or wrong, in WikiQA's form."""
    bank = order.state.bank
    known = known_questions(bank)
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
    return ExportSummary(
        "answers",
        order.target,
        answers,
        "known answers",
        tuple(notices),
        lost=_lost(order, "answers"),
    )


def _lost(
    order: ExportOrder, kind: str, besides: Collection[str] = ()
) -> tuple[str, ...]:
    return lost(order.state, kind, besides=besides)
