"""Export and import of a workspace's tables as JSON rows.

Names of tables and columns always come from the schema, never from a bundle. Data of
one machine or one moment are left out: running work, versions, prompts in progress, and
the secret that masks systems in blind mode, for which a rebuilt workspace gets a new
one.
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

from curator.store import versions
from curator.store.connection import column, write_transaction

Row = dict[str, Any]

EXCLUDED_TABLES = frozenset(
    {"job", "claim", "clock", "published", "to_check", "person", "assignment"}
    | {"handed", "restriction"}
)
"""Tables left out; among them people and permissions, which belong to this server."""

SALT_BYTES = 16

_CONDITIONS = {"generation": "WHERE state <> 'asking'"}
_NOT_PREDEFINED = {"answer_key": "WHERE key_id > 0"}  # the row that every workspace has


@dataclass(frozen=True)
class SchemaTable:
    """A table of the schema: (column, declared type) pairs, and its primary key."""

    name: str
    columns: tuple[tuple[str, str], ...]
    key: tuple[str, ...]


def tables(connection: sqlite3.Connection) -> dict[str, SchemaTable]:
    """Return every table that a bundle holds, sorted by name."""
    tables_by_name = {}
    for name in column(
        connection, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    ):
        if name in EXCLUDED_TABLES or name.startswith("sqlite_"):
            continue
        columns = connection.execute(
            "SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid", (name,)
        ).fetchall()
        key = sorted((pk, name) for name, _, pk in columns if pk)
        typed_columns = tuple(
            (name, declared_type) for name, declared_type, _ in columns
        )
        tables_by_name[name] = SchemaTable(
            name, typed_columns, tuple(name for _, name in key)
        )
    return tables_by_name


def read_rows(connection: sqlite3.Connection, table: SchemaTable) -> Iterator[Row]:
    """Yield the rows in the order of the primary key, blobs as base64."""
    names = [name for name, _ in table.columns]
    blobs = [name for name, declared_type in table.columns if declared_type == "BLOB"]
    for values in connection.execute(
        f"SELECT {_listed(names)} FROM {_quoted(table.name)} "
        f"{_CONDITIONS.get(table.name, '')} ORDER BY {_listed(table.key)}"
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
    """Remove the endpoint from generation settings, which is another's machine."""
    with suppress(TypeError, ValueError):  # unreadable settings contain no endpoint
        spec = json.loads(value)
        if isinstance(spec, dict) and spec.pop("endpoint", None) is not None:
            return json.dumps(spec)
    return value


def is_empty(connection: sqlite3.Connection) -> bool:
    """Return True if the workspace contains nothing."""
    return not any(
        connection.execute(
            f"SELECT 1 FROM {_quoted(name)} {_NOT_PREDEFINED.get(name, '')} LIMIT 1"
        ).fetchone()
        for name in (*tables(connection), "job", "published")
    )


@contextmanager
def without_foreign_keys(connection: sqlite3.Connection) -> Iterator[None]:
    """Turn off foreign keys for a block, so that tables may be filled in any order.

    Checked row by row, references to missing rows would make SQLite search whole
    tables; the caller checks all of them at the end.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def write_rows(
    connection: sqlite3.Connection,
    table: SchemaTable,
    rows: Iterable[Any],
    make_error: Callable[[str], Exception],
) -> int:
    """Replace the rows of the table; return how many were written.

    Call within a write transaction. ``rows`` are JSON values as from ``read_rows``;
    ``make_error`` makes the error to raise for the last row read.
    """
    placeholders = ",".join("?" * len(table.columns))
    names = _listed([column for column, _ in table.columns])
    connection.execute(f"DELETE FROM {_quoted(table.name)}")
    cursor = connection.cursor()
    try:
        cursor.executemany(
            f"INSERT INTO {_quoted(table.name)} ({names}) VALUES ({placeholders})",
            (_values(table, row, make_error) for row in rows),
        )
    except sqlite3.IntegrityError as error:
        message = " ".join(str(error).split())  # a CHECK contains line breaks
        raise make_error(f"does not fit the table ({message}).") from None
    except (OverflowError, UnicodeEncodeError, sqlite3.DataError) as error:
        raise make_error(f"cannot be stored ({error}).") from None
    return max(cursor.rowcount, 0)


def _values(
    table: SchemaTable, row: Any, make_error: Callable[[str], Exception]
) -> tuple[Any, ...]:
    if not isinstance(row, dict) or row.keys() != {name for name, _ in table.columns}:
        names = ", ".join(name for name, _ in table.columns)
        raise make_error(f"expected an object with the fields {names}.")
    masked = table.name == "setting" and row["key"] == "blind"
    values = []
    for name, declared_type in table.columns:
        value = row[name]
        if masked and name == "value":
            value = secrets.token_hex(SALT_BYTES)
        elif name == "value" and row.get("key") == "generation":
            value = without_endpoint(value)
        elif value is not None and declared_type == "BLOB":
            # Anything else is no BLOB and is refused below.
            with suppress(TypeError, ValueError):
                value = base64.b64decode(value, validate=True)
        if not _has_type(declared_type, value):
            raise make_error(f"'{name}' is not a valid {declared_type} value.")
        values.append(value)
    return tuple(values)


def _has_type(declared_type: str, value: Any) -> bool:
    """Return True if STRICT accepts the value unchanged; None is left to NOT NULL."""
    if value is None:
        return True
    if isinstance(value, bool):
        return False
    if declared_type == "REAL":
        return isinstance(value, int | float) and math.isfinite(value)
    types: dict[str, type] = {"INTEGER": int, "TEXT": str, "BLOB": bytes}
    return isinstance(value, types[declared_type])


def write_published(
    connection: sqlite3.Connection, path: str, manifest: object, body: str
) -> None:
    """Store a bundle's file of numbers, to be computed again by ``verify``."""
    connection.execute(
        "INSERT INTO published (path, manifest, body) VALUES (?, ?, ?)",
        (path, json.dumps(manifest, ensure_ascii=False), body),
    )


def read_published(connection: sqlite3.Connection) -> Iterator[tuple[str, Any, str]]:
    """Yield (path, manifest of its numbers, content) of each stored file."""
    for path, manifest, body in connection.execute(
        "SELECT path, manifest, body FROM published ORDER BY path"
    ):
        yield path, json.loads(manifest), body


def renew_versions(connection: sqlite3.Connection) -> None:
    """Renew all versions, so that readers load everything again."""
    versions.bump(
        connection,
        (versions.COLLECTION, versions.GRADERS, versions.GENERATION, versions.RELEASES),
    )


def scratch_workspace(path: Path, schema: int) -> sqlite3.Connection:
    """Create a file with the schema of this version, for an older bundle's rows."""
    from curator.store.migrations import create_schema

    connection = sqlite3.connect(path, isolation_level=None)
    create_schema(connection, schema)
    connection.execute("PRAGMA foreign_keys = OFF")
    return connection


def migrate_workspace(connection: sqlite3.Connection) -> None:
    from curator.store.migrations import migrate

    with write_transaction(connection):
        migrate(connection)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_quoted, names))


def _quoted(name: str) -> str:
    """Quote a name of our schema for SQL: some are keywords, such as "end"."""
    return '"' + name.replace('"', '""') + '"'
