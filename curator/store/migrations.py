"""The schema of workspaces, and migrations from the schema of the version before.

``schema.sql`` makes a new workspace. A later schema adds a step here; all steps that a
file needs are one transaction, so one that fails leaves the file unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from curator.errors import WorkspaceError
from curator.store.connection import SCHEMA_VERSION, to_json

OLDEST_SCHEMA = 31
"""The oldest schema that is migrated."""

_FORMER_MARK_TABLES = """
CREATE TABLE done (
    query_id TEXT NOT NULL REFERENCES query,
    judge TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (query_id, judge)
) STRICT, WITHOUT ROWID;
CREATE TABLE vote (
    question_id TEXT NOT NULL REFERENCES question (question_id),
    judge TEXT NOT NULL,
    value TEXT NOT NULL CHECK (value IN ('vital', 'okay')),
    at TEXT NOT NULL,
    PRIMARY KEY (question_id, judge)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdict (
    query_id TEXT NOT NULL REFERENCES query,
    question INTEGER NOT NULL REFERENCES text,
    answer INTEGER NOT NULL REFERENCES text,
    judge TEXT NOT NULL,
    question_id TEXT NOT NULL,
    value TEXT NOT NULL CHECK (value IN ('right', 'wrong')),
    at TEXT NOT NULL,
    PRIMARY KEY (query_id, question, answer, judge)
) STRICT, WITHOUT ROWID;
CREATE TABLE checked (
    query_id TEXT NOT NULL REFERENCES query,
    item TEXT NOT NULL,
    passage INTEGER NOT NULL REFERENCES passage,
    judge TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (
        CASE WHEN item <> '' THEN answer IN ('yes', 'no', 'unsure')
        ELSE answer = 'unsure' OR (answer = CAST(CAST(answer AS INTEGER) AS TEXT)
            AND CAST(answer AS INTEGER) BETWEEN 0 AND 30000) END
    ),
    probability REAL CHECK (probability > 0 AND probability <= 1),
    drawn INTEGER NOT NULL CHECK (drawn >= 0),
    seconds REAL CHECK (seconds >= 0),
    at TEXT NOT NULL,
    CHECK ((probability IS NULL) = (drawn = 0)),
    PRIMARY KEY (query_id, item, passage, judge)
) STRICT, WITHOUT ROWID;
CREATE TABLE ideal (
    query_id TEXT NOT NULL REFERENCES query,
    passage INTEGER NOT NULL REFERENCES passage,
    start INTEGER NOT NULL CHECK (start >= 0),
    end INTEGER NOT NULL CHECK (end = -1 OR end > start),

    judge TEXT NOT NULL DEFAULT '' CHECK (judge IN ('', by)),
    grade INTEGER CHECK (grade >= 1),
    by TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (query_id, passage, start, end, judge)
) STRICT, WITHOUT ROWID;
CREATE TABLE dismissal (
    query_id TEXT NOT NULL REFERENCES query,
    key TEXT NOT NULL CHECK (key <> ''),
    state TEXT NOT NULL,
    reason TEXT NOT NULL CHECK (reason <> ''),
    judge TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (query_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE decision (
    query_id TEXT NOT NULL REFERENCES query,
    key TEXT NOT NULL CHECK (key <> ''),
    value TEXT NOT NULL CHECK (value <> ''),
    state TEXT NOT NULL,
    reason TEXT NOT NULL,
    judge TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (query_id, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE note (
    query_id TEXT NOT NULL REFERENCES query,
    question_id TEXT NOT NULL,
    judge TEXT NOT NULL,
    text TEXT NOT NULL,
    flagged INTEGER NOT NULL CHECK (flagged IN (0, 1)),
    at TEXT NOT NULL,
    CHECK (text <> '' OR flagged),
    PRIMARY KEY (query_id, question_id, judge)
) STRICT, WITHOUT ROWID;
"""

_FORMER_NORMING_TABLES = """
CREATE TABLE norming_answer (
    answer_id INTEGER PRIMARY KEY,
    round_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    judge TEXT NOT NULL,
    answer TEXT,
    blind INTEGER NOT NULL CHECK (blind IN (0, 1)),
    at TEXT NOT NULL,
    nonce TEXT UNIQUE,
    FOREIGN KEY (round_id, place) REFERENCES norming_item
) STRICT;
CREATE TABLE norming_comment (
    comment_id INTEGER PRIMARY KEY,
    round_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    judge TEXT NOT NULL,
    text TEXT NOT NULL CHECK (text <> ''),
    at TEXT NOT NULL,
    nonce TEXT UNIQUE,
    FOREIGN KEY (round_id, place) REFERENCES norming_item
) STRICT;
"""

_FORMER_MARKS = {
    "done": "SELECT query_id, judge, at FROM done",
    "vote": (
        "SELECT (SELECT query_id FROM event WHERE event.question_id = "
        "vote.question_id LIMIT 1), judge, at, question_id, value FROM vote"
    ),
    "verdict": (
        "SELECT query_id, judge, at, asked.body, answered.body, question_id, value "
        "FROM verdict JOIN text AS asked ON asked.text_id = verdict.question "
        "JOIN text AS answered ON answered.text_id = verdict.answer"
    ),
    "check": (
        "SELECT query_id, judge, at, nullif(item, ''), passage_id, answer, "
        "probability, drawn, seconds, at "
        "FROM checked JOIN passage ON number = passage"
    ),
    "ideal": (
        'SELECT query_id, judge, at, passage_id, start, nullif("end", -1), grade '
        "FROM ideal JOIN passage ON number = passage"
    ),
    "dismissal": (
        "SELECT query_id, judge, at, key, key, state, reason, judge FROM dismissal"
    ),
    "decision": (
        "SELECT query_id, judge, at, key, key, value, state, reason, judge "
        "FROM decision"
    ),
    "note": "SELECT query_id, judge, at, question_id, text, flagged FROM note",
}
_MARK_FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "verdict": (("question", "answer"), ("question_id", "value")),
    "check": (
        ("item", "passage_id"),
        ("answer", "probability", "drawn", "seconds", "at"),
    ),
    "ideal": (("passage_id", "start", "end"), ("grade",)),
    "dismissal": (("key",), ("key", "state", "reason", "judge")),
    "decision": (("key",), ("key", "value", "state", "reason", "judge")),
    "note": (("question_id",), ("text", "flagged")),
}
"""Fields of target and value, in the order in which they are selected."""


@cache
def schema_statements() -> tuple[str, ...]:
    """Return the SQL statements that make a new workspace."""
    return statements(Path(__file__).with_name("schema.sql").read_text("utf-8"))


def statements(script: str) -> tuple[str, ...]:
    """Return the SQL statements of a script without triggers, in order."""
    lines = (line.partition("--")[0].rstrip() for line in script.splitlines())
    return tuple(part.strip() for part in "\n".join(lines).split(";") if part.strip())


def create_schema(connection: Connection, version: int = SCHEMA_VERSION) -> None:
    """Create the tables of this version in an empty file."""
    for statement in schema_statements():
        connection.execute(statement)
    former_tables = ""
    if version < 34:
        former_tables = _FORMER_NORMING_TABLES
    if version < 32:
        connection.execute("DROP TABLE mark")
        former_tables += _FORMER_MARK_TABLES
    for statement in statements(former_tables):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version}")


def migrate(connection: Connection) -> None:
    """Migrate the file to SCHEMA_VERSION; do nothing if it is current.

    Call within a write transaction. Raises WorkspaceError if the file's version is
    older than OLDEST_SCHEMA.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == SCHEMA_VERSION:
        return
    if version == 0:
        create_schema(connection)
    elif version < OLDEST_SCHEMA:
        raise WorkspaceError(
            f"This workspace has schema {version}; this Curator opens files from "
            f"{OLDEST_SCHEMA} on. Open it with the version before this one first."
        )
    else:
        for number in range(version, SCHEMA_VERSION):
            STEPS[number](connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _unite_marks(connection: Connection) -> None:
    """Move the rows of the eight former tables of marks to one."""
    (create,) = (text for text in schema_statements() if " mark (" in text)
    connection.execute(create)
    for kind, select in _FORMER_MARKS.items():
        for query_id, judge, at, *stored in connection.execute(select).fetchall():
            target, value = _mark_of(kind, stored)
            row = query_id, kind, to_json(target), judge, to_json(value), at
            connection.execute("INSERT INTO mark VALUES (?, ?, ?, ?, ?, ?)", row)
    for statement in statements(_FORMER_MARK_TABLES):
        connection.execute(f"DROP TABLE {statement.split()[2]}")
    connection.execute("DROP TABLE IF EXISTS _sqlite_migrations")
    _use_schema_texts(connection)


def _use_schema_texts(connection: Connection) -> None:
    """Replace the stored text of each table by that of ``schema.sql``.

    Their columns are the same; texts of tables that got columns by ALTER TABLE are
    written differently.
    """
    connection.execute("PRAGMA writable_schema = ON")
    try:
        for statement in schema_statements():
            words = statement.split()
            if words[:2] == ["CREATE", "TABLE"]:
                update = "UPDATE sqlite_schema SET sql = ? WHERE tbl_name = name"
                connection.execute(f"{update} AND name = ?", (statement, words[2]))
        (number,) = connection.execute("PRAGMA schema_version").fetchone()
        connection.execute(f"PRAGMA schema_version = {number + 1}")
    finally:
        connection.execute("PRAGMA writable_schema = OFF")


def _mark_of(kind: str, stored: list[Any]) -> tuple[dict[str, Any], Any]:
    """Return target and value of a mark from the columns of its former table."""
    if kind == "done":
        return {}, True
    if kind == "vote":
        return {"question_id": stored[0]}, stored[1]
    target_names, value_names = _MARK_FIELDS[kind]
    target = dict(zip(target_names, stored, strict=False))
    value = dict(zip(value_names, stored[len(target_names) :], strict=True))
    if kind == "note":
        value["flagged"] = bool(value["flagged"])
    return target, value


def _drop_digests(connection: Connection) -> None:
    connection.execute("DROP TABLE IF EXISTS digest")


def _move_norming(connection: Connection) -> None:
    """Make marks, with their events, of the answers and comments of norming rounds."""
    current: dict[tuple[int, int, str], dict[str, Any]] = {}
    for (
        round_id,
        place,
        query_id,
        judge,
        answer,
        blind,
        at,
        nonce,
    ) in connection.execute(
        "SELECT round_id, place, query_id, judge, answer, blind, at, nonce "
        "FROM norming_answer JOIN norming_item USING (round_id, place) "
        "ORDER BY answer_id"
    ).fetchall():
        target = {"round_id": round_id, "place": place}
        before = current.pop((round_id, place, judge), None)
        after = None
        if answer is not None:
            first = {"first": answer, "blind": bool(blind)}
            if before and not blind:
                first = {"first": before["first"], "blind": before["blind"]}
            after = current[round_id, place, judge] = {"answer": answer, **first}
        saved = query_id, "norming", judge, at
        _write_mark(connection, saved, target, ("norming", before, after), nonce)
    times: set[tuple[Any, ...]] = set()
    for round_id, place, query_id, judge, text, at, nonce in connection.execute(
        "SELECT round_id, place, query_id, judge, text, at, nonce "
        "FROM norming_comment JOIN norming_item USING (round_id, place) "
        "ORDER BY comment_id"
    ).fetchall():
        time = datetime.fromisoformat(at)
        while (round_id, place, judge, time) in times:
            time += timedelta(microseconds=1)
        times.add((round_id, place, judge, time))
        at = time.isoformat(timespec="microseconds")
        target = {"round_id": round_id, "place": place, "at": at}
        saved = query_id, "comment", judge, at
        _write_mark(connection, saved, target, ("text", None, text), nonce)
    for table in ("norming_answer", "norming_comment"):
        connection.execute(f"DROP TABLE {table}")


def _write_mark(
    connection: Connection,
    saved: tuple[str, str, str, str],
    target: dict[str, Any],
    change: tuple[str, Any, Any],
    nonce: str | None,
) -> None:
    """Append the event of a mark, and replace the mark.

    ``saved`` are query, kind, judge and time, ``change`` the name of the value, and the
    value before and after.
    """
    query_id, kind, judge, at = saved
    name, before, after = change
    insert = "INSERT INTO batch (at, by, kind, nonce) VALUES (?, ?, 'edit', ?)"
    batch = connection.execute(insert, (at, judge, nonce)).lastrowid
    sides = (
        json.dumps({**target, name: side}, ensure_ascii=False)
        for side in (before, after)
    )
    connection.execute(
        "INSERT INTO event (batch_id, query_id, kind, before, after) "
        "VALUES (?, ?, ?, ?, ?)",
        (batch, query_id, kind, *sides),
    )
    key = query_id, kind, to_json(target), judge
    connection.execute(
        "DELETE FROM mark WHERE query_id = ? AND kind = ? AND target = ? AND judge = ?",
        key,
    )
    if after is not None:
        row = (*key, to_json(after), at)
        connection.execute("INSERT INTO mark VALUES (?, ?, ?, ?, ?, ?)", row)


STEPS: Mapping[int, Callable[[Connection], None]] = {
    31: _unite_marks,
    32: _drop_digests,
    33: _move_norming,
}
"""What leads from each version of the schema to the next."""
