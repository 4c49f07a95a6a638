"""A model's folder: what stands in the way of reading or writing it, in one line."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grading.errors import MissingModelError, TrainingError


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Raise MissingModelError where the machine does not let the folder be read."""
    try:
        yield
    except OSError as error:
        raise MissingModelError(
            f"'{folder}' cannot be read ({_reason(error)}); name another folder, or "
            "make this one readable"
        ) from error


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Raise TrainingError where the machine does not let the folder be written."""
    try:
        yield
    except OSError as error:
        raise TrainingError(
            f"'{folder}' cannot be written ({_reason(error)}); name another folder, or "
            "make this one writable"
        ) from error


@contextmanager
def made(folder: Path) -> Iterator[None]:
    """The folder is there, and can be written.

    Where what follows is broken off, the folders that were made for it go again, as
    far as they are empty. Raises TrainingError.
    """
    new: list[Path] = []
    try:
        with writing(folder):
            new += [one for one in (folder, *folder.parents) if not one.exists()]
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        yield
    except BaseException:
        for one in new:
            with suppress(OSError):  # not empty, or never made
                one.rmdir()
        raise


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
