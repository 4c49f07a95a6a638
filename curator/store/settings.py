"""The settings of the collection: title, guidelines, blind mode, threshold.

The value of ``blind`` is the secret from which the masks of system names are made; it
is there as long as blind mode is on.
"""

from __future__ import annotations

import sqlite3
from typing import Literal

from curator.store import versions

Key = Literal[
    "title", "min_relevance", "guidelines", "blind", "human_first", "generation"
]


def read_settings(connection: sqlite3.Connection) -> dict[str, str]:
    """Value by key, for the settings somebody has made."""
    return dict(connection.execute("SELECT key, value FROM setting"))


def write_setting(connection: sqlite3.Connection, key: Key, value: str) -> bool:
    """Keep a setting, or take it away with ""; whether that changed anything."""
    if value:
        cursor = connection.execute(
            "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE "
            "SET value = excluded.value WHERE value <> excluded.value",
            (key, value),
        )
    else:
        cursor = connection.execute("DELETE FROM setting WHERE key = ?", (key,))
    if cursor.rowcount:
        versions.bump(connection, [versions.COLLECTION])
    return bool(cursor.rowcount)
