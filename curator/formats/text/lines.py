"""The lines of a text file, plain or gzipped, with their numbers and what is wrong.

Whether a file is gzipped is decided by its first bytes, never by its name. Lines end
at a line feed alone: JSON may hold every other character that Unicode calls a line
separator.
"""

from __future__ import annotations

import gc
import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from curator.errors import InputFileError, TooLargeError
from curator.formats import limits
from curator.formats.parsed_import import Progress
from curator.formats.text.records import Key, Place, error_at, on_one_line

FOREIGN = {
    b"PK\x03\x04": "a ZIP archive; unpack it first",
    b"BZh": "compressed with bzip2; unpack it, or gzip it",
    b"\xfd7zXZ\x00": "compressed with xz; unpack it, or gzip it",
    b"\x28\xb5\x2f\xfd": "compressed with zstd; unpack it, or gzip it",
    b"SQLite format 3\x00": "an SQLite database, perhaps a workspace; export it first",
    b"PAR1": "a Parquet file; save it as JSON lines",
    b"%PDF": "a PDF; expected a text file",
    b"\x89PNG": "an image, not a text file",
    b"\xff\xd8\xff": "an image, not a text file",
    b"GIF8": "an image, not a text file",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
"""First bytes of files that people hand over by mistake, and the way out."""


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


class TextLines:
    """The lines of one file that are not blank, in order; iterate once.

    While iterating, ``number`` is the current line's (from 1) and ``error`` speaks of
    it. ``expected`` says what the file should hold, for messages. ``progress`` is
    called now and then with bytes read and bytes in the file, as they lie on disk.

    Iterating raises InputFileError for a file that cannot be opened, is cut or
    garbled, not UTF-8, holds a NUL, or has no line that is not blank, and
    TooLargeError for one beyond ``formats/limits.py``.
    """

    def __init__(
        self, path: Path, *, expected: str, progress: Progress | None = None
    ) -> None:
        self.path = path
        self.expected = expected
        self.number = 0
        self._progress = progress

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong in the current line."""
        return error_at(self.path, self.number or None, message)

    def at(self, *keys: Key) -> Place:
        """The place to which these keys lead in the current line."""
        return Place(self.path, self.number or None, keys)

    def __iter__(self) -> Iterator[str]:
        empty, most = True, limits.current()
        for text in self._texts(most.file, most.lines, "file"):
            if text and not text.isspace():
                empty = False
                self._require_short(text)
                yield text
        if empty:
            raise self._empty()

    def whole(self) -> str:
        """The file as one text, blank lines included; errors then name no line.

        ``lines_of`` goes through it line by line.
        """
        most = limits.current()
        text = "\n".join(self._texts(most.document, most.values, "document"))
        self.number = 0
        if not text.strip():
            raise self._empty()
        return text

    def lines_of(self, whole: str) -> Iterator[str]:
        """The lines of ``whole()`` that are not blank; ``number`` follows again."""
        for number, text in enumerate(whole.split("\n"), start=1):
            if text and not text.isspace():
                self.number = number
                self._require_short(text)
                yield text

    def _require_short(self, text: str) -> None:
        """Raise TooLargeError for a line too long that is no JSON of many texts."""
        too_long = len(text) > limits.current().text
        if too_long and not text.lstrip().startswith(("{", "[")):
            message = limits.beyond("text", "has more than {} characters; split it")
            raise self._too_large(message, self.number)

    def _too_large(self, message: str, line: int | None) -> TooLargeError:
        place = "" if line else "the file "
        return TooLargeError(str(error_at(self.path, line, place + message)))

    def _empty(self) -> InputFileError:
        message = f"the file is empty; expected {self.expected}."
        return error_at(self.path, None, message)

    def _texts(self, most_bytes: int, most_lines: int, limit: str) -> Iterator[str]:
        for line in self._lines(most_bytes, most_lines, limit):
            if b"\0" in line:
                raise self.error(
                    "holds a NUL byte; expected text. Is it a tar archive, or damaged?"
                )
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                is_csv = self.path.suffix.lower() == ".csv"
                form = "“CSV UTF-8”" if is_csv else "UTF-8"
                raise self.error(
                    f"byte {error.start + 1} (0x{line[error.start]:02x}) is not UTF-8; "
                    f"save the file as {form}."
                ) from None
            if self.number == 1:
                text = text.removeprefix("\ufeff")
            yield text.removesuffix("\r")

    def _lines(self, most_bytes: int, most_lines: int, limit: str) -> Iterator[bytes]:
        """The file's lines without their ends; at most so much, by a limit's name."""
        allowed = limits.memory_allowed()
        try:
            with open(self.path, "rb") as file:
                size = os.fstat(file.fileno()).st_size  # 0 for a pipe
                start = file.peek(16)[:16]
                for magic, what in FOREIGN.items():
                    if start.startswith(magic):
                        line = 1 if what.startswith("UTF-16") else None  # of text
                        raise error_at(self.path, line, f"this is {what}.")
                count = Count(
                    most_bytes,
                    most_lines,
                    limits.beyond(limit, "has more than {} unpacked; split it"),
                    self._too_large,
                )
                for text in _lines_of(blocks(file, count)):
                    self.number += 1
                    yield text
                    if self.number % 4096 == 0 or len(text) > 1 << 16:
                        if limits.resident() > allowed:
                            raise self._too_large(
                                limits.beyond(
                                    "memory",
                                    "needs more than {} of memory; import fewer files "
                                    "at once",
                                ),
                                self.number,
                            )
                        if self._progress and size:
                            self._progress(file.tell(), size)
            if self._progress and size:
                self._progress(size, size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            damage = f"are garbled after line {count.lines}"
            if isinstance(error, EOFError):
                damage = f"end too early, after line {count.lines}: the file is cut"
            message = f"the gzip data {damage}. Copy or download it again."
            raise error_at(self.path, None, message) from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path itself
            match error:
                case FileNotFoundError():
                    problem = "there is no such file"
                case IsADirectoryError():
                    problem = "this is a directory, not a file"
                case _:
                    why = getattr(error, "strerror", None) or str(error)
                    problem = f"cannot be read ({why})"
            # The whole path: what is wrong is probably the folder it was looked for in.
            message = f"{self.path}: {problem}; expected {self.expected}."
            raise InputFileError(on_one_line(message)) from None


def _lines_of(content: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of blocks, without their ends; after the last end is no line."""
    begun: list[bytes] = []  # of a line over several blocks
    for block in content:
        first, *others = block.split(b"\n")
        begun.append(first)
        if others:
            yield b"".join(begun)
            *whole, last = others
            yield from whole
            begun = [last]
    if last := b"".join(begun):
        yield last


@contextmanager
def collector_paused() -> Iterator[None]:
    """The collector off, if it was on.

    What a file brings has no cycles, and looking for them is a third of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def line_naming(path: Path, names: tuple[str, ...]) -> tuple[str, int] | None:
    """(file name, line number) of the first line with all these ids; None if none has.

    An id is found where neither a letter, a digit nor ``_`` stands right beside it, as
    it is or as JSON may write it. In a folder all files are looked through, by name.
    """
    patterns = []
    for name in names:
        forms = {name, *(json.dumps(name, ensure_ascii=a)[1:-1] for a in (True, False))}
        either = "|".join(re.escape(form) for form in sorted(forms))
        patterns.append(re.compile(rf"(?<!\w)(?:{either})(?!\w)"))
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in files if names else ():
        if not file.is_file():
            continue
        lines = TextLines(file, expected="")
        try:
            for text in lines:
                if all(pattern.search(text) for pattern in patterns):
                    return file.name, lines.number
        except InputFileError:
            continue
    return None
