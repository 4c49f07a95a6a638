"""Counters that say what changed, bumped in the transaction that changes it.

``collection``; ``bank/<query>``; ``grades/<grader id>/<query>``. A reader that
remembers their values reloads only what moved.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

COLLECTION = "collection"
BANK = "bank"
GRADES = "grades"


def bank(query_id: str) -> str:
    """The scope of a query's questions and done marks."""
    return f"{BANK}/{query_id}"


def grades(grader_id: int, query_id: str) -> str:
    """The scope of a grader's ratings in a query."""
    return f"{GRADES}/{grader_id}/{query_id}"


def bump(connection: sqlite3.Connection, scopes: Iterable[str]) -> None:
    """Advance each of the scopes by one."""
    connection.executemany(
        "INSERT INTO clock VALUES (?, 1) "
        "ON CONFLICT (scope) DO UPDATE SET value = value + 1",
        [(scope,) for scope in dict.fromkeys(scopes)],
    )


def read(connection: sqlite3.Connection) -> dict[str, int]:
    """Every clock's value by scope."""
    return dict(connection.execute("SELECT scope, value FROM clock"))
