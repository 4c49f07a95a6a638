"""Why questions are retired: who said what, and saying it after the fact."""

from __future__ import annotations

import sqlite3

from curator.store import retirements as store_retirements
from curator.store.connection import exclusive
from curator.store.retirements import Retirement

__all__ = ["Retirement", "explain", "retirements"]


def explain(
    connection: sqlite3.Connection, question_id: str, reason: str, *, by: str
) -> None:
    """Set the reason on my standing retirement of this question."""
    with exclusive(connection):
        store_retirements.explain(connection, question_id, reason, by=by)


def retirements(connection: sqlite3.Connection, query_id: str) -> dict[str, Retirement]:
    """Retirement by question id, for the query's questions that are retired now."""
    return store_retirements.read_retirements(connection, query_id)
