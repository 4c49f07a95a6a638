"""What of a file is not as this program left it, and the errors that come of it.

SQLite looks at its pages, rows are held against their digests, and texts against their
content keys. Whoever finds an error that reading damaged rows ends in asks here whether
the file is at fault; what a sound file ends in is a bug, and stays one.
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

from sqlite_utils import Database

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
from curator.store.connection import column, read_once
from curator.store.migrations import migrations
from curator.store.texts import letters_of
from grading.errors import GradingError
from grading.keys import key_of_pieces

Connection = sqlite3.Connection

HARM = (
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
"""What reading values of a wrong shape ends in, wherever it happens to."""

OF_ROWS = (
    BudgetError,
    EvaluationError,
    GradingError,
    ReleaseError,
    SettingError,
    UnknownNameError,
)
"""A user's errors that rows can end in as well: those of NAMED, all of them few."""

NAMED = ("answer_key", "budget", "grader", "item", "responder", "setting")

LONG = 1 << 20  # bytes of a text; what is longer is read in pieces of this length
WAY_OUT = (
    "`curator verify` lists all that is wrong, `curator repair` mends what follows "
    "from the rest, `curator restore` puts a backup in its place"
)


def blamed(error: BaseException | None, path: Path, connection: Connection) -> None:
    """Raise WorkspaceError where the file's damage is what ``error`` came of.

    A user's own error says all there is to say, unless what it speaks of is damaged.
    """
    if isinstance(error, OF_ROWS):
        if found := first_damage(connection, NAMED):
            why = f"Perhaps that is why: {error}"
            raise WorkspaceError(f"{_damaged(path, found)} {why}") from error
    elif isinstance(error, HARM) and not isinstance(error, CuratorError):
        if connection.in_transaction:
            connection.rollback()
        if found := first_damage(connection):
            raise WorkspaceError(_damaged(path, found)) from error


def refuse_damaged(
    path: Path,
    connection: Connection,
    so: str,
    *,
    tables: Collection[str] | None = None,
) -> None:
    """Raise WorkspaceError where rows of these tables, or anything, are damaged.

    Before something is made of them that counts as sound, such as a bundle, whose rows
    get digests of their own; ``so`` says that it is not made.
    """
    with read_once(connection):
        if found := first_damage(connection, tables):
            raise WorkspaceError(_damaged(path, f"{found}, {so}"))


def _damaged(path: Path, found: str) -> str:
    return f"'{path}' is damaged: {found}. {WAY_OUT}."


def first_damage(connection: Connection, tables: Collection[str] | None = None) -> str:
    """The first thing found wrong, in one line; "" where nothing is.

    With the rows of these ``tables``, or with anything in the file.
    """
    try:
        wrong = [] if tables else file_problems(connection)
        wrong = wrong or [*islice(different_rows(connection, tables), 1)]
        if not (wrong or tables):
            wrong = [*islice(different_texts(connection), 1)]
        return " ".join("".join(wrong[:1]).split())
    except HARM as error:
        return f"it cannot be read ({' '.join(str(error).split())})"


def file_problems(connection: Connection) -> list[str]:
    """What SQLite finds wrong with the file, other tables, rows that refer to none."""
    try:
        found = column(connection, "PRAGMA integrity_check")
    except sqlite3.DatabaseError as error:
        found = [str(error)]
    lines = (line for one in found if one != "ok" for line in one.split("\n"))
    problems = [f"SQLite: {line}" for line in lines if not line.startswith("*** in ")]
    problems = problems or _other_tables(connection)
    if problems:
        return problems
    missing = Counter(
        (table, parent)
        for table, _, parent, _ in connection.execute("PRAGMA foreign_key_check")
    )
    return [
        f"{table}: {counted(number, 'row')} without the {parent} that it is of"
        for (table, parent), number in missing.items()
    ]


def _other_tables(connection: Connection) -> list[str]:
    """Tables, columns, indexes and triggers that this program does not make so."""
    wanted, found = (
        {name: "".join(sql.split()).replace('"', "") for name, sql in one.items()}
        for one in (new_schema(), schema(connection))
    )
    return [
        f"SQLite: the schema's {name} {'differs' if name in found else 'is missing'}"
        if name in wanted
        else f"SQLite: the schema has a {name} that is not this program's"
        for name in sorted(wanted.keys() | found.keys())
        if wanted.get(name) != found.get(name)
    ]


