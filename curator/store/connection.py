"""Opening a workspace file, and the one way to write to it."""

from __future__ import annotations

import json
import sqlite3
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Literal

from curator.errors import WorkspaceError
from curator.formats.text.records import on_one_line
from curator.store.file_locks import require_file_locks

_NO_RIGHTS = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY}
_OF_THE_DISK = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}
_HELD_OR_BROKEN = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_OF_THE_FILE = _NO_RIGHTS | _OF_THE_DISK | _HELD_OR_BROKEN
"""What the file or its disk is at fault for, not the statement."""

BUSY_TIMEOUT = 60.0  # seconds a writer waits for its turn; writes take milliseconds


def open_workspace(path: Path, *, create: bool = False) -> Connection:
    """A connection to this workspace file, migrated to the current schema.

    A file that cannot be written is opened all the same, for reading. Raises
    WorkspaceError, in one line, for a file that is missing (without ``create``), is
    not a workspace, is newer than this program, or cannot be read.
    """
    try:
        if path.is_dir():
            raise WorkspaceError(f"'{path}' is a folder; a workspace is one file.")
        new = not path.exists() or path.stat().st_size == 0
        if new and not create:
            raise _no_workspace(path)
        if new and not path.parent.is_dir():
            raise WorkspaceError(f"No folder '{path.parent}' to make a workspace in.")
        require_file_locks(path)
        try:
            return _opened(path, _connected(path), create=create)
        except sqlite3.OperationalError as error:
            if new or not _may_not_write(error):
                raise
            return _opened(path, _connected_for_reading(path, error), create=False)
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        is_zip = False
        with suppress(OSError), open(path, "rb") as file:
            is_zip = file.read(4) == b"PK\x03\x04"
        if is_zip:
            raise WorkspaceError(
                f"'{path}' is a zip, no workspace. If it is a bundle, `curator import "
                f"NEW.db --bundle {path.name}` makes a workspace of it, and `curator "
                f"verify WORKSPACE --against {path.name}` compares one with it."
            ) from error
        why = reason(error, opened=False)
        raise WorkspaceError(f"'{path}' cannot be opened: {why}.") from error
    except OSError as error:
        raise WorkspaceError(f"'{path}' cannot be opened: {error.strerror}.") from error


def _connected(path: Path | str, *, uri: bool = False) -> Connection:
    return sqlite3.connect(
        path, BUSY_TIMEOUT, isolation_level=None, check_same_thread=False, uri=uri
    )


def _connected_for_reading(path: Path, error: sqlite3.OperationalError) -> Connection:
    """A connection to a file beside which SQLite may not put its log.

    It reads the file alone and takes it for one that nobody changes, which holds for
    as long as there is no log. Raises WorkspaceError where there is one: what was
    saved last stands in it and would be missing.
    """
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        raise WorkspaceError(
            f"'{path}' cannot be read without writing beside it: its latest saves "
            f"stand in '{log.name}'. Copy both files to a folder of your own and open "
            "the copy."
        ) from error
    return _connected(f"{path.resolve().as_uri()}?immutable=1", uri=True)


def _code(error: Exception) -> int:
    """SQLite's primary code, which an extended one holds; Python's errors have none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _may_not_write(error: sqlite3.Error) -> bool:
    return _code(error) in _NO_RIGHTS


def _no_workspace(path: Path) -> WorkspaceError:
    said = f"No workspace at '{path}'."
    if path.exists():
        said = f"'{path}' is an empty file: no workspace is in it yet."
    return WorkspaceError(
        f"{said} `curator import {path} …` makes one, `curator demo` shows one."
    )


def _opened(path: Path, connection: Connection, *, create: bool) -> Connection:
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
    from sqlite_utils import Database

    from curator.store.migrations import migrate

    try:
        _write_ahead(connection)
        # sqlite-utils has transactions of its own, so an ordinary connection on the
        # same file; two processes opening a new file at once wait for one another.
        with exclusive(connection):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version < SCHEMA_VERSION:
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                migrate(Database(connection))
    except (WorkspaceError, sqlite3.OperationalError) as error:
        cause = error.__cause__ if isinstance(error, WorkspaceError) else error
        if new or not isinstance(cause, sqlite3.Error) or not _may_not_write(cause):
            raise
        raise WorkspaceError(
            f"'{path}' was made by an older Curator and has to be brought up to date, "
            "but it is read-only. Check the rights of the file and its folder, or open "
            "a copy."
        ) from error


def _write_ahead(connection: Connection) -> None:
    """Have SQLite write a log. While another process does so it refuses at once."""
    give_up = time.monotonic() + BUSY_TIMEOUT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


@contextmanager
def exclusive(connection: Connection) -> Iterator[None]:
    """A write transaction that has the write lock before it reads.

    A deferred BEGIN that upgrades from reading to writing fails under contention
    whatever the timeout is (measured: 61 to 90 % of writes with eight writers).
    Everything is rolled back if the block raises. Raises WorkspaceError where the file
    cannot be written: it is read-only, the disk is full, another program holds it.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.DatabaseError as error:
        raise WorkspaceError(unsaved(error)) from error
    try:
        yield
        connection.execute("COMMIT")
    except BaseException as error:
        # SQLite rolls back by itself where the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, sqlite3.DatabaseError) and _code(error) in _OF_THE_FILE:
            raise WorkspaceError(unsaved(error)) from error
        raise


