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
from curator.store.connection import SCHEMA_VERSION, column, to_json

OLDEST_SCHEMA = 31
"""The oldest schema that is migrated."""

FORMER_TABLES = (
    *("done", "vote", "verdict", "checked", "ideal", "dismissal", "decision", "note"),
    *("norming_answer", "norming_comment", "digest", "_sqlite_migrations"),
)
"""Tables that files of schemas 31 to 33 have, and later ones do not."""

_FORMER_MARKS = {
    "done": ("done", "query_id, judge, at, 1 AS value FROM done"),
    "vote": (
        "vote",
        "(SELECT query_id FROM event WHERE event.question_id = vote.question_id "
        "LIMIT 1), judge, at, question_id AS target_question_id, value FROM vote",
    ),
    "verdict": (
        "verdict",
        "query_id, judge, at, asked.body AS target_question, "
        "answered.body AS target_answer, question_id, value "
        "FROM verdict JOIN text AS asked ON asked.text_id = verdict.question "
        "JOIN text AS answered ON answered.text_id = verdict.answer",
    ),
    "check": (
        "checked",
        "query_id, judge, at, nullif(item, '') AS target_item, "
        "passage_id AS target_passage_id, answer, probability, drawn, seconds, at "
        "FROM checked JOIN passage ON number = passage",
    ),
    "ideal": (
        "ideal",
        "query_id, judge, at, passage_id AS target_passage_id, start AS target_start, "
        'nullif("end", -1) AS target_end, grade '
        "FROM ideal JOIN passage ON number = passage",
    ),
    "dismissal": (
        "dismissal",
        "query_id, judge, at, key AS target_key, key, state, reason, judge "
        "FROM dismissal",
    ),
    "decision": (
        "decision",
        "query_id, judge, at, key AS target_key, key, value, state, reason, judge "
        "FROM decision",
    ),
    "note": (
        "note",
        "query_id, judge, at, question_id AS target_question_id, text, flagged "
        "FROM note",
    ),
}
"""The former table of each kind of mark, and what to select from it.

Columns after the third are fields of the value, or of the target by their prefix.
"""
_SWITCHES = {"done": "value", "note": "flagged"}
"""Fields that are true or false."""


@cache
def schema_statements() -> tuple[str, ...]:
    """Return the SQL statements that make a new workspace."""
    return statements(Path(__file__).with_name("schema.sql").read_text("utf-8"))


def statements(script: str) -> tuple[str, ...]:
    """Return the SQL statements of a script without triggers, in order."""
    lines = (line.partition("--")[0].rstrip() for line in script.splitlines())
    return tuple(part.strip() for part in "\n".join(lines).split(";") if part.strip())


def create_schema(connection: Connection) -> None:
    """Create the tables of this version in an empty file."""
    for statement in schema_statements():
        connection.execute(statement)


def migrate(connection: Connection) -> None:
    """Migrate the file to SCHEMA_VERSION; do nothing if it is current.

    Call within a write transaction. Raises WorkspaceError if the file's version is
    older than OLDEST_SCHEMA.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        create_schema(connection)
    elif version < OLDEST_SCHEMA:
        raise WorkspaceError(
            f"This workspace has schema {version}; this Curator opens files from "
            f"{OLDEST_SCHEMA} on. Open it with the version before this one first."
        )
    else:
        for new_version, step in STEPS.items():
            if version < new_version:
                step(connection)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _unite_marks(connection: Connection) -> None:
    """Move the rows of the former tables of marks, with events of norming, to one."""
    tables = set(column(connection, "SELECT name FROM sqlite_schema"))
    if "mark" not in tables:
        (create,) = (text for text in schema_statements() if " mark (" in text)
        connection.execute(create)
    for kind, (table, select) in _FORMER_MARKS.items():
        if table in tables:
            _move_marks(connection, kind, f"SELECT {select}")
    if "norming_answer" in tables:
        _move_norming_answers(connection)
    if "norming_comment" in tables:
        _move_norming_comments(connection)
    split_nugget_docs(connection)
    for table in tables.intersection(FORMER_TABLES):
        connection.execute(f"DROP TABLE {table}")
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


def _move_marks(connection: Connection, kind: str, select: str) -> None:
    cursor = connection.execute(select)
    names = [name for name, *_ in cursor.description[3:]]
    for query_id, judge, at, *stored in cursor.fetchall():
        fields = dict(zip(names, stored, strict=True))
        target = {
            name.removeprefix("target_"): fields.pop(name)
            for name in names
            if name.startswith("target_")
        }
        if switch := _SWITCHES.get(kind):
            fields[switch] = bool(fields[switch])
        value = fields["value"] if kind in ("done", "vote") else fields
        row = query_id, kind, to_json(target), judge, to_json(value), at
        connection.execute("INSERT INTO mark VALUES (?, ?, ?, ?, ?, ?)", row)


def _move_norming_answers(connection: Connection) -> None:
    """Make marks, with their events, of the answers in norming rounds."""
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


def _move_norming_comments(connection: Connection) -> None:
    """Make marks, with their events, of the comments in norming rounds."""
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


STEPS: Mapping[int, Callable[[Connection], None]] = {34: _unite_marks}
"""The function that migrates files of any older schema to each version, in order."""