@cache
def new_schema() -> Mapping[str, str]:
    """What makes each table, index, view and trigger of a new workspace.

    By kind and name; all steps make it, once in a process.
    """
    with closing(sqlite3.connect(":memory:")) as made:
        migrations.apply(Database(made))
        return schema(made)


def schema(connection: Connection) -> dict[str, str]:
    """What makes each of a file's tables, indexes, views and triggers."""
    return {
        f"{kind} {name}": sql or ""
        for kind, name, sql in connection.execute(
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'"
        )
        if name != "_sqlite_migrations"
    }


def different_rows(
    connection: Connection, tables: Collection[str] | None = None
) -> Iterator[str]:
    """A sentence for each portion whose rows are not those that were written.

    Of these ``tables``, or of all; then one for each of which no digest is kept and
    that cannot be read, too.
    """
    for table, part in digests.differing(connection, tables):
        yield f"{_said(connection, table, part)} not what was written"
    if tables is not None:
        return
    for table in sorted(digests.WITHOUT - {"_sqlite_migrations"}):
        try:
            for _ in connection.execute(f"SELECT * FROM {table}"):
                pass
        except sqlite3.OperationalError as error:
            yield f"{table}: {' '.join(str(error).split())}"


def _said(connection: Connection, table: str, part: str) -> str:
    if table == "response":
        responder, item = part.split("/")
        of = name_of_item(connection, int(item))
        return f"what {_model(connection, responder)} said of {of} is"
    if table == "embedding":
        responder, text = part.split("/")
        select = "SELECT substr(body, 1, 60) FROM text WHERE text_id = ?"
        words = column(connection, select, int(text))
        of = described(words[0]) if words else "a text that is not there"
        return f"the vectors of {_model(connection, responder)} for {of} are"
    if table == "rating_vector":
        grader, _, query_id = part.partition("/")
        names = column(
            connection, "SELECT name FROM grader WHERE grader_id = ?", grader
        )
        of = f"of {names[0] if names else 'a grader that is not there'} "
        return f"the ratings {of}for query {described(query_id)} are"
    of = f" of query {described(part)}" if part else ""
    return f"the rows of {table}{of} are"


def _model(connection: Connection, responder: str) -> str:
    specs = column(
        connection, "SELECT spec FROM responder WHERE responder_id = ?", responder
    )
    with suppress(IndexError, KeyError, TypeError, ValueError):  # damaged, or gone
        return described(json.loads(specs[0])["model"])
    return "a model"


def name_of_item(connection: Connection, item_id: int) -> str:
    """What people call an item: by its question's id, or else by its words."""
    found = connection.execute(
        "SELECT item.kind, (SELECT min(question_id) FROM question "
        "WHERE question.item_id = item.item_id), "
        "coalesce(substr(body, 1, 200), item.public_id) "
        "FROM item LEFT JOIN text USING (text_id) WHERE item_id = ?",
        (item_id,),
    ).fetchone()
    if found is None:
        return "an item that is not there"
    kind, question_id, words = found
    return f"{kind} {described(words if question_id is None else question_id)}"


def different_texts(connection: Connection) -> Iterator[str]:
    """A sentence for each text that is not the one whose content key it has."""
    for text_id, *stored in connection.execute(
        "SELECT text_id, sha256, letters FROM text"
    ).fetchall():
        key, letters, begin = _read(connection, text_id)
        if key != stored[0]:
            yield f"the text {described(begin)} is not the one that was stored"
        elif letters != stored[1]:
            yield f"the text {described(begin)} has not its stored length"


def _read(connection: Connection, text_id: int) -> tuple[str, int, str]:
    """A text's content key, "" where it is no text; its length, and how it begins."""
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
    """A text in pieces. Raises UnicodeDecodeError."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with connection.blobopen("text", "body", text_id, readonly=True) as blob:
        while stored := blob.read(LONG):
            yield decoder.decode(stored)
    yield decoder.decode(b"", final=True)
