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

_FORMER_TABLES: dict[int, dict[str, str]] = {
    31: {
        "done": "query_id judge | at",
        "vote": "question_id judge | value at",
        "verdict": (
            "query_id question:INTEGER answer:INTEGER judge | question_id value at"
        ),
        "checked": (
            "query_id item passage:INTEGER judge | answer probability:REAL? "
            "drawn:INTEGER seconds:REAL? at"
        ),
        "ideal": (
            "query_id passage:INTEGER start:INTEGER end:INTEGER judge | "
            "grade:INTEGER? by at"
        ),
        "dismissal": "query_id key | state reason judge at",
        "decision": "query_id key | value state reason judge at",
        "note": "query_id question_id judge | text flagged:INTEGER at",
    },
    33: {
        "norming_answer": (
            "answer_id:INTEGER | round_id:INTEGER place:INTEGER judge answer:TEXT? "
            "blind:INTEGER at nonce:TEXT?"
        ),
        "norming_comment": (
            "comment_id:INTEGER | round_id:INTEGER place:INTEGER judge text at "
            "nonce:TEXT?"
        ),
    },
}
"""Tables that a schema was the last to have: key columns, and others after a bar.

Columns are TEXT unless they state a type, and NOT NULL unless that ends with "?".
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
    if version < 32:
        connection.execute("DROP TABLE mark")
    for last_version, tables in _FORMER_TABLES.items():
        for table, columns in tables.items() if version <= last_version else ():
            connection.execute(_create_former_table(table, columns))
    connection.execute(f"PRAGMA user_version = {version}")


def _create_former_table(table: str, columns: str) -> str:
    definitions = []
    for column in columns.replace("|", "").split():
        name, _, declared = column.partition(":")
        null = "" if declared.endswith("?") else " NOT NULL"
        definitions.append(f'"{name}" {declared.rstrip("?") or "TEXT"}{null}')
    key = ", ".join(
        f'"{column.split(":")[0]}"' for column in columns.split("|")[0].split()
    )
    return (
        f"CREATE TABLE {table} ({', '.join(definitions)}, PRIMARY KEY ({key})) STRICT"
    )


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
    for table in _FORMER_TABLES[31]:
        connection.execute(f"DROP TABLE {table}")
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
    for table in _FORMER_TABLES[33]:
        connection.execute(f"DROP TABLE {table}")


def _move_norming_and_nuggets(connection: Connection) -> None:
    _move_norming(connection)
    split_nugget_docs(connection)


def split_nugget_docs(connection: Connection) -> None:
    """Make a record of each question of a topic of nuggets with documents."""
    former = "FROM extra WHERE entity = 'nugget_docs_topic'"
    for (topic,) in connection.execute(f"SELECT json {former}").fetchall():
        for question_id, (aggregator, by_answer, *more) in json.loads(topic):
            item = {
                "question": None,
                "aggregator_type": aggregator,
                "answers": {a: {"references": ids} for a, ids in by_answer.items()},
                **({"more": more} if more else {}),
            }
            connection.execute(
                "INSERT OR IGNORE INTO extra VALUES "
                "('nugget_docs_question', ?, 'nugget_docs', ?)",
                (question_id, json.dumps(item)),
            )
    connection.execute(f"DELETE {former}")


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
    33: _move_norming_and_nuggets,
}
"""What leads from each version of the schema to the next."""
