"""The bytes of a file, unpacked if it is gzip, and refused where they are too many.

A small file can unpack to a thousand times its size, and a reader would go through all
of that line by line before it met a limit. So nothing but the beginning of a file is
handed out before the whole of it was unpacked and counted once, which takes a few per
cent of the time that reading it does. A pipe gives its content once only and is counted
as it comes.
"""

from __future__ import annotations

import os
import stat
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader

from curator.errors import TooLargeError
from curator.formats import limits

GZIP = b"\x1f\x8b"
BLOCK = 1 << 18
PACKED = 1 << 14
"""Bytes of gzip taken at once: few, as each of many small members copies the rest."""
BEGINNING = 1 << 21
"""Bytes handed out uncounted; most first lines, by which a file is recognised."""

Refuse = Callable[[str, int | None], TooLargeError]
"""The error of this message and line."""


class Unpacked:
    """An open file's bytes in blocks. Raises EOFError and zlib.error in reading."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.is_gzip = file.peek(2)[:2] == GZIP
        self._member = zlib.decompressobj(31)
        self._rest = b""  # read, and not unpacked yet
        self.taken = 0  # bytes of the file itself

    def read(self) -> bytes:
        """The next block, none at the end."""
        if not self.is_gzip:
            return self._file.read1(BLOCK)
        block = b""
        while not block:
            if not self._rest:
                self._rest = self._file.read1(PACKED)
                self.taken += len(self._rest)
            at_end = not self._rest
            if self._member.eof:
                # One member may follow another, and zeros the last.
                self._rest = self._rest.lstrip(b"\0")
                if at_end:
                    return b""
                if not self._rest:
                    continue
                self._member = zlib.decompressobj(31)
            block = self._member.decompress(self._rest, BLOCK)
            self._rest = self._member.unconsumed_tail or self._member.unused_data
            if at_end and not block:
                raise EOFError
        return block

    def ahead(self) -> Iterator[bytes]:
        """All blocks that are still to come, which come again after this."""
        place, member = self._file.tell(), self._member.copy()
        rest, taken = self._rest, self.taken
        while block := self.read():
            yield block
        self._file.seek(place)
        self._member, self._rest, self.taken = member, rest, taken


@dataclass
class Count:
    """Counts lines and bytes read of a file, and enforces the limits."""

    file: Unpacked
    most_bytes: int
    most_lines: int
    too_long: str  # said of too many bytes
    refuse: Refuse
    size: int = 0
    lines: int = 0
    open: int = 0  # bytes of the line that has not ended yet

    def add(self, block: bytes) -> None:
        """Count a block. Raises TooLargeError where it is one too many."""
        most = limits.current()
        self.size += len(block)
        longest = self.open + len(block)
        if ends := block.count(b"\n"):
            longest = self.open + block.index(b"\n")
            self.open = -1 - block.rindex(b"\n")
        self.open += len(block)
        if max(longest, self.open) > most.line:
            line = self.lines + (1 if longest > most.line else ends + 1)
            message = limits.beyond("line", "is longer than {}; split it")
            raise self.refuse(message, line)
        self.lines += ends
        if self.lines > self.most_lines:
            message = limits.beyond(
                "lines" if self.most_lines == most.lines else "values",
                "has more than {} lines, blank ones included; split it",
            )
            raise self.refuse(message, None)
        self.require_bytes(self.size)
        if self.file.is_gzip and self.size > most.unpacked(self.file.taken):
            message = limits.beyond(
                "ratio",
                "unpacks to more than {} times its size; if that is right, unpack it "
                "first",
            )
            raise self.refuse(message, None)

    def require_bytes(self, size: int) -> None:
        """Raise TooLargeError where a file of so many bytes is too long."""
        if size > self.most_bytes:
            raise self.refuse(self.too_long, None)


def blocks(file: BufferedReader, count: Count) -> Iterator[bytes]:
    """The file's bytes, counted. Raises TooLargeError, EOFError and zlib.error."""
    unpacked, most = count.file, limits.current()
    status = os.fstat(file.fileno())
    again = stat.S_ISREG(status.st_mode)
    if again and not unpacked.is_gzip:
        count.require_bytes(status.st_size)
        if status.st_size <= min(count.most_lines, most.line):
            while block := unpacked.read():
                yield block
            return
    while block := unpacked.read():
        count.add(block)
        yield block
        if again and count.size >= BEGINNING:
            for block in unpacked.ahead():
                count.add(block)
            while block := unpacked.read():
                yield block
