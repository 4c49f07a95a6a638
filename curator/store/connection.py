"""Opening a workspace file, transactions, and errors of SQLite."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection
from tempfile import TemporaryFile
from typing import Any, Literal

from curator.errors import WorkspaceError
from curator.formats.text.records import on_one_line

_ACCESS_ERRORS = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY}
_DISK_ERRORS = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_FORMAT_ERRORS = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_FILE_ERRORS = _ACCESS_ERRORS | _DISK_ERRORS | _FORMAT_ERRORS | {sqlite3.SQLITE_BUSY}
"""Error codes caused by the file or its disk, not by the statement."""

BUSY_TIMEOUT = 60.0  # seconds a writer waits for the lock; writes take milliseconds


def open_workspace(path: Path, *, create: bool = False) -> Connection:
    """Open this workspace file and migrate it to the current schema.

    A file that cannot be written is opened for reading. Raises WorkspaceError, in one
    line, for a file that is missing (without ``create``), is not a workspace, is newer
    than this program, or cannot be read.
    """
    try:
        if path.is_dir():
            raise WorkspaceError(f"'{path}' is a folder; a workspace is one file.")
        new = not path.exists() or path.stat().st_size == 0
        if new and not create:
            raise _missing_workspace_error(path)
        if new and not path.parent.is_dir():
            raise WorkspaceError(f"No folder '{path.parent}' to make a workspace in.")
        _require_file_locks(path)
        try:
            return _prepare(path, _connect(path), create=create)
        except sqlite3.OperationalError as error:
            if new or not _is_access_error(error):
                raise
            return _prepare(path, _connect_read_only(path, error), create=False)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        is_zip = False
        with suppress(OSError), open(path, "rb") as file:
            is_zip = file.read(4) == b"PK\x03\x04"
        if is_zip:
            raise WorkspaceError(
                f"'{path}' is a zip file, not a workspace. If it is a bundle, `curator "
                f"import NEW.db --bundle {path.name}` makes a workspace from it, and "
                f"`curator verify WORKSPACE --against {path.name}` compares them."
            ) from error
        cause = error_reason(error, opened=False)
        raise WorkspaceError(f"'{path}' cannot be opened: {cause}.") from error
    except OSError as error:
        raise WorkspaceError(f"'{path}' cannot be opened: {error.strerror}.") from error


# A lock belongs to a process, so only another process can test it.
_TRY_LOCK = "import fcntl; fcntl.lockf(0, fcntl.LOCK_EX | fcntl.LOCK_NB)"
_locks_work: dict[int, bool] = {}  # by device


def _require_file_locks(path: Path) -> None:
    """Raise WorkspaceError if file locks do nothing in the folder of ``path``.

    Some network and shared folders grant a lock to everybody: of two processes that
    save at the same time, edits of one are lost. Tested once for each disk and process,
    in about 10 ms; where it cannot be tested, nothing is refused.
    """
    device = os.stat(path if path.exists() else path.parent).st_dev
    if device not in _locks_work:
        _locks_work[device] = _test_locks(path.resolve().parent)
    if not _locks_work[device]:
        raise WorkspaceError(
            f"'{path}' is on a disk where file locks do not work: edits of two people "
            "at the same time would be lost. Move it to a local disk, while no program "
            "has it open."
        )


def _test_locks(folder: Path) -> bool:
    """Return False if another process can lock a file that is locked here.

    Returns True if this cannot be tested.
    """
    try:
        # Not the workspace: closing any handle of it would drop SQLite's own locks.
        with TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            command = [sys.executable, "-I", "-S", "-c", _TRY_LOCK]
            quiet = subprocess.DEVNULL
            child = subprocess.run(
                command, stdin=file, stdout=quiet, stderr=quiet, check=False
            )
    except OSError:
        return True
    return child.returncode != 0


def _connect(path: Path | str, *, uri: bool = False) -> Connection:
    return sqlite3.connect(
        path, BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, uri=uri
    )


def _connect_read_only(path: Path, error: sqlite3.OperationalError) -> Connection:
    """Connect to a file in a folder where SQLite may not create its log.

    The file is opened as immutable, which is correct as long as there is no log. Raises
    WorkspaceError if there is one, since the latest saves in it would be missing.
    """
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        raise WorkspaceError(
            f"'{path}' cannot be opened in a read-only folder: its latest changes are "
            f"still in '{log.name}'. Copy both files to a folder of your own and open "
            "the copy."
        ) from error
    return _connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)


def _code(error: Exception) -> int:
    """Return SQLite's primary error code; 0 for Python's own errors."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_access_error(error: sqlite3.Error) -> bool:
    return _code(error) in _ACCESS_ERRORS


