"""Copies of a workspace file: backups, and the databases of bundles.

A copy is written to a temporary file in the same folder and renamed when it is
complete, so that a crash leaves the previous file.

The copy of a bundle has no data of one machine or one moment: running work, drawn
pairs, people and permissions, the secret that masks systems in blind mode, the endpoint
of a model.

It also lacks everything of restricted queries, and then every text without references,
so that each number of the copy can be computed again from the copy alone.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import numpy as np

from curator.errors import WorkspaceError
from curator.store import grades, versions
from curator.store.bundles.integrity import rebuilt_vectors
from curator.store.connection import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    column,
    error_reason,
    open_workspace,
    write_transaction,
)
from curator.store.restricted import (
    create_withheld_tables,
    read_restricted,
    read_withheld,
)
from curator.unfinished import unfinished_file
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec


def copy_to(connection: sqlite3.Connection, file: Path, *, check: bool = True) -> None:
    """Copy the database of this connection to ``file``, as of one moment.

    Writers are not blocked: it reads one state of the log. Raises WorkspaceError if the
    copy cannot be written, or, with ``check``, is damaged.
    """
    with _temporary_copy(file) as part:
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
            if check:
                _require_intact(copy, file)
        with open(part, "rb+") as written_file:
            os.fsync(written_file.fileno())
        part.replace(file)


def restore_to(file: Path, path: Path) -> Path | None:
    """Replace the workspace at ``path`` with the copy ``file``.

    The previous file is kept in the same folder under the path that is returned. Raises
    WorkspaceError if ``file`` is damaged or no workspace, or if a connection to the
    workspace is open.
    """
    if not file.is_file():
        raise WorkspaceError(f"No file '{file}' to restore.")
    if path.exists() and file.samefile(path):
        raise WorkspaceError(f"'{file}' is the workspace itself.")
    try:
        # Also with a log beside it: then it is a workspace that was merely copied.
        source = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(source, uri=True)) as copy:
            _require_intact(copy, file)
            with _temporary_copy(path) as part:
                with closing(sqlite3.connect(part)) as new_workspace:
                    copy.backup(new_workspace)
                old_path = _rename_existing(path)
                part.replace(path)
    except sqlite3.DatabaseError as error:
        raise WorkspaceError(
            f"'{file}' cannot be read: {error_reason(error)}."
        ) from error
    return old_path


def _require_intact(copy: sqlite3.Connection, file: Path) -> None:
    (application,) = copy.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise WorkspaceError(f"'{file}' is not a copy of a Curator workspace.")
    (version,) = copy.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise WorkspaceError(
            f"'{file}' was made by a newer Curator (schema {version}, this one reads "
            f"up to {SCHEMA_VERSION})."
        )
    (problem,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    if problem != "ok":
        raise WorkspaceError(f"'{file}' is damaged: {' '.join(str(problem).split())}.")


def _rename_existing(path: Path) -> Path | None:
    """Rename the workspace at ``path``; return its new path, or None without one."""
    if not path.exists():
        return None
    try:
        with closing(
            sqlite3.connect(path, timeout=0, isolation_level=None)
        ) as exclusive:
            # Refused while another connection is open; otherwise the log is merged into
            # the file.
            (mode,) = exclusive.execute("PRAGMA journal_mode = DELETE").fetchone()
            in_use = mode != "delete"
            exclusive.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError:
        in_use = True
    except sqlite3.DatabaseError:
        in_use = False  # damaged, which is why it is restored
    if in_use:
        raise WorkspaceError(
            f"'{path}' is in use: stop its server and its jobs, then restore it."
        )
    new_path = backup_path(path)
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").replace(f"{new_path}{suffix}")
    return new_path


def backup_path(path: Path) -> Path:
    """Return the path under which the current file at ``path`` is kept."""
    return path.with_name(f"{path.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")


@contextmanager
def _temporary_copy(file: Path) -> Iterator[Path]:
    """Yield an ``unfinished_file``. Raises WorkspaceError if it is not writable."""
    if not file.parent.is_dir():
        raise WorkspaceError(f"No folder '{file.parent}' to write '{file.name}' in.")
    try:
        with unfinished_file(file) as part:
            yield part
    except (OSError, sqlite3.DatabaseError) as error:
        cause = (
            error_reason(error) if isinstance(error, sqlite3.Error) else error.strerror
        )
        raise WorkspaceError(f"'{file}' cannot be written: {cause}.") from error


# Databases of bundles

EXCLUDED_TABLES = frozenset(
    {"job", "claim", "clock", "published", "to_check", "person", "assignment"}
    | {"handed", "restriction"}
)
"""Tables whose rows stay behind."""

SALT_BYTES = 16  # of a new workspace's; the copy has "0"


@dataclass(frozen=True, slots=True)
class Omissions:
    """Queries, releases and norming rounds missing from a copy.

    ``reweighed`` names the graders based on word frequencies, which are computed again
    from the remaining texts.
    """

    queries: tuple[str, ...]
    releases: tuple[str, ...]
    rounds: int
    reweighed: tuple[str, ...]


_RESTRICTED = "query_id IN (SELECT value FROM temp.withheld_query)"
_RELEASED = (
    "EXISTS (SELECT 1 FROM json_each(body, '$.queries') AS entry "
    "WHERE entry.value ->> 'query_id' IN (SELECT value FROM temp.withheld_query))"
)
_ROUNDS = f"SELECT round_id FROM norming_item WHERE {_RESTRICTED}"
_ROUND_ROWS = {
    "norming_round": "round_id",
    "norming_item": "round_id",
    "mark": "target ->> 'round_id'",
    "event": "coalesce(after, before) ->> 'round_id'",
}
"""Tables with rows of norming rounds, and the number of their round."""
# In this order, since referring rows go first. If a text occurs elsewhere too, all
# responses about it stay.
_UNUSED = (
    ("batch", "batch_id NOT IN (SELECT batch_id FROM event)"),
    (
        "segment",
        "document NOT IN (SELECT number FROM passage) "
        "OR passage NOT IN (SELECT number FROM passage)",
    ),
    (
        "item",
        "item_id NOT IN "
        "(SELECT item_id FROM question UNION SELECT item_id FROM rating_vector)",
    ),
    (
        "answer_key",
        "key_id > 0 AND key_id NOT IN "
        "(SELECT key_id FROM question UNION SELECT key_id FROM rating_vector)",
    ),
    (
        "text",
        "text_id NOT IN ("
        + " UNION ".join(
            f"SELECT {name} FROM {table} WHERE {name} IS NOT NULL"
            for table, name in (
                ("passage", "text_id"),
                ("question", "text_id"),
                ("item", "text_id"),
                ("generation", "text_id"),
            )
        )
        + ")",
    ),
    (
        "response",
        "item_id NOT IN (SELECT item_id FROM item) "
        "OR text_id NOT IN (SELECT text_id FROM text) "
        "OR key_id NOT IN (SELECT key_id FROM answer_key)",
    ),
    ("embedding", "text_id NOT IN (SELECT text_id FROM text)"),
)


def write_copy(connection: Connection, file: Path) -> Omissions | None:
    """Copy the workspace to ``file`` for a bundle; return what is restricted.

    No page of the file has anything of the deleted rows. Raises WorkspaceError if it
    cannot be written.
    """
    copy_to(connection, file, check=False)
    with closing(open_workspace(file)) as copy:
        copy.execute("PRAGMA secure_delete = ON")
        omissions = None
        with without_foreign_keys(copy), write_transaction(copy):
            if restricted := read_restricted(copy):
                omissions = _delete_restricted(copy, restricted)
            for table in EXCLUDED_TABLES:
                _delete(copy, table, "1")
            _delete(copy, "generation", "state = 'asking'")
            _set_secrets(copy, "0")
        copy.execute("PRAGMA journal_mode = DELETE")
        copy.execute("VACUUM")
    return omissions


def _set_secrets(connection: Connection, salt: str) -> None:
    """Replace the secret of blind mode, if set, and remove the endpoint of a model."""
    update = "UPDATE setting SET value = ? WHERE key = ?"
    connection.execute(update, (salt, "blind"))
    select = "SELECT value FROM setting WHERE key = 'generation'"
    for value in column(connection, select):
        connection.execute(update, (without_endpoint(value), "generation"))


def without_endpoint(value: str) -> str:
    """Remove the endpoint from generation settings, which is another's machine."""
    with suppress(ValueError):  # unreadable settings contain no endpoint
        spec = json.loads(value)
        if isinstance(spec, dict) and spec.pop("endpoint", None) is not None:
            return json.dumps(spec)
    return value


