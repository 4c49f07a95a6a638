"""Detection of damage: SQLite checks its pages, texts are compared with their keys."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from itertools import islice
from pathlib import Path

from curator.errors import WorkspaceError
from curator.formats.text.notices import counted
from curator.formats.text.records import described
from curator.store.connection import column, without_mmap
from curator.store.migrations import create_schema
from curator.store.texts import letters_of
from grading.keys import text_key

Connection = sqlite3.Connection

MALFORMED_ROW_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
    sqlite3.Error,
)
"""Errors that reading malformed values can raise."""

REPAIR_HINT = (
    "`curator verify` lists all problems, `curator repair` repairs what can be derived "
    "from other data, `curator restore` restores a backup"
)


def damage_message(path: Path, damage: str) -> str:
    """Return the message for a damaged file, with the commands that help."""
    return f"'{path}' is damaged: {damage}. {REPAIR_HINT}."


def require_undamaged(path: Path, connection: Connection, consequence: str) -> None:
    """Raise WorkspaceError if SQLite finds damage, or a text lost its content key.

    ``consequence`` says what is not made of the file.
    """
    with without_mmap(connection):
        problems = file_problems(connection) or [*islice(text_problems(connection), 1)]
    if problems:
        damage = " ".join(problems[0].split())
        raise WorkspaceError(damage_message(path, f"{damage}, {consequence}"))


def file_problems(connection: Connection) -> list[str]:
    """Return SQLite's problems, schema differences and broken foreign keys."""
    try:
        problems = _schema_problems(connection) or _integrity_problems(connection)
    except sqlite3.DatabaseError as error:
        problems = [str(error)]
    if problems:
        return [f"SQLite: {problem}" for problem in problems]
    missing = Counter(
        (table, parent)
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check")
    )
    return [
        f"{table}: {counted(number, 'row')} with a reference to a missing {parent}"
        for (table, parent), number in missing.items()
    ]


def _integrity_problems(connection: Connection) -> list[str]:
    messages = "\n".join(column(connection, "PRAGMA integrity_check")).split("\n")
    return [
        line for line in messages if line != "ok" and not line.startswith("*** in ")
    ]


def _schema_problems(connection: Connection) -> list[str]:
    """Return differences of tables, columns, indexes and triggers from the schema."""
    expected, actual = (
        {name: "".join(sql.split()).replace('"', "") for name, sql in stored.items()}
        for stored in (new_schema(), schema(connection))
    )
    problems = {
        "has an unknown {}": actual.keys() - expected.keys(),
        "lacks {}": expected.keys() - actual.keys(),
        "has another {}": {
            name
            for name in expected.keys() & actual.keys()
            if expected[name] != actual[name]
        },
    }
    return [
        f"the schema {problem.format(name)}"
        for problem, names in problems.items()
        for name in sorted(names)
    ]


@cache
def new_schema() -> Mapping[str, str]:
    """Return the SQL of each table, index, view and trigger of a new workspace.

    By kind and name; read once per process.
    """
    with closing(sqlite3.connect(":memory:")) as connection:
        create_schema(connection)
        return schema(connection)


def schema(connection: Connection) -> dict[str, str]:
    """Return the SQL of each of a file's tables, indexes, views and triggers."""
    return {
        f"{kind} {name}": " ".join((sql or "").split())
        for kind, name, sql in connection.execute(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL "
            "AND (type <> 'table' OR name NOT LIKE 'sqlite_%')"
        )
    }


def name_of_item(connection: Connection, item_id: int) -> str:
    """Return an item's name: its question's id, or else its text."""
    row = connection.execute(
        "SELECT item.kind, (SELECT min(question_id) FROM question "
        "WHERE question.item_id = item.item_id), "
        "coalesce(substr(body, 1, 200), item.public_id) "
        "FROM item LEFT JOIN text USING (text_id) WHERE item_id = ?",
        (item_id,),
    ).fetchone()
    if row is None:
        return "a missing item"
    kind, question_id, words = row
    return f"{kind} {described(words if question_id is None else question_id)}"


def text_problems(connection: Connection) -> Iterator[str]:
    """Yield a sentence for each text that does not match its content key."""
    for key, letters, content in connection.execute(
        "SELECT sha256, letters, CAST(body AS BLOB) FROM text"
    ):
        body = content.decode(errors="backslashreplace")
        if text_key(body) != key:
            yield f"the text {described(body[:200])} is not the one that was stored"
        elif letters_of(body) != letters:
            yield f"the text {described(body[:200])} does not have its stored length"
