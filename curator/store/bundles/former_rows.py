"""Bundles of the format before, which have the rows of tables as lines of JSON."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any

from curator.formats import limits
from curator.formats.bundles import BundleReader
from curator.formats.text.json_text import json_read
from curator.store.bundles.copies import replace_rows
from curator.store.connection import write_transaction
from curator.store.damage import MALFORMED_ROW_ERRORS
from curator.store.migrations import FORMER_TABLES, create_schema, migrate

FOLDER, ENDING = "tables/", ".jsonl"


def write_database(bundle: BundleReader, file: Path, schema: int) -> None:
    """Write a bundle's rows, of tables of this schema, to a new workspace file.

    Raises BundleError for rows that do not fit.
    """
    connection = sqlite3.connect(file, isolation_level=None)
    with closing(connection), write_transaction(connection):
        create_schema(connection)
        for name in bundle.sha256:
            if name.startswith(FOLDER):
                _fill(connection, bundle, name)
        connection.execute(f"PRAGMA user_version = {schema}")
        migrate(connection)


def _fill(connection: sqlite3.Connection, bundle: BundleReader, name: str) -> None:
    """Fill the table that a file of the bundle has the rows of."""
    table, line = name.removeprefix(FOLDER).removesuffix(ENDING), 0
    select = "SELECT name, type FROM pragma_table_info(?)"
    types = dict[str, str](connection.execute(select, (table,)))

    def lines() -> Iterator[bytes]:
        nonlocal line
        with bundle.open(name) as stream:
            while text := stream.readline(limits.current().line + 1):
                line += 1
                yield text

    def row(text: bytes) -> dict[str, Any]:
        if len(text) > limits.current().line:
            raise ValueError(limits.beyond("line", "it is longer than {}"))
        fields: dict[str, Any] = json_read(text.decode())
        return fields

    def values(row: dict[str, Any]) -> list[Any]:
        if row.keys() != types.keys():
            raise ValueError(f"expected the fields {', '.join(types)}")
        return [
            base64.b64decode(row[column], validate=True)
            if declared_type == "BLOB" and row[column] is not None
            else row[column]
            for column, declared_type in types.items()
        ]

    try:
        rows: Iterator[dict[str, Any]] = map(row, lines())
        if table in FORMER_TABLES:
            first = next(rows, {})
            if not all(map(str.isidentifier, first)):
                raise ValueError("its fields are no columns")
            types = dict.fromkeys(first, "")
            if not types:  # an empty table
                return
            columns = ", ".join(f'"{column}"' for column in types)
            connection.execute(f"CREATE TABLE {table} ({columns})")
            rows = chain([first], rows)
        if not types:
            raise ValueError("it is no table of this schema")
        replace_rows(connection, table, list(types), map(values, rows))
    except MALFORMED_ROW_ERRORS as error:
        raise bundle.error(f"cannot be read ({error}).", name, line or None) from None
