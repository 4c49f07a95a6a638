"""The bytes of a file, unpacked if it is gzip, and refused where they are too many."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BufferedReader

from curator.errors import TooLargeError
from curator.formats import limits

GZIP = b"\x1f\x8b"
BLOCK = 1 << 18

Refuse = Callable[[str, int | None], TooLargeError]
"""The error of this message and line."""


@dataclass
class Count:
    """Counts lines and bytes read of a file, and enforces the limits."""

    most_bytes: int
    most_lines: int
    too_long: str
    """The message for too many bytes."""
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
        if self.size > self.most_bytes:
            raise self.refuse(self.too_long, None)


class _Packed:
    """A file that counts the bytes read of it."""

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(size)
        self.taken += len(block)
        return block


def blocks(file: BufferedReader, count: Count) -> Iterator[bytes]:
    """The file's bytes, counted. Raises TooLargeError, EOFError and zlib.error."""
    if file.peek(2)[:2] != GZIP:
        while block := file.read1(BLOCK):
            count.add(block)
            yield block
        return
    packed = _Packed(file)
    unpacked = gzip.GzipFile(fileobj=packed, mode="rb")  # type: ignore[call-overload]
    while block := unpacked.read1(BLOCK):
        count.add(block)
        if count.size > limits.current().unpacked(packed.taken):
            message = limits.beyond(
                "ratio",
                "unpacks to more than {} times its size; if that is right, unpack it "
                "first",
            )
            raise count.refuse(message, None)
        yield block
