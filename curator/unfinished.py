"""Unfinished files of a process, and its temporary folders.

Each is locked while its process writes it. The system releases a lock when its process
ends in any way; so an unlocked one was left by a killed process, and is removed by the
next process that starts one there. Process ids would not be reliable: they are reused,
and start from 1 in each container.
"""

from __future__ import annotations

import fcntl
import os
import re
import secrets
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory, gettempdir

_PART = re.compile(r"(?P<part>\..+\.curator-[0-9a-f]{12}\.part)(?P<suffix>-\w+)?")
_FOLDER = re.compile(r"curator-[0-9]+@[a-z0-9_]{8}")
_SQLITE_SUFFIXES = ("-journal", "-wal", "-shm")
"""Suffixes of SQLite's auxiliary files."""


@contextmanager
def unfinished_file(path: Path) -> Iterator[Path]:
    """Yield an empty file in the folder of ``path``; delete it unless renamed.

    Raises OSError if it cannot be created.
    """
    remove_abandoned_files(path.parent)
    while True:
        part = path.with_name(f".{path.name}.curator-{secrets.token_hex(6)}.part")
        file_descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if _try_lock(file_descriptor) is not False:
            break
        os.close(file_descriptor)  # a cleanup was faster, and removes it
    try:
        yield part
    finally:
        _remove(part)
        os.close(file_descriptor)


def remove_abandoned_files(folder: Path) -> None:
    """Remove unfinished files of killed processes from the folder."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if not (match := _PART.fullmatch(name)):
                continue
            part = folder / match["part"]
            if match["suffix"] and not part.exists():
                (folder / name).unlink(missing_ok=True)
            elif not match["suffix"]:
                with _lock_abandoned(part) as is_abandoned:
                    if is_abandoned:
                        _remove(part)


class LockedFolder(TemporaryDirectory[str]):
    """A temporary folder of this process, deleted with the object."""

    def __init__(self) -> None:
        remove_abandoned_folders()
        while True:
            prefix = f"curator-{os.getpid()}@"
            super().__init__(prefix=prefix, ignore_cleanup_errors=True)
            # Until it is locked, another process may remove it as abandoned.
            with suppress(FileNotFoundError):
                file_descriptor = os.open(self.name, os.O_RDONLY)
                weakref.finalize(self, os.close, file_descriptor)
                if _try_lock(file_descriptor) is not False and os.path.isdir(self.name):
                    break


def remove_abandoned_folders() -> None:
    """Remove temporary folders of this user's killed processes."""
    for folder in Path(gettempdir()).glob("curator-*"):
        if _FOLDER.fullmatch(folder.name):
            with _lock_abandoned(folder) as is_abandoned:
                if is_abandoned:
                    rmtree(folder, ignore_errors=True)


@contextmanager
def _lock_abandoned(path: Path) -> Iterator[bool]:
    """Lock the path in the block; yield True if this user's dead process left it."""
    try:
        file_descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:  # gone already, a link, or not accessible
        yield False
        return
    try:
        yield (
            os.fstat(file_descriptor).st_uid == os.getuid()
            and _try_lock(file_descriptor) is True
        )
    finally:
        os.close(file_descriptor)


def _try_lock(file: int) -> bool | None:
    """Return True if the lock was free, None on a file system without locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove(part: Path) -> None:
    # The file itself last: it leads to the others if this is interrupted.
    for suffix in (*_SQLITE_SUFFIXES, ""):
        with suppress(OSError):
            Path(f"{part}{suffix}").unlink()