def open_copy(file: Path) -> Connection:
    """Open the database of anybody's bundle, so that nothing in it is executed."""
    uri = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def copy_rows(source: Connection, connection: Connection) -> dict[str, int]:
    """Replace the rows of an empty workspace by those of a bundle; return counts.

    Call within a write transaction, and verify the workspace afterwards.
    """
    counts = {}
    for table in bundled_tables(connection):
        columns = column(connection, "SELECT name FROM pragma_table_info(?)", table)
        names = ", ".join(f'"{name}"' for name in columns)
        rows = source.execute(f'SELECT {names} FROM "{table}"')
        counts[table] = replace_rows(connection, table, columns, rows)
    _set_secrets(connection, secrets.token_hex(SALT_BYTES))
    versions.bump_all(connection)
    return counts


def replace_rows(
    connection: Connection, table: str, columns: list[str], rows: Iterator[Any]
) -> int:
    """Replace the rows of a table; return their number."""
    names = ", ".join(f'"{name}"' for name in columns)
    marks = ", ".join("?" * len(columns))
    insert = f'INSERT INTO "{table}" ({names}) VALUES ({marks})'
    connection.execute(f'DELETE FROM "{table}"')
    return max(connection.executemany(insert, rows).rowcount, 0)


def bundled_tables(connection: Connection) -> list[str]:
    """Return the names of the tables whose rows a bundle has, sorted."""
    select = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
    return [name for name in column(connection, select) if name not in EXCLUDED_TABLES]


