"""Detection of damage in a workspace file, and the errors it causes.

SQLite checks its pages, rows are compared with their digests, texts with their content
keys. A handler of an error raised while reading rows asks here if the file is damaged;
the same error from a sound file is a bug and is raised unchanged.
"""

from __future__ import annotations

import codecs
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing, suppress
from functools import cache
from itertools import islice
from pathlib import Path

from curator.errors import (
    BudgetError,
    CuratorError,
    EvaluationError,
    ReleaseError,
    SettingError,
    UnknownNameError,
    WorkspaceError,
)
from curator.formats.text.notices import counted
from curator.formats.text.records import described
from curator.store import digests
from curator.store.connection import column, without_mmap
from curator.store.migrations import create_schema
from curator.store.texts import letters_of
from grading.errors import GradingError
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

USER_ERRORS_OF_ROWS = (
    BudgetError,
    EvaluationError,
    GradingError,
    ReleaseError,
    SettingError,
    UnknownNameError,
)
"""User errors that damaged rows of the tables NAMED, all small, can also cause."""

TABLES_OF_USER_ERRORS = (
    "answer_key",
    "budget",
    "grader",
    "item",
    "responder",
    "setting",
)

PIECE_SIZE = 1 << 20  # bytes of a text; longer ones are read in pieces of this length
REPAIR_HINT = (
    "`curator verify` lists all problems, `curator repair` repairs what can be derived "
    "from other data, `curator restore` restores a backup"
)


def raise_if_damaged(
    error: BaseException | None, path: Path, connection: Connection
) -> None:
    """Raise WorkspaceError if damage of the file caused ``error``.

    A user error is kept unless the rows it concerns are damaged.
    """
    if isinstance(error, USER_ERRORS_OF_ROWS):
        if damage := first_damage(connection, TABLES_OF_USER_ERRORS):
            hint = f"It may have caused this error: {error}"
            raise WorkspaceError(f"{_damage_message(path, damage)} {hint}") from error
    elif isinstance(error, MALFORMED_ROW_ERRORS) and not isinstance(
        error, CuratorError
    ):
        if connection.in_transaction:
            connection.rollback()
        if damage := first_damage(connection):
            raise WorkspaceError(_damage_message(path, damage)) from error


def require_undamaged(
    path: Path,
    connection: Connection,
    consequence: str,
    *,
    tables: Collection[str] | None = None,
) -> None:
    """Raise WorkspaceError if rows of these tables, or of any, are damaged.

    Called before the rows are copied to something that gets new digests, such as
    a bundle; ``consequence`` says that it is not made.
    """
    with without_mmap(connection):
        if damage := first_damage(connection, tables):
            raise WorkspaceError(_damage_message(path, f"{damage}, {consequence}"))


def _damage_message(path: Path, damage: str) -> str:
    return f"'{path}' is damaged: {damage}. {REPAIR_HINT}."


def first_damage(connection: Connection, tables: Collection[str] | None = None) -> str:
    """Return the first damage found, in one line, or "".

    In the rows of these ``tables``, or anywhere in the file.
    """
    try:
        problems = [] if tables else file_problems(connection)
        problems = problems or [*islice(row_problems(connection, tables), 1)]
        if not (problems or tables):
            problems = [*islice(text_problems(connection), 1)]
        return " ".join("".join(problems[:1]).split())
    except MALFORMED_ROW_ERRORS as error:
        return f"it cannot be read ({' '.join(str(error).split())})"


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


def row_problems(
    connection: Connection, tables: Collection[str] | None = None
) -> Iterator[str]:
    """Yield a sentence for each portion whose rows differ from their digest.

    Of these ``tables``, or of all; then one for each table without digests that cannot
    be read.
    """
    for table, part in digests.differing_portions(connection, tables):
        yield f"{_portion_name(connection, table, part)} not what was written"
    if tables is not None:
        return
    for table in sorted(digests.TABLES_WITHOUT_DIGESTS):
        try:
            for _ in connection.execute(f"SELECT * FROM {table}"):
                pass
        except sqlite3.OperationalError as error:
            yield f"{table}: {' '.join(str(error).split())}"


def _portion_name(connection: Connection, table: str, part: str) -> str:
    if table == "response":
        responder, item = part.split("/")
        owner = name_of_item(connection, int(item))
        return f"the responses of {_model(connection, responder)} to {owner} are"
    if table == "embedding":
        responder, text = part.split("/")
        select = "SELECT substr(body, 1, 60) FROM text WHERE text_id = ?"
        words = column(connection, select, int(text))
        owner = described(words[0]) if words else "a missing text"
        return f"the vectors of {_model(connection, responder)} for {owner} are"
    if table == "rating_vector":
        grader, _, query_id = part.partition("/")
        names = column(
            connection, "SELECT name FROM grader WHERE grader_id = ?", grader
        )
        owner = f"of {names[0] if names else 'a missing grader'} "
        return f"the ratings {owner}for query {described(query_id)} are"
    owner = f" of query {described(part)}" if part else ""
    return f"the rows of {table}{owner} are"


def _model(connection: Connection, responder: str) -> str:
    specs = column(
        connection, "SELECT spec FROM responder WHERE responder_id = ?", responder
    )
    with suppress(IndexError, KeyError, TypeError, ValueError):  # damaged or missing
        return described(json.loads(specs[0])["model"])
    return "a model"


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
