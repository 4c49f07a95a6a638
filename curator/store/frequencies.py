"""How often words stand in the collection, as the graders found it that weigh them."""

from __future__ import annotations

import json
from sqlite3 import Connection

from curator.store.connection import column
from grading.frequencies import NO_TEXTS, Frequencies


def counted_frequencies(connection: Connection) -> Frequencies:
    """Those of the texts that passages have now."""
    return Frequencies.of(
        column(
            connection,
            "SELECT body FROM text WHERE text_id IN (SELECT text_id FROM passage) "
            "ORDER BY text_id",
        )
    )


def write_frequencies(connection: Connection, found: Frequencies) -> None:
    """Store them under their key, once."""
    connection.execute(
        "INSERT OR IGNORE INTO frequencies (sha256, texts, by_stem) VALUES (?, ?, ?)",
        (found.key, found.texts, json.dumps(found.by_stem, separators=(",", ":"))),
    )


def read_frequencies(connection: Connection, key: str) -> Frequencies:
    """Those of this key; of no texts where there are none, as for the key ""."""
    select = "SELECT texts, by_stem FROM frequencies WHERE sha256 = ?"
    found = connection.execute(select, (key,)).fetchone()
    return NO_TEXTS if found is None else Frequencies(found[0], json.loads(found[1]))
