"""``edit``, ``undo`` and ``redo``: changes to the bank, each in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from curator.bank.edits import Edit
from curator.errors import EditError
from curator.store import history
from curator.store import undo as store_undo
from curator.store.connection import exclusive
from curator.store.history import Batch

__all__ = ["Batch", "apply", "redo", "undo"]


def apply(
    connection: sqlite3.Connection,
    edits: Sequence[Edit],
    *,
    by: str,
    shown: str | None = None,
) -> Batch:
    """Make the edits as one batch, all or none."""
    if not edits:
        raise EditError("Nothing to change: no edit was given.")
    with exclusive(connection):
        return history.apply(connection, edits, by=by, shown=shown)


def undo(
    connection: sqlite3.Connection,
    *,
    by: str,
    query_id: str | None = None,
    event: int | None = None,
) -> Batch:
    """Take back my latest batch (in this query), or the batch of an event."""
    with exclusive(connection):
        return store_undo.undo(connection, by=by, query_id=query_id, event=event)


def redo(
    connection: sqlite3.Connection, *, by: str, query_id: str | None = None
) -> Batch:
    """Make again what my latest undo (in this query) took back."""
    with exclusive(connection):
        return store_undo.redo(connection, by=by, query_id=query_id)
