"""Digests of the file's rows, updated in the transaction that changes them.

A digest covers a portion: a query's questions, a model's responses to an item, a text's
vectors. It is the exclusive or of a hash of each row, so that the cost of an update
depends on the changed rows only: their old hashes are taken out, the new ones put in. A
row that another program changed, deleted or added does not match the digest.
"""

from __future__ import annotations

import marshal
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any

from curator.store.connection import column

Connection = sqlite3.Connection

TABLES_WITHOUT_DIGESTS = frozenset({"job", "claim", "clock", "to_check", "digest"})
"""Tables without digests: temporary work and local caches."""

IMPORTED_TABLES = (
    "query",
    "subtopic",
    "passage",
    "pool",
    "segment",
    "gold",
    "system",
    "ranking",
    "subtopic_ranking",
    "judgment",
    "subtopic_judgment",
    "official",
    "extra",
)
"""Tables that only imports write."""

_PORTION_COLUMNS = {"response": 2, "embedding": 2, "rating_vector": 2}
"""Number of leading columns that identify a portion; otherwise the query, or all."""

_COLUMNS = {"text": "text_id, sha256, letters"}  # the key is a hash of the body


@contextmanager
def update_digests(
    connection: Connection, table: str, where: str = "1", *parameters: Any
) -> Iterator[None]:
    """Update the digests for a block that changes rows of a table.

    ``where`` selects all rows that the block changes, before or after. Names are our
    own, never a user's; ``parameters`` are bound to ``where``.
    """
    changes = digests_of(connection, table, where, parameters)
    yield
    for part, value in digests_of(connection, table, where, parameters).items():
        changes[part] ^= value
    merge_digests(connection, table, changes)


@contextmanager
def extend_digests(
    connection: Connection, table: str, id_column: str
) -> Iterator[None]:
    """Update the digests for a block that only adds rows to a numbered table."""
    (last,) = column(connection, f"SELECT max({id_column}) FROM {table}")
    changes = connection.total_changes
    yield
    if connection.total_changes > changes:
        condition = f"{id_column} > ?"
        merge_digests(
            connection, table, digests_of(connection, table, condition, (last or 0,))
        )


def add_row_digests(
    connection: Connection, table: str, rows: Iterable[Sequence[Any]]
) -> None:
    """Add complete new rows of a table to its digests, without reading them again.

    Values have the types of their columns, as SQLite returns them.
    """
    key_size, changes = _PORTION_COLUMNS[table], defaultdict[tuple[Any, ...], int](int)
    for row in rows:
        stored = [value.encode() if type(value) is str else value for value in row]
        changes[tuple(stored[:key_size])] ^= row_hash(tuple(stored))
    merge_digests(connection, table, _by_portion_name(changes))


def merge_digests(
    connection: Connection, table: str, changes: Mapping[str, int]
) -> None:
    """Update the digests of these portions by the hashes taken out and put in."""
    connection.executemany(
        "INSERT INTO digest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
        "value = (value | excluded.value) - (value & excluded.value)",  # exclusive or
        [(table, part, value) for part, value in changes.items() if value],
    )


def recompute_digests(
    connection: Connection, tables: Iterable[str] | None = None
) -> None:
    """Recompute the digests of these tables, or of all."""
    for table in tables_with_digests(connection) if tables is None else tables:
        connection.execute("DELETE FROM digest WHERE of = ?", (table,))
        merge_digests(connection, table, digests_of(connection, table))


def differing_portions(
    connection: Connection, tables: Iterable[str] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield (table, portion) of each portion whose rows differ from the digest.

    Of these ``tables``, or of all.
    """
    for table in tables_with_digests(connection) if tables is None else tables:
        select = "SELECT part, value FROM digest WHERE of = ?"
        stored = dict(connection.execute(select, (table,)))
        current = digests_of(connection, table)
        for part in sorted(stored.keys() | current.keys()):
            if stored.get(part, 0) != current.get(part, 0):
                yield table, part


def tables_with_digests(connection: Connection) -> list[str]:
    """Return the tables that have digests, sorted by name."""
    select = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    return [
        name
        for name in column(connection, select)
        if name not in TABLES_WITHOUT_DIGESTS and not name.startswith("sqlite_")
    ]


def digests_of(
    connection: Connection, table: str, where: str = "1", parameters: Sequence[Any] = ()
) -> defaultdict[str, int]:
    """Return the digest of each portion, of the rows that ``where`` selects."""
    hashes = defaultdict[tuple[Any, ...], int](int)
    # As bytes: damaged text may be no UTF-8.
    connection.text_factory = bytes
    try:
        rows = connection.execute(
            f'SELECT {_COLUMNS.get(table, "*")} FROM "{table}" WHERE {where}',
            parameters,
        )
        names = [column_info[0] for column_info in rows.description]
        start, end = 0, _PORTION_COLUMNS.get(table, 0)
        if not end and "query_id" in names:
            start = names.index("query_id")
            end = start + 1
        for row in rows:
            hashes[row[start:end]] ^= row_hash(row)
    finally:
        connection.text_factory = str
    return _by_portion_name(hashes)


def _by_portion_name(hashes: Mapping[tuple[Any, ...], int]) -> defaultdict[str, int]:
    """Return the hashes by portion name, as signed integers for SQLite."""
    digests = defaultdict[str, int](int)
    for values, value in hashes.items():
        parts = [
            part.decode(errors="replace") if type(part) is bytes else str(part)
            for part in values
        ]
        digests["/".join(parts)] = value - (1 << 64) if value >> 63 else value
    return digests


def row_hash(row: tuple[int | float | bytes | None, ...]) -> int:
    """Return a 64-bit hash of a row's values and their types."""
    # Version 2 has no references, so that equal rows have one form in every Python.
    hashed = blake2b(marshal.dumps(row, 2), digest_size=8)
    return int.from_bytes(hashed.digest(), "big")