def is_empty(connection: Connection) -> bool:
    """Return True if the workspace contains nothing."""
    predefined = {"answer_key": "WHERE key_id > 0"}
    return not any(
        connection.execute(
            f"SELECT 1 FROM {table} {predefined.get(table, '')} LIMIT 1"
        ).fetchone()
        for table in (*bundled_tables(connection), "job", "published")
    )


@contextmanager
def without_foreign_keys(connection: Connection) -> Iterator[None]:
    """Turn off foreign keys for a block, so that tables may be filled in any order.

    Checked row by row, references to missing rows would make SQLite search whole
    tables; the caller checks all of them at the end.
    """
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def write_published(
    connection: Connection, path: str, manifest: object, body: str
) -> None:
    """Store a bundle's file of numbers, to be computed again by ``verify``."""
    connection.execute(
        "INSERT INTO published (path, manifest, body) VALUES (?, ?, ?)",
        (path, json.dumps(manifest, ensure_ascii=False), body),
    )


def read_published(connection: Connection) -> Iterator[tuple[str, Any, str]]:
    """Yield (path, manifest of its numbers, content) of each stored file."""
    for path, manifest, body in connection.execute(
        "SELECT path, manifest, body FROM published ORDER BY path"
    ):
        yield path, json.loads(manifest), body