def checkpoint(connection: Connection) -> None:
    """Move the log into the file and empty it, if nobody is reading or writing now.

    Then the file is whole by itself: copied, or replaced by a copy, nothing is lost.
    """
    # Busy, or read-only: another time.
    with _at_once(connection), suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def changes_by_others(connection: sqlite3.Connection) -> int:
    """A number that differs once another connection has changed the file.

    Asking for it reads no table; it says nothing to any other connection.
    """
    (found,) = connection.execute("PRAGMA data_version").fetchone()
    return int(found)


def only_read(connection: sqlite3.Connection) -> None:
    """Have SQLite refuse whatever this connection would write from now on."""
    connection.execute("PRAGMA query_only = ON")


def writable(connection: Connection) -> bool:
    """Whether the file can be written; one that is merely held by another can."""
    with _at_once(connection):
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            return not _may_not_write(error)
    return True


def try_write(connection: Connection) -> Literal["ok", "busy", "read-only", "failing"]:
    """Write 64 kB and take them back, to see whether an edit could be saved.

    With a cache of one page, which the connection keeps, they reach SQLite's log before
    the transaction ends, so a full disk is found. The workspace and what others read of
    it stay as they are.
    """
    with _at_once(connection):
        try:
            connection.execute("PRAGMA cache_size = 1")
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("CREATE TABLE write_test (content)")
            connection.execute("INSERT INTO write_test VALUES (zeroblob(65536))")
        except sqlite3.DatabaseError as error:
            if _code(error) == sqlite3.SQLITE_BUSY:
                return "busy"
            return "read-only" if _may_not_write(error) else "failing"
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return "ok"


@contextmanager
def _at_once(connection: Connection) -> Iterator[None]:
    """A block in which nobody is waited for."""
    (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {patience}")


def be_patient(connection: Connection, seconds: float) -> None:
    """Wait at most this long for another writer, instead of ``BUSY_TIMEOUT``."""
    connection.execute(f"PRAGMA busy_timeout = {1000 * seconds:.0f}")


@contextmanager
def snapshot(connection: Connection) -> Iterator[None]:
    """Reads that all see the file as it is now, whatever is written meanwhile.

    Raises WorkspaceError where the file cannot be read.
    """
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    except sqlite3.DatabaseError as error:
        if _code(error) not in _OF_THE_FILE:
            raise
        raise WorkspaceError(
            f"The workspace cannot be read: {reason(error)}."
        ) from error
    finally:
        # SQLite ends the transaction by itself where the file is damaged.
        if connection.in_transaction:
            connection.rollback()


@contextmanager
def read_once(connection: Connection) -> Iterator[None]:
    """A block that reads the whole file and keeps none of it in memory."""
    (mapped,) = connection.execute("PRAGMA mmap_size").fetchone()
    connection.execute("PRAGMA mmap_size = 0")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA mmap_size = {mapped}")


def unsaved(error: sqlite3.Error) -> str:
    """Why nothing was saved and what to do, in one line."""
    if _may_not_write(error):
        return (
            "The workspace is read-only: nothing was saved. Check the rights of the "
            "file and its folder, or work on a copy."
        )
    if _code(error) == sqlite3.SQLITE_BUSY:
        return (
            "Another program holds the workspace: nothing was saved. Let it finish, "
            "then save again."
        )
    if _code(error) in _OF_THE_DISK:
        return (
            f"The disk is full or failing ({error}): nothing was saved. Free some "
            "space, then save again."
        )
    return f"Nothing was saved: {reason(error)}."


def reason(error: sqlite3.Error | UnicodeDecodeError, *, opened: bool = True) -> str:
    """SQLite's message in words that say what to do, without a full stop.

    One that quotes damaged tables may be no text. What is not ``opened`` is verified by
    nobody.
    """
    message = on_one_line(" ".join(str(error).split()))
    if isinstance(error, UnicodeDecodeError):
        message = "what its tables are is no text"
    if _code(error) == sqlite3.SQLITE_CORRUPT or isinstance(error, UnicodeDecodeError):
        where = "`curator verify` says where, " if opened else ""
        return (
            f"it is damaged ({message}); {where}`curator restore` puts a backup in its "
            "place"
        )
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


def column(connection: Connection, select: str, *given: Any) -> list[Any]:
    """The one column of a ``select``, row by row; ``given`` are its parameters."""
    return [value for (value,) in connection.execute(select, given)]


def grouped(rows: Iterable[Sequence[Any]]) -> defaultdict[Any, list[Any]]:
    """What stands beside the first column, by it: a value, or a tuple of several."""
    found: defaultdict[Any, list[Any]] = defaultdict(list)
    for first, *rest in rows:
        found[first].append(rest[0] if len(rest) == 1 else tuple(rest))
    return found


def rows_in(
    connection: Connection, select: str, wanted: Iterable[Any], *given: Any
) -> Iterator[Any]:
    """The rows of ``select``, which ends in ``IN ({})``, for each of ``wanted``.

    ``given`` are its parameters before those.
    """
    of_json = "SELECT value FROM json_each(?)"
    return connection.execute(
        select.format(of_json), (*given, json.dumps(list(wanted)))
    )


def remove_workspace(path: Path) -> None:
    """Take away a workspace file with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


SCHEMA_VERSION = 31
APPLICATION_ID = (
    0x43555241  # "CURA": how a workspace is told from any other SQLite file
)