def _missing_workspace_error(path: Path) -> WorkspaceError:
    message = f"No workspace at '{path}'."
    if path.exists():
        message = f"'{path}' is an empty file."
    return WorkspaceError(
        f"{message} `curator import {path} …` makes a workspace, `curator demo` shows "
        "an example."
    )


def _prepare(path: Path, connection: Connection, *, create: bool) -> Connection:
    try:
        # Read first: a process that makes the file writes all three at once.
        empty = not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if version > SCHEMA_VERSION and application == APPLICATION_ID:
            raise WorkspaceError(
                f"'{path}' was made by a newer Curator (schema {version}, this one "
                f"reads up to {SCHEMA_VERSION}). Upgrade with "
                "`pip install --upgrade exam-curator`."
            )
        if not empty and application != APPLICATION_ID:
            raise WorkspaceError(
                f"'{path}' is an SQLite file, but not a Curator workspace."
            )
        if empty and not create:
            raise _missing_workspace_error(path)
        if version < SCHEMA_VERSION:
            _migrate(path, connection, new=empty)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA mmap_size = 1073741824")
    except BaseException:
        connection.close()
        raise
    return connection


def _migrate(path: Path, connection: Connection, *, new: bool) -> None:
    from curator.store.migrations import migrate

    try:
        _enable_wal(connection)
        # Two processes that open a new file at once wait for one another.
        with write_transaction(connection):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version < SCHEMA_VERSION:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                migrate(connection)
    except (WorkspaceError, sqlite3.OperationalError) as error:
        cause = error.__cause__ if isinstance(error, WorkspaceError) else error
        if new or not isinstance(cause, sqlite3.Error) or not _is_access_error(cause):
            raise
        raise WorkspaceError(
            f"'{path}' was made by an older Curator and must be updated, but it is "
            "read-only. Check the permissions of the file and its folder, or open a "
            "copy."
        ) from error


def _enable_wal(connection: Connection) -> None:
    """Switch to write-ahead logging; retry while another process switches."""
    deadline = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextmanager
