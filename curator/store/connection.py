"""Opening a workspace file, and the one way to write to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curator.errors import WorkspaceError
from curator.store.schema_version import APPLICATION_ID, SCHEMA_VERSION

BUSY_TIMEOUT = 60.0  # seconds a writer waits for its turn; writes take milliseconds


def open_workspace(path: Path, *, create: bool = False) -> sqlite3.Connection:
    """A connection to this workspace file, migrated to the current schema.

    Raises WorkspaceError, in one line, for a file that is missing (without
    ``create``), is not a workspace, is newer than this program, or cannot be read.
    """
    try:
        if path.is_dir():
            raise WorkspaceError(f"'{path}' is a folder; a workspace is one file.")
        new = not path.exists() or path.stat().st_size == 0
        if new and not create:
            raise _no_workspace(path)
        if new and not path.parent.is_dir():
            raise WorkspaceError(f"No folder '{path.parent}' to make a workspace in.")
        return _opened(path, create=create)
    except sqlite3.DatabaseError as error:
        raise WorkspaceError(f"'{path}' cannot be opened: {reason(error)}.") from error
    except OSError as error:
        raise WorkspaceError(f"'{path}' cannot be opened: {error.strerror}.") from error


def _no_workspace(path: Path) -> WorkspaceError:
    return WorkspaceError(
        f"No workspace at '{path}'. `curator import {path} …` makes one, "
        "`curator demo` shows one."
    )


def _opened(path: Path, *, create: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=BUSY_TIMEOUT, isolation_level=None, check_same_thread=False
    )
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        empty = not connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
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
            raise _no_workspace(path)
        if version < SCHEMA_VERSION:
            _migrated(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA mmap_size = 1073741824")
    except BaseException:
        connection.close()
        raise
    return connection


def _migrated(connection: sqlite3.Connection) -> None:
    from sqlite_utils import Database

    from curator.store.migrations import migrate

    connection.execute("PRAGMA journal_mode = WAL")
    # sqlite-utils has transactions of its own, so an ordinary connection on the
    # same file; two processes opening a new file at once wait for one another here.
    with exclusive(connection):
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version < SCHEMA_VERSION:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            migrate(Database(connection))


@contextmanager
def exclusive(connection: sqlite3.Connection) -> Iterator[None]:
    """A write transaction that has the write lock before it reads.

    A deferred BEGIN that upgrades from reading to writing fails under contention
    whatever the timeout is (measured: 61 to 90 % of writes with eight writers).
    Everything is rolled back if the block raises. Raises WorkspaceError where the file
    cannot be written: it is read-only, the disk is full, another program holds it.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        raise WorkspaceError(
            f"The workspace cannot be written: {reason(error)}."
        ) from error
    try:
        yield
        connection.execute("COMMIT")
    except BaseException as error:
        # SQLite rolls back by itself where the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.DatabaseError) and is_the_files(error):
            raise WorkspaceError(f"Nothing was saved: {reason(error)}.") from error
        raise


def is_the_files(error: sqlite3.Error) -> bool:
    """Whether the file or its disk is at fault, not the statement."""
    # An extended code holds the primary one; Python's own errors have none.
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return primary in (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
    )


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Reads that all see the file as it is now, whatever is written meanwhile."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        # SQLite ends the transaction by itself where the file is damaged.
        if connection.in_transaction:
            connection.rollback()


def reason(error: sqlite3.Error) -> str:
    """SQLite's message in words that say what to do, without a full stop."""
    message = str(error)
    if "file is not a database" in message:
        return "it is not an SQLite file"
    if "locked" in message or "busy" in message:
        return f"another program has held it for {BUSY_TIMEOUT:.0f} s"
    if "readonly" in message:
        return "it is read-only; check the rights of the file and its folder"
    if "disk is full" in message or "disk I/O" in message:
        return f"the disk is full or failing ({message}); free some space"
    if "unable to open" in message:
        return "it cannot be opened; check the rights of the file and its folder"
    return message


def remove_workspace(path: Path) -> None:
    """Take away a workspace file with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
