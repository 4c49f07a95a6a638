"""Digests of what the file holds, moved in the transaction that changes it.

A digest is of a portion: a query's questions, what a model said of an item, a text's
vectors. It is the exclusive or of a hash of each row, so that a change costs what it
changes and not what stands beside it: rows are hashed before, which takes them out, and
after, which puts them in. A row that anything else than this program changed, lost or
added leaves the digest as it was, and is found.
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

WITHOUT = frozenset(
    {"job", "claim", "clock", "to_check", "digest", "_sqlite_migrations"}
)
"""Tables without digests: work that goes on, and what a reader remembers of others."""

COLLECTION = (
    *("query", "subtopic", "passage", "pool", "segment", "gold", "system"),
    *("ranking", "subtopic_ranking", "judgment", "subtopic_judgment"),
    *("official", "extra"),
)
"""What imports alone write."""

_LEADING = {"response": 2, "embedding": 2, "rating_vector": 2}
"""How many columns say what a portion is of; else a query where it has one, or all."""

_COLUMNS = {"text": "text_id, sha256, letters"}  # the key is a hash of the body


@contextmanager
def changing(
    connection: Connection, table: str, where: str = "1", *given: Any
) -> Iterator[None]:
    """A block in which rows of a table change, all among those that ``where`` finds.

    Before it or after it. Names are always our own; ``given`` are the parameters.
    """
    moved = digests_of(connection, table, where, given)
    yield
    for part, value in digests_of(connection, table, where, given).items():
        moved[part] ^= value
    put(connection, table, moved)


@contextmanager
def adding(connection: Connection, table: str, number: str) -> Iterator[None]:
    """A block in which rows are added to a table that numbers them; none changes."""
    (last,) = column(connection, f"SELECT max({number}) FROM {table}")
    changes = connection.total_changes
    yield
    if connection.total_changes > changes:
        above = f"{number} > ?"
        put(connection, table, digests_of(connection, table, above, (last or 0,)))


def added(connection: Connection, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Digest whole rows that a table did not have, without reading them again.

    Values are of the types of their columns, as SQLite gives them back.
    """
    leading, moved = _LEADING[table], defaultdict[tuple[Any, ...], int](int)
    for row in rows:
        stored = [one.encode() if type(one) is str else one for one in row]
        moved[tuple(stored[:leading])] ^= row_hash(tuple(stored))
    put(connection, table, _named(moved))


def put(connection: Connection, table: str, moved: Mapping[str, int]) -> None:
    """Move the digests of these portions by what was taken out and put in."""
    connection.executemany(
        "INSERT INTO digest VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET "
        "value = (value | excluded.value) - (value & excluded.value)",  # exclusive or
        [(table, part, value) for part, value in moved.items() if value],
    )


def renew(connection: Connection, tables: Iterable[str] | None = None) -> None:
    """Make the digests of these tables, or of all, what the tables hold now."""
    for table in digested(connection) if tables is None else tables:
        connection.execute("DELETE FROM digest WHERE of = ?", (table,))
        put(connection, table, digests_of(connection, table))


def differing(
    connection: Connection, tables: Iterable[str] | None = None
) -> Iterator[tuple[str, str]]:
    """(table, portion) of each whose rows are not those that this program wrote.

    Of these ``tables``, or of all.
    """
    for table in digested(connection) if tables is None else tables:
        select = "SELECT part, value FROM digest WHERE of = ?"
        stored = dict(connection.execute(select, (table,)))
        found = digests_of(connection, table)
        for part in sorted(stored.keys() | found.keys()):
            if stored.get(part, 0) != found.get(part, 0):
                yield table, part


def digested(connection: Connection) -> list[str]:
    """The tables that have digests, in the order of their names."""
    select = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    return [
        name
        for name in column(connection, select)
        if name not in WITHOUT and not name.startswith("sqlite_")
    ]


def digests_of(
    connection: Connection, table: str, where: str = "1", given: Sequence[Any] = ()
) -> defaultdict[str, int]:
    """The digest of each portion's rows, of those that ``where`` finds."""
    found = defaultdict[tuple[Any, ...], int](int)
    # As bytes: what is damaged may be no UTF-8.
    connection.text_factory = bytes
    try:
        rows = connection.execute(
            f'SELECT {_COLUMNS.get(table, "*")} FROM "{table}" WHERE {where}', given
        )
        names = [one[0] for one in rows.description]
        start, end = 0, _LEADING.get(table, 0)
        if not end and "query_id" in names:
            start = names.index("query_id")
            end = start + 1
        for row in rows:
            found[row[start:end]] ^= row_hash(row)
    finally:
        connection.text_factory = str
    return _named(found)


def _named(moved: Mapping[tuple[Any, ...], int]) -> defaultdict[str, int]:
    """The same by the portions' names, as integers that SQLite can keep."""
    named = defaultdict[str, int](int)
    for values, value in moved.items():
        said = [
            v.decode(errors="replace") if type(v) is bytes else str(v) for v in values
        ]
        named["/".join(said)] = value - (1 << 64) if value >> 63 else value
    return named


def row_hash(row: tuple[int | float | bytes | None, ...]) -> int:
    """64 bits of a row's values and their types."""
    # Version 2 has no references, so that equal rows have one form in every Python.
    hashed = blake2b(marshal.dumps(row, 2), digest_size=8)
    return int.from_bytes(hashed.digest(), "big")
