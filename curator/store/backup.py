"""Backup of a workspace file while it is in use, and restore.

A copy is written to a temporary file in the same folder and renamed when it is
complete, so that a crash leaves the previous file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from curator.errors import WorkspaceError
from curator.store.connection import APPLICATION_ID, SCHEMA_VERSION, error_reason
from curator.unfinished import unfinished_file


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
