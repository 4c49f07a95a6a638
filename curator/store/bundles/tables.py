"""A workspace's tables out, as JSON rows, and in again.

Names of tables and columns always come from the schema, never from a bundle. What
belongs to one machine or one moment stays behind: work that goes on, versions, what a
model or a judge is being asked just now, and the secret that masks systems in blind
mode, in the place of which a rebuilt workspace gets one of its own.
"""

from __future__ import annotations

import base64
import json
import math
import secrets
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.store import digests, versions
from curator.store.connection import column

Row = dict[str, Any]

LEFT_OUT = frozenset(
    {"job", "claim", "clock", "published", "to_check", "person", "assignment"}
    | {"handed", "restriction", "digest", "_sqlite_migrations"}
)
"""Tables that stay behind; who may do and see what is this server's, and no other's."""

SALT_BYTES = 16

_NOT_ASKING = {"generation": "WHERE state <> 'asking'"}
_SEED = {"answer_key": "WHERE key_id > 0"}  # the row that every workspace has


@dataclass(frozen=True)
class Table:
    """A table as the schema has it: (column, declared type), and its primary key."""

    name: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...]


def tables(connection: sqlite3.Connection) -> dict[str, Table]:
    """Every table that a bundle holds, by name, in the order of names."""
    found = {}
    for name in column(
        connection, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    ):
        if name in LEFT_OUT or name.startswith("sqlite_"):
            continue
        columns = connection.execute(
            "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", (name,)
        ).fetchall()
        key = sorted((pk, name) for name, _, pk in columns if pk)
        typed = tuple((name, kind) for name, kind, _ in columns)
        found[name] = Table(name, typed, tuple(name for _, name in key))
    return found


def read_rows(connection: sqlite3.Connection, table: Table) -> Iterator[Row]:
    """The rows in the order of the primary key, blobs as base64."""
    names = [name for name, _ in table.columns]
    blobs = [name for name, kind in table.columns if kind == "BLOB"]
    for values in connection.execute(
        f"SELECT {_listed(names)} FROM {_quoted(table.name)} "
        f"{_NOT_ASKING.get(table.name, '')} ORDER BY {_listed(table.key)}"
    ):
        row = dict(zip(names, values, strict=True))
        for name in blobs:
            if row[name] is not None:
                row[name] = base64.b64encode(row[name]).decode("ascii")
        if table.name == "setting" and row["key"] == "blind":
            row["value"] = ""
        if table.name == "setting" and row["key"] == "generation":
            row["value"] = without_endpoint(row["value"])
        yield row


def without_endpoint(value: Any) -> Any:
    """How models are asked, without where: nobody is led to another's machine."""
    with suppress(TypeError, ValueError):  # what cannot be read says nothing of it
        spec = json.loads(value)
        if isinstance(spec, dict) and spec.pop("endpoint", None) is not None:
            return json.dumps(spec)
    return value


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever put into this workspace."""
    return not any(
        connection.execute(
            f"SELECT 1 FROM {_quoted(name)} {_SEED.get(name, '')} LIMIT 1"
        ).fetchone()
        for name in (*tables(connection), "job", "published")
    )


@contextmanager
def references_unchecked(connection: sqlite3.Connection) -> Iterator[None]:
    """A block around a transaction in which tables may be filled in any order.

    Checked row by row, references to what is not there yet would have SQLite search
    whole tables; all of them are to be looked at in the end instead.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def write_rows(
    connection: sqlite3.Connection,
    table: Table,
    rows: Iterable[Any],
    refused: Callable[[str], Exception],
) -> int:
    """Put the rows in, in place of what the table has; how many there were.

    Call within a write transaction. ``rows`` are JSON values as ``read_rows`` gives
    them; ``refused`` makes the error to raise for the row that was read last.
    """
    marks = ",".join("?" * len(table.columns))
    names = _listed([column for column, _ in table.columns])
    connection.execute(f"DELETE FROM {_quoted(table.name)}")
    cursor = connection.cursor()
    try:
        cursor.executemany(
            f"INSERT INTO {_quoted(table.name)} ({names}) VALUES ({marks})",
            (_values(table, row, refused) for row in rows),
        )
    except sqlite3.IntegrityError as error:
        message = " ".join(str(error).split())  # a CHECK comes with its line breaks
        raise refused(f"does not fit the table ({message}).") from None
    except (OverflowError, UnicodeEncodeError, sqlite3.DataError) as error:
        raise refused(f"cannot be stored ({error}).") from None
    return max(cursor.rowcount, 0)


def _values(
    table: Table, row: Any, refused: Callable[[str], Exception]
) -> tuple[Any, ...]:
    if not isinstance(row, dict) or row.keys() != {name for name, _ in table.columns}:
        names = ", ".join(name for name, _ in table.columns)
        raise refused(f"expected an object with the fields {names}.")
    masked = table.name == "setting" and row["key"] == "blind"
    values = []
    for name, kind in table.columns:
        value = row[name]
        if masked and name == "value":
            value = secrets.token_hex(SALT_BYTES)
        elif name == "value" and row.get("key") == "generation":
            value = without_endpoint(value)
        elif value is not None and kind == "BLOB":
            with suppress(TypeError, ValueError):  # then it stays as it is, no bytes
                value = base64.b64decode(value, validate=True)
        if not _is_of(kind, value):
            raise refused(f"'{name}' is no {kind} that this table takes.")
        values.append(value)
    return tuple(values)


def _is_of(kind: str, value: Any) -> bool:
    """Whether the value is one that STRICT takes as it is; None is for NOT NULL."""
    if value is None:
        return True
    if isinstance(value, bool):
        return False
    if kind == "REAL":
        return isinstance(value, int | float) and math.isfinite(value)
    types: dict[str, type] = {"INTEGER": int, "TEXT": str, "BLOB": bytes}
    return isinstance(value, types[kind])


def write_published(
    connection: sqlite3.Connection, path: str, manifest: object, body: str
) -> None:
    """Keep a file of numbers that a bundle holds, to be computed again."""
    connection.execute(
        "INSERT INTO published (path, manifest, body) VALUES (?, ?, ?)",
        (path, json.dumps(manifest, ensure_ascii=False), body),
    )


def read_published(connection: sqlite3.Connection) -> Iterator[tuple[str, Any, str]]:
    """(path, what its numbers rest on, content) of each file that is kept."""
    for path, manifest, body in connection.execute(
        "SELECT path, manifest, body FROM published ORDER BY path"
    ):
        yield path, json.loads(manifest), body


def all_is_new(connection: sqlite3.Connection) -> None:
    """Have whoever reads this workspace read all of it again, and digest all."""
    digests.renew(connection)
    versions.bump(
        connection,
        (versions.COLLECTION, versions.GRADERS, versions.GENERATION, versions.RELEASES),
    )


def scratch_workspace(path: Path, schema: int) -> sqlite3.Connection:
    """A new file with the schema of this version, for the rows of an older bundle."""
    from sqlite_utils import Database

    from curator.store.migrations import migrations

    connection = sqlite3.connect(path, isolation_level=None)
    database = Database(connection)
    steps = [step.name for step in migrations.pending(database)]
    migrations.apply(database, stop_before=steps[schema:])
    connection.execute("PRAGMA foreign_keys = OFF")
    return connection


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Give the scratch file today's schema."""
    from sqlite_utils import Database

    from curator.store.migrations import migrate

    migrate(Database(connection))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))


def _quoted(name: str) -> str:
    """A name of our own schema, as SQL has it: some are words of SQL, such as "end"."""
    return '"' + name.replace('"', '""') + '"'
