"""Who retired the questions that are retired now, when, and for what reason.

A reason may be given after the fact. It belongs to the event that retired the
question and changes nothing that anyone edits: no revision, no clock, no new event.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from curator.bank.wording import clean_reason
from curator.errors import EditError, UnknownNameError
from curator.store import bank as store_bank

RETIRES = (
    "json_extract(after, '$.state') = 'retired' "
    "AND coalesce(json_extract(before, '$.state'), '') <> 'retired'"
)
"""Whether an event retired its question, be it by undoing or redoing another."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """What retired a question that is retired now."""

    by: str
    at: str  # ISO 8601, UTC
    reason: str | None


def read_retirements(
    connection: sqlite3.Connection, query_id: str
) -> dict[str, Retirement]:
    """Retirement by question id, for the query's questions that are retired now."""
    rows = connection.execute(
        "SELECT question.question_id, by, at, reason FROM question "
        "JOIN event ON event_id = (SELECT max(event_id) FROM event "
        f"WHERE event.question_id = question.question_id AND {RETIRES}) "
        "JOIN batch USING (batch_id) WHERE question.query_id = ? "
        "AND state = 'retired' ORDER BY question.number",
        (query_id,),
    )
    return {question_id: Retirement(*row) for question_id, *row in rows}


def last_reason(connection: sqlite3.Connection, question_id: str) -> str | None:
    """The reason of the question's latest retirement, whether or not it still stands.

    What retires the question again without a judge's words, a redo or the undo of a
    restoration, retires it for that reason.
    """
    row = connection.execute(
        f"SELECT reason FROM event WHERE question_id = ? AND {RETIRES} "
        "ORDER BY event_id DESC LIMIT 1",
        (question_id,),
    ).fetchone()
    return None if row is None else row[0]


def explain(
    connection: sqlite3.Connection, question_id: str, reason: str, *, by: str
) -> None:
    """Set the reason on my standing retirement of a question; an empty one clears it.

    Call within a write transaction. Raises EditError where the latest that happened
    to the question is not its retirement by me.
    """
    question = store_bank.read_question(connection, question_id)
    if question is None:
        raise UnknownNameError(f"No question '{question_id}' in this workspace.")
    if question.state != "retired":
        raise EditError(
            f"'{question.title}' is not retired, so there is nothing to explain."
        )
    event_id, who, retires = connection.execute(
        f"SELECT event_id, by, {RETIRES} FROM event JOIN batch USING (batch_id) "
        "WHERE question_id = ? ORDER BY event_id DESC LIMIT 1",
        (question_id,),
    ).fetchone()
    if not retires:
        raise EditError(
            f"'{question.title}' was changed after it was retired; a reason belongs to "
            "a retirement that still stands as it was."
        )
    if who != by:
        raise EditError(
            f"'{question.title}' was retired by {who}; only they can say why."
        )
    connection.execute(
        "UPDATE event SET reason = ? WHERE event_id = ?",
        (clean_reason(reason), event_id),
    )