def _delete_restricted(copy: Connection, restricted: frozenset[str]) -> Omissions:
    """Delete all of these queries, and all that only they refer to."""
    create_withheld_tables(copy, withheld := read_withheld(copy, restricted))
    releases = column(copy, f"SELECT name FROM release WHERE {_RELEASED}")
    rounds = column(copy, f"{_ROUNDS} GROUP BY round_id")
    # Fields of files are found by ids, which still exist here; numbers go, too.
    visible_entity = "iif(entity = 'nugget_grade', entity, '')"
    _delete(copy, "extra", f"NOT is_shown({visible_entity}, key, json)")
    _delete(copy, "release", _RELEASED)
    for table, number in _ROUND_ROWS.items():
        _delete(copy, table, f"{number} IN ({json.dumps(rounds)[1:-1]})")
    copy.execute("UPDATE batch SET shown = NULL")
    select = (
        "SELECT name FROM sqlite_schema AS entry WHERE type = 'table' AND EXISTS "
        "(SELECT 1 FROM pragma_table_info(entry.name) WHERE name = 'query_id')"
    )
    for table in column(copy, select):
        _delete(copy, table, _RESTRICTED)
    ids = json.dumps([*withheld.passages])
    delete = "DELETE FROM passage WHERE passage_id IN (SELECT value FROM json_each(?))"
    copy.execute(delete, (ids,))
    for table, unused in _UNUSED:
        _delete(copy, table, unused)
    reweighed = _recompute_frequencies(copy)
    return Omissions(tuple(sorted(restricted)), tuple(releases), len(rounds), reweighed)


def _delete(copy: Connection, table: str, where: str) -> None:
    copy.execute(f'DELETE FROM main."{table}" WHERE {where}')


def _recompute_frequencies(copy: Connection) -> tuple[str, ...]:
    """Grade again with word frequencies of the remaining texts; return the graders.

    The frequencies of the whole collection would reveal words of deleted texts.
    """
    weighing_graders = {
        grader_id: spec
        for grader_id, spec in grades.read_graders(copy).items()
        if spec.reading.frequencies
    }
    _delete(copy, "frequencies", "1")
    frequencies = grades.count_frequencies(copy)
    for grader_id, spec in weighing_graders.items():
        grades.write_frequencies(copy, frequencies)
        new_spec = replace(
            spec, reading=replace(spec.reading, frequencies=frequencies.key)
        )
        _replace_key(copy, spec.key, new_spec.key)
        row = new_spec.key, json.dumps(new_spec.to_json()), grader_id
        copy.execute("UPDATE grader SET sha256 = ?, spec = ? WHERE grader_id = ?", row)
        responder_id = grades.responder_id_of(copy, grader_id)
        for query_id, vectors in grades.stored_vectors(copy, grader_id).items():
            derived = rebuilt_vectors(
                copy, new_spec, responder_id, query_id, [*vectors]
            )
            for item in vectors.keys() & derived.keys():
                before, after = vectors[item], derived[item][: len(vectors[item])]
                vectors[item] = np.where(before != NOT_ASKED, after, before)
            grades.write_vectors(copy, grader_id, query_id, vectors)
    return tuple(spec.name for spec in weighing_graders.values())


def _replace_key(copy: Connection, old_key: str, new_key: str) -> None:
    """Replace a grader's key in the specifications of graders that refer to it."""
    select = "SELECT grader_id, responder_id, spec FROM grader WHERE instr(spec, ?)"
    for grader_id, responder_id, stored in copy.execute(select, (old_key,)).fetchall():
        spec = GraderSpec.from_json(json.loads(stored.replace(old_key, new_key)))
        rows = (
            ("responder", spec.responder.key, asdict(spec.responder), responder_id),
            ("grader", spec.key, spec.to_json(), grader_id),
        )
        for table, key, value, number in rows:
            copy.execute(
                f"UPDATE {table} SET sha256 = ?, spec = ? WHERE {table}_id = ?",
                (key, json.dumps(value), number),
            )
