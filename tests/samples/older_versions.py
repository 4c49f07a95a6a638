"""Workspaces as older versions wrote them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from curator.store.migrations import migrate

FOLDER = Path(__file__).parents[1] / "store"


def older_workspace(folder: Path, schema: int) -> Path:
    """Write a workspace of schema 31 or 32 with every kind of mark.

    The version with schema 31 wrote ``schema_31.sql``; that with schema 32 opened it
    and wrote the rows of ``schema_32.sql``, norming rounds with answers and comments.
    """
    path = folder / "older.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript((FOLDER / "schema_31.sql").read_text("utf-8"))
        if schema == 32:
            select = "SELECT sql FROM sqlite_schema WHERE name IN (?, ?, 'digest')"
            names = "norming_answer", "norming_comment"
            norming = connection.execute(select, names).fetchall()
            migrate(connection)
            for (statement,) in norming:
                connection.execute(statement)
            connection.execute("PRAGMA user_version = 32")
            connection.executescript((FOLDER / "schema_32.sql").read_text("utf-8"))
    return path
