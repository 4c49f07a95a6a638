"""``edit``, ``undo`` and ``redo``: changes to the bank, each in one transaction.

A page that had no answer sends its save again under the same nonce; what that nonce
saved is then the answer, and nothing is saved twice.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from curator.bank.edits import Edit
from curator.errors import EditError
from curator.store import edits as store_edits
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
    nonce: str | None = None,
    seconds: float | None = None,
) -> Batch:
    """Make the edits as one batch, all or none."""
    if not edits:
        raise EditError("Nothing to change: no edit was given.")
    return _saved_once(
        connection,
        nonce,
        lambda: store_edits.apply(
            connection, edits, by=by, shown=shown, nonce=nonce, seconds=seconds
        ),
    )


def undo(
    connection: sqlite3.Connection,
    *,
    by: str,
    query_id: str | None = None,
    event: int | None = None,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Take back my latest batch (in this query), or the batch of an event."""
    return _saved_once(
        connection,
        nonce,
        lambda: store_undo.undo(
            connection, by=by, query_id=query_id, event=event, shown=shown, nonce=nonce
        ),
    )


def redo(
    connection: sqlite3.Connection,
    *,
    by: str,
    query_id: str | None = None,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Make again what my latest undo (in this query) took back."""
    return _saved_once(
        connection,
        nonce,
        lambda: store_undo.redo(
            connection, by=by, query_id=query_id, shown=shown, nonce=nonce
        ),
    )


def _saved_once(
    connection: sqlite3.Connection, nonce: str | None, save: Callable[[], Batch]
) -> Batch:
    """What ``save`` saves, or what this nonce saved before."""
    with exclusive(connection):
        saved = None if nonce is None else history.batch_of_nonce(connection, nonce)
        return saved or save()