def write_transaction(connection: Connection) -> Iterator[None]:
    """Open a write transaction that takes the write lock before it reads.

    A deferred BEGIN that upgrades from reading to writing fails under contention
    regardless of the timeout (measured: 61 to 90 % of writes with eight writers). Rolls
    back if the block raises. Raises WorkspaceError if the file cannot be written: it is
    read-only, the disk is full, another program holds the lock.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.DatabaseError as error:
        raise _save_error(error) from error
    try:
        yield
        connection.execute("COMMIT")
    except BaseException as error:
        # SQLite rolls back by itself when the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.DatabaseError) and _code(error) in _FILE_ERRORS:
            raise _save_error(error) from error
        raise


def checkpoint(connection: Connection) -> None:
    """Merge the log into the file and empty it, unless the file is in use now.

    Afterwards the file is complete by itself and can be copied or replaced.
    """
    # Busy or read-only: a later call will do it.
    with _without_waiting(connection), suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def changes_by_others(connection: sqlite3.Connection) -> int:
    """Return a number that changes when another connection has changed the file.

    Reading it needs no table and no lock.
    """
    return int(column(connection, "PRAGMA data_version")[0])


def forbid_writes(connection: sqlite3.Connection) -> None:
    """Make this connection refuse all writes from now on."""
    connection.execute("PRAGMA query_only = ON")


def is_writable(connection: Connection) -> bool:
    """Return True if the file can be written, also if it is locked at the moment."""
    with _without_waiting(connection):
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            return not _is_access_error(error)
    return True


def try_write(connection: Connection) -> Literal["ok", "busy", "read-only", "failing"]:
    """Write 64 kB and roll back, to test if an edit could be saved.

    With a cache of one page, which the connection keeps, the data reach SQLite's log
    before the transaction ends, so a full disk is detected. The workspace and other
    readers are not affected.
    """
    with _without_waiting(connection):
        try:
            connection.execute("PRAGMA cache_size = 1")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("CREATE TABLE write_test (content)")
            connection.execute("INSERT INTO write_test VALUES (zeroblob(65536))")
        except sqlite3.DatabaseError as error:
            if _code(error) == sqlite3.SQLITE_BUSY:
                return "busy"
            return "read-only" if _is_access_error(error) else "failing"
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return "ok"


@contextmanager
def _with_pragma(connection: Connection, name: str, value: int) -> Iterator[None]:
    """Set a pragma for the block."""
    (before,) = connection.execute(f"PRAGMA {name}").fetchone()
    connection.execute(f"PRAGMA {name} = {value}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA {name} = {before}")


def _without_waiting(connection: Connection) -> AbstractContextManager[None]:
    return _with_pragma(connection, "busy_timeout", 0)


def without_mmap(connection: Connection) -> AbstractContextManager[None]:
    """Turn off memory mapping for a block that reads the whole file once."""
    return _with_pragma(connection, "mmap_size", 0)


def set_busy_timeout(connection: Connection, seconds: float) -> None:
    """Set how long to wait for another writer, instead of ``BUSY_TIMEOUT``."""
    connection.execute(f"PRAGMA busy_timeout = {1000 * seconds:.0f}")


@contextmanager
def read_transaction(connection: Connection) -> Iterator[None]:
    """Read from one snapshot of the file in this block.

    Raises WorkspaceError if the file cannot be read.
    """
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _code(error) not in _FILE_ERRORS:
            raise
        raise WorkspaceError(
            f"The workspace cannot be read: {error_reason(error)}."
        ) from error
    finally:
        # SQLite ends the transaction by itself if the file is damaged.
        if connection.in_transaction:
            connection.rollback()


def _save_error(error: sqlite3.Error) -> WorkspaceError:
    return WorkspaceError(f"Nothing was saved: {error_reason(error)}.")


def error_reason(
    error: sqlite3.Error | UnicodeDecodeError, *, opened: bool = True
) -> str:
    """Return SQLite's message with advice, without a full stop.

    The message may quote damaged tables that are no text. ``curator verify`` is
    suggested only for a file that was ``opened``.
    """
    message, code = on_one_line(" ".join(str(error).split())), _code(error)
    if isinstance(error, UnicodeDecodeError):
        message, code = "its schema is not text", sqlite3.SQLITE_CORRUPT
    if code == sqlite3.SQLITE_CORRUPT:
        where = "`curator verify` shows where, " if opened else ""
        return f"it is damaged ({message}); {where}`curator restore` restores a backup"
    if code == sqlite3.SQLITE_NOTADB:
        return "it is not an SQLite file"
    if code == sqlite3.SQLITE_BUSY:
        return "another program has locked it; try again when it has finished"
    if code in _ACCESS_ERRORS:
        return (
            "the workspace is read-only. Check the permissions of the file and its "
            "folder, or work on a copy"
        )
    if code in _DISK_ERRORS:
        return f"the disk is full or failing ({message}); free some space"
    return message


def column(connection: Connection, select: str, *parameters: Any) -> list[Any]:
    """Return the values of a ``select`` with one column."""
    return [value for (value,) in connection.execute(select, parameters)]


def insert(connection: Connection, table: str, **columns: Any) -> int:
    """Insert a row with these columns; return its number."""
    names, marks = ", ".join(columns), ", ".join("?" * len(columns))
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks})"
    return int(connection.execute(statement, (*columns.values(),)).lastrowid or 0)


def grouped(rows: Iterable[Sequence[Any]]) -> defaultdict[Any, list[Any]]:
    """Group the remaining columns by the first: a value, or a tuple of several."""
    groups: defaultdict[Any, list[Any]] = defaultdict(list)
    for first, *values in rows:
        groups[first].append(values[0] if len(values) == 1 else tuple(values))
    return groups


def to_json(value: Any) -> str:
    """Return the one JSON form of a target, so that equal targets are equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def rows_in(
    connection: Connection, select: str, values: Iterable[Any], *parameters: Any
) -> Iterator[Any]:
    """Return the rows of ``select``, which ends in ``IN ({})``, for these values.

    ``parameters`` are bound before them.
    """
    json_values = "SELECT value FROM json_each(?)"
    return connection.execute(
        select.format(json_values), (*parameters, json.dumps(list(values)))
    )


def remove_workspace(path: Path) -> None:
    """Delete a workspace file and the log files of SQLite."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


SCHEMA_VERSION = 34
APPLICATION_ID = 0x43555241  # "CURA": identifies a workspace among SQLite files
