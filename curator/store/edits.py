"""Saving edits: what they speak of is read under the write lock, then changed.

The edits say themselves what they change; the history remembers it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from curator.bank.edits import Edit, apply_edits
from curator.bank.questions import Bank, Question
from curator.errors import StaleEditError, UnknownNameError
from curator.store import bank as store_bank
from curator.store.history import Batch, record


def apply(
    connection: sqlite3.Connection,
    edits: Sequence[Edit],
    *,
    by: str,
    shown: str | None = None,
    nonce: str | None = None,
    seconds: float | None = None,
) -> Batch:
    """Make the edits as one batch. Call within a write transaction.

    ``seconds`` is how long the judge looked before, None where nobody measured it.
    """
    bank = _bank_for(connection, edits)
    try:
        _, changes = apply_edits(bank, edits, judge=by)
    except StaleEditError as error:
        raise _with_history(connection, error, edits) from None
    return record(
        connection,
        changes,
        by=by,
        kind="edit",
        shown=shown,
        nonce=nonce,
        seconds=seconds,
    )


def _bank_for(connection: sqlite3.Connection, edits: Sequence[Edit]) -> Bank:
    """The part of the bank the edits speak of, read under the write lock."""
    query_ids: dict[str, None] = {}
    for edit in edits:
        query_id = getattr(edit, "query_id", None)
        if query_id is None:
            question_id = getattr(edit, "question_id", "")
            row = connection.execute(
                "SELECT query_id FROM question WHERE question_id = ?", (question_id,)
            ).fetchone()
            if row is None:
                continue  # added by this very batch, or refused where it is looked up
            query_id = row[0]
        elif not connection.execute(
            "SELECT 1 FROM query WHERE query_id = ?", (query_id,)
        ).fetchone():
            raise UnknownNameError(
                f"No query '{query_id}' in this workspace. "
                "`curator questions WORKSPACE` lists queries and their questions."
            )
        query_ids[query_id] = None
        _refuse_unknown_subtopic(connection, query_id, edit)
        # Their questions' ids can meet: those of "a" with subtopic "b", and of "a/b".
        query_ids.update(
            dict(
                connection.execute(
                    "SELECT query_id, NULL FROM query "
                    "WHERE substr(query_id, 1, length(:id) + 1) = :id || '/' "
                    "OR substr(:id, 1, length(query_id) + 1) = query_id || '/'",
                    {"id": query_id},
                )
            )
        )
    return store_bank.read_queries(connection, Bank(), query_ids)


def _refuse_unknown_subtopic(
    connection: sqlite3.Connection, query_id: str, edit: Edit
) -> None:
    subtopic_id = getattr(edit, "subtopic_id", None)
    known = [
        found
        for (found,) in connection.execute(
            "SELECT subtopic_id FROM subtopic WHERE query_id = ? ORDER BY position",
            (query_id,),
        )
    ]
    if subtopic_id is not None and subtopic_id not in known:
        raise UnknownNameError(
            f"Query '{query_id}' has no subtopic '{subtopic_id}'. It has: "
            f"{', '.join(known) or 'none'}."
        )


def _with_history(
    connection: sqlite3.Connection, error: StaleEditError, edits: Sequence[Edit]
) -> StaleEditError:
    """The error with what only the history knows: who saved, and the text before."""
    based_on = next(
        (
            getattr(edit, "based_on", None)
            for edit in edits
            if getattr(edit, "question_id", None) == error.question_id
        ),
        None,
    )
    base: Question | None = None
    by: str | None = None
    for row in connection.execute(
        "SELECT before, after, by FROM event JOIN batch USING (batch_id) "
        "WHERE question_id = ? ORDER BY event_id",
        (error.question_id,),
    ):
        for stored in row[:2]:
            question = store_bank.question_from_json(stored)
            if question is not None and question.revision == based_on:
                base = question
        by = row[2]
    return StaleEditError(
        str(error),
        question_id=error.question_id,
        mine=error.mine,
        theirs=error.theirs,
        base=None if base is None else base.text,
        theirs_revision=error.theirs_revision,
        theirs_by=by,
    )
