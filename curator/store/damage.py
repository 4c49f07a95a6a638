"""Detection of damage: SQLite checks its pages, texts are compared with their keys."""

from __future__ import annotations

import codecs
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from itertools import islice
from pathlib import Path

from curator.errors import (
    WorkspaceError,
)
from curator.formats.text.notices import counted
from curator.formats.text.records import described
from curator.store.connection import column, without_mmap
from curator.store.migrations import create_schema
from curator.store.texts import letters_of
from grading.keys import key_of_pieces

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

PIECE_SIZE = 1 << 20  # bytes of a text; longer ones are read in pieces of this length
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
        messages = column(connection, "PRAGMA integrity_check")
    except sqlite3.DatabaseError as error:
        messages = [str(error)]
    lines = (
        line for message in messages if message != "ok" for line in message.split("\n")
    )
    problems = [f"SQLite: {line}" for line in lines if not line.startswith("*** in ")]
    problems = problems or _schema_problems(connection)
    if problems:
        return problems
    missing = Counter(
        (table, parent)
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check")
    )
    return [
        f"{table}: {counted(number, 'row')} with a reference to a missing {parent}"
        for (table, parent), number in missing.items()
    ]


def _schema_problems(connection: Connection) -> list[str]:
    """Return differences of tables, columns, indexes and triggers from the schema."""
    expected, actual = (
        {name: "".join(sql.split()).replace('"', "") for name, sql in stored.items()}
        for stored in (new_schema(), schema(connection))
    )
    problems = []
    for name in sorted(expected.keys() | actual.keys()):
        if name not in expected:
            problems.append(f"SQLite: the schema has an unknown {name}")
        elif name not in actual:
            problems.append(f"SQLite: the schema's {name} is missing")
        elif expected[name] != actual[name]:
            problems.append(f"SQLite: the schema's {name} differs")
    return problems


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
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
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
    for text_id, *stored in connection.execute(
        "SELECT text_id, sha256, letters FROM text"
    ).fetchall():
        key, letters, begin = _read_text(connection, text_id)
        if key != stored[0]:
            yield f"the text {described(begin)} is not the one that was stored"
        elif letters != stored[1]:
            yield f"the text {described(begin)} does not have its stored length"


def _read_text(connection: Connection, text_id: int) -> tuple[str, int, str]:
    """Return a text's content key ("" if invalid), its length and its beginning."""
    letters, begin = 0, ""

    def pieces() -> Iterator[str]:
        nonlocal letters, begin
        for piece in pieces_of(connection, text_id):
            begin = begin or piece[:200]
            letters += letters_of(piece)
            yield piece

    try:
        return key_of_pieces(pieces()), letters, begin
    except UnicodeDecodeError:
        return "", letters, begin


def pieces_of(connection: Connection, text_id: int) -> Iterator[str]:
    """Yield a text in pieces. Raises UnicodeDecodeError."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with connection.blobopen("text", "body", text_id, readonly=True) as blob:
        while stored := blob.read(PIECE_SIZE):
            yield decoder.decode(stored)
    yield decoder.decode(b"", final=True)
