"""Limits of imported files.

Each limit lies well above every collection known, so that only a slip, damage or malice
meets one. ``CURATOR_MAX_<NAME>`` in the environment sets another: CURATOR_MAX_LINES, or
CURATOR_MAX_FILE_MB where it is bytes. docs/deploy.md has them as a table.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cache

from curator.errors import SettingError

MB = 1_000_000
UPLOAD_MB = 200
"""A file brought in from the browser, in megabytes; ``--max-upload-mb`` changes it."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most of each, in bytes unless it says otherwise.

    ``file``: of one file, unpacked. DL 2019's graded passages have 29 MB, and with 4.7
    million grades instead of its 92,600 would have 1.5 GB.
    ``ratio``: unpacked bytes for each byte of gzip or zip, beyond the first ``free``.
    Graded passages come to 15 to 40, blank lines to 1,030.
    ``lines``: of one file, blank ones included.
    ``line``: of one line. A query's graded passages are one, of some megabytes.
    ``document``: of what is read as one value over all of its lines.
    ``values``: texts, numbers, lists and objects of one line or document of JSON, each
    of which takes some hundred bytes of memory whatever its length.
    ``text``: characters of one text. A novel has less than a million.
    ``memory``: what an import may take beyond what its process had before. Graded
    passages with 4.7 million grades, 612 MB in 23 MB of gzip, took 2.0 GB.
    ``members``, ``bundle``: files of a bundle, and all of them unpacked.
    """

    file: int = 4_000 * MB
    ratio: int = 100
    free: int = 64 * MB
    lines: int = 20_000_000
    line: int = 256 * MB
    document: int = 128 * MB
    values: int = 5_000_000
    text: int = 5_000_000
    memory: int = 8_000 * MB
    members: int = 50_000
    bundle: int = 64_000 * MB

    def unpacked(self, packed: int) -> int:
        """The most that so many bytes of gzip or zip may become."""
        return self.free + self.ratio * packed


_BYTES = {"file", "free", "line", "document", "memory", "bundle"}


def variable(name: str) -> str:
    """The environment's variable that sets this limit."""
    return f"CURATOR_MAX_{name.upper()}{'_MB' if name in _BYTES else ''}"


@cache
def current() -> Limits:
    """The limits, as the environment sets them. Raises SettingError."""
    limits: dict[str, int] = {}
    for item in fields(Limits):
        stated = os.environ.get(variable(item.name))
        if not stated:
            continue
        if not (stated.isascii() and stated.isdigit() and 0 < len(stated) <= 12):
            raise SettingError(
                f"{variable(item.name)} is '{stated[:60]}'; expected a whole number."
            )
        limits[item.name] = int(stated) * (MB if item.name in _BYTES else 1)
    return Limits(**limits)


def beyond(name: str, what: str) -> str:
    """``what`` is more than the limit of this name, and the way out, for a message."""
    most = getattr(current(), name)
    words = f"{most / MB:,.10g} MB" if name in _BYTES else f"{most:,}"
    return f"{what.format(words)}, or set {variable(name)}."


# Memory

_PAGE = os.sysconf("SC_PAGE_SIZE")
_before: ContextVar[int | None] = ContextVar("memory_before", default=None)


def resident() -> int:
    """The bytes of memory this process has; its most so far where no system says it."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


@contextmanager
def measured() -> Iterator[None]:
    """A block in which all files together may take as much memory as one import may."""
    token = _before.set(resident())
    try:
        yield
    finally:
        _before.reset(token)


def memory_allowed() -> int:
    """Return the most memory of this process while it reads, in bytes."""
    before = _before.get()
    return (resident() if before is None else before) + current().memory
