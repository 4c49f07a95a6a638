"""What a process has not finished: files beside their goal, and folders of its own.

Each is locked for as long as its process makes it. The system takes a lock from every
process that ends, however it ends; so what is locked by nobody was left by one that was
killed, and the next that begins something there removes it. A process id would not do:
ids come again, and in each container from 1.
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

_PART = re.compile(r"(?P<part>\..+\.curator-[0-9a-f]{12}\.part)(?P<beside>-\w+)?")
_FOLDER = re.compile(r"curator-[0-9]+@[a-z0-9_]{8}")
_BESIDE = ("-journal", "-wal", "-shm")
"""Ends of what SQLite keeps beside a file."""


@contextmanager
def part_of(path: Path) -> Iterator[Path]:
    """An empty file beside ``path`` to make it in, gone unless it was renamed.

    Raises OSError where none can be made there.
    """
    sweep(path.parent)
    while True:
        part = path.with_name(f".{path.name}.curator-{secrets.token_hex(6)}.part")
        held = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
        if _locked(held) is not False:
            break
        os.close(held)  # a sweep was faster, and removes it
    try:
        yield part
    finally:
        _remove(part)
        os.close(held)


def sweep(folder: Path) -> None:
    """Remove the files that killed processes left unfinished in the folder."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if not (found := _PART.fullmatch(name)):
                continue
            part = folder / found["part"]
            if found["beside"] and not part.exists():
                (folder / name).unlink(missing_ok=True)
            elif not found["beside"]:
                with _left(part) as left:
                    if left:
                        _remove(part)


class OwnFolder(TemporaryDirectory[str]):
    """A temporary folder of this process, gone with the object."""

    def __init__(self) -> None:
        sweep_folders()
        while True:
            named = f"curator-{os.getpid()}@"
            super().__init__(prefix=named, ignore_cleanup_errors=True)
            # Before it is locked another process may take it for one that was left.
            with suppress(FileNotFoundError):
                held = os.open(self.name, os.O_RDONLY)
                weakref.finalize(self, os.close, held)
                if _locked(held) is not False and os.path.isdir(self.name):
                    break


def sweep_folders() -> None:
    """Remove the temporary folders that this user's killed processes left."""
    for folder in Path(gettempdir()).glob("curator-*"):
        if _FOLDER.fullmatch(folder.name):
            with _left(folder) as left:
                if left:
                    rmtree(folder, ignore_errors=True)


@contextmanager
def _left(path: Path) -> Iterator[bool]:
    """Whether a process of this user that is no more left it; locked in the block."""
    try:
        held = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:  # gone by now, a link, or not ours to look at
        yield False
        return
    try:
        yield os.fstat(held).st_uid == os.getuid() and _locked(held) is True
    finally:
        os.close(held)


def _locked(file: int) -> bool | None:
    """Whether the lock could be had, None on a file system that has no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove(part: Path) -> None:
    # Itself last: by it the rest is found where this is broken off.
    for end in (*_BESIDE, ""):
        with suppress(OSError):
            Path(f"{part}{end}").unlink()
