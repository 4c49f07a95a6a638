"""A copy of a workspace file while it is in use, and back again.

A copy is made beside the file that it is to be and takes its name when it is whole, so
that whatever ends the process leaves the one before.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from curator.errors import WorkspaceError
from curator.store.connection import APPLICATION_ID, SCHEMA_VERSION, reason
from curator.unfinished import part_of


def copy_to(connection: sqlite3.Connection, file: Path, *, sound: bool = True) -> None:
    """Make ``file`` a copy of what this connection reads, as of one moment.

    Nobody who saves waits for it: it reads one state of the log. Raises WorkspaceError
    where the copy cannot be written, or, unless it need not be ``sound``, is damaged.
    """
    with _made_beside(file) as part:
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
            if sound:
                _require_sound(copy, file)
        with open(part, "rb+") as written:
            os.fsync(written.fileno())
        part.replace(file)


def restore_to(file: Path, path: Path) -> Path | None:
    """Make the workspace at ``path`` what the copy ``file`` is.

    What was there is kept beside it under the name that is returned. Raises
    WorkspaceError for what is no sound copy, and while anybody has the workspace open.
    """
    if not file.is_file():
        raise WorkspaceError(f"No file '{file}' to restore.")
    if path.exists() and file.samefile(path):
        raise WorkspaceError(f"'{file}' is the workspace itself.")
    try:
        # Also with a log beside it: then it is a workspace that was merely copied.
        source = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(source, uri=True)) as copy:
            _require_sound(copy, file)
            with _made_beside(path) as part:
                with closing(sqlite3.connect(part)) as made:
                    copy.backup(made)
                old = _set_aside(path)
                part.replace(path)
    except sqlite3.DatabaseError as error:
        raise WorkspaceError(f"'{file}' cannot be read: {reason(error)}.") from error
    return old


def _require_sound(copy: sqlite3.Connection, file: Path) -> None:
    (application,) = copy.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise WorkspaceError(f"'{file}' is no copy of a Curator workspace.")
    (version,) = copy.execute("PRAGMA user_version").fetchone()
    if version > SCHEMA_VERSION:
        raise WorkspaceError(
            f"'{file}' is of a newer Curator (schema {version}, this one reads up to "
            f"{SCHEMA_VERSION})."
        )
    (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise WorkspaceError(f"'{file}' is damaged: {' '.join(str(found).split())}.")


def _set_aside(path: Path) -> Path | None:
    """Where the workspace at ``path`` is now, None where there was none."""
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as alone:
            # Refused as long as another connection is open; then its log is in it.
            (mode,) = alone.execute("PRAGMA journal_mode = DELETE").fetchone()
            held = mode != "delete"
            alone.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError:
        held = True
    except sqlite3.DatabaseError:
        held = False  # damaged: that is why somebody restores it
    if held:
        raise WorkspaceError(
            f"'{path}' is in use: end its server and its jobs, then restore it."
        )
    old = name_beside(path)
    for end in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{end}").replace(f"{old}{end}")
    return old


def name_beside(path: Path) -> Path:
    """Where what ``path`` is now is kept."""
    return path.with_name(f"{path.name}.before-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")


@contextmanager
def _made_beside(file: Path) -> Iterator[Path]:
    """``part_of`` the file. Raises WorkspaceError where it cannot be written."""
    if not file.parent.is_dir():
        raise WorkspaceError(f"No folder '{file.parent}' to write '{file.name}' in.")
    try:
        with part_of(file) as part:
            yield part
    except (OSError, sqlite3.DatabaseError) as error:
        why = reason(error) if isinstance(error, sqlite3.Error) else error.strerror
        raise WorkspaceError(f"'{file}' cannot be written: {why}.") from error
