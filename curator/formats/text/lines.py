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
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO

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
    b"\xd0\xcf\x11\xe0": "an old Excel or Word file; save it as .xlsx or CSV",
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
_TOO_MUCH = {
    "file": "the file has more than {} unpacked; split it",
    "document": "the file has more than {} unpacked; split it",
    "lines": "the file has more than {} lines, blank ones included; split it",
    "ratio": "the file unpacks to more than {} times its size; if that is right, "
    "unpack it first",
    "line": "is longer than {}; split it",
    "text": "has more than {} characters; split it",
    "memory": "needs more than {} of memory; import fewer files at once",
}
"""Messages of the limits; those of the file name no line."""


class TextLines:
    """The lines of one file that are not blank, in order; a second loop continues.

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
        self._is_empty = True
        self._peeked: deque[str] = deque()
        self._texts = self._read_texts()

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong in the current line."""
        return error_at(self.path, self.number or None, message)

    def at(self, *keys: Key) -> Place:
        """The place to which these keys lead in the current line."""
        return Place(self.path, self.number or None, keys)

    def __iter__(self) -> Iterator[str]:
        most = limits.current().text
        for text in self._remaining():
            if text and not text.isspace():
                self._is_empty = False
                # A line of JSON holds many texts.
                if len(text) > most and not text.lstrip().startswith(("{", "[")):
                    raise self._too_large("text")
                yield text
        self._refuse_empty()

    def peek(self) -> str:
        """The first line that is not blank, which stays to be read."""
        if not self._peeked:
            for text in self._texts:
                self._peeked.append(text)
                if not text.isspace() and text:
                    break
            self._is_empty = not any(map(str.strip, self._peeked))
        self._refuse_empty()
        return self._peeked[-1]

    def whole(self) -> str:
        """The remaining lines as one text; errors then name no line."""
        texts, size, most = list[str](), 0, limits.current().document
        for text in self._remaining():
            size += len(text) + 1
            if size > most:
                raise self._too_large("document")
            texts.append(text)
        self.number = 0
        text = "\n".join(texts)
        self._is_empty = not text.strip()
        self._refuse_empty()
        return text

    def _remaining(self) -> Iterator[str]:
        while self._peeked:
            yield self._peeked.popleft()
        yield from self._texts

    def _refuse_empty(self) -> None:
        if self._is_empty:
            message = f"the file is empty; expected {self.expected}."
            raise error_at(self.path, None, message)

    def _too_large(self, limit: str) -> TooLargeError:
        message = _TOO_MUCH[limit]
        line = None if message.startswith("the file") else self.number
        return TooLargeError(
            str(error_at(self.path, line, limits.beyond(limit, message)))
        )

    def _read_texts(self) -> Iterator[str]:
        for line in self._lines():
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
            yield text.removesuffix("\n").removesuffix("\r")

    def _lines(self) -> Iterator[bytes]:
        """The file's lines with their ends, within the limits."""
        try:
            with open(self.path, "rb") as file:
                start = file.peek(16)[:16]
                for magic, what in FOREIGN.items():
                    if start.startswith(magic):
                        if self.path.suffix.lower() in (".xlsx", ".xlsm"):
                            what = "a damaged spreadsheet; copy or save it again"
                        self.number = 1 if what.startswith("UTF-16") else 0
                        raise self.error(f"this is {what}.")
                if start.startswith(GZIP):
                    unpacked = gzip.GzipFile(fileobj=file)
                    stream: IO[bytes] = BufferedReader(unpacked, BLOCK)
                    yield from self._counted(stream, file)
                else:
                    yield from self._counted(file, file)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            damage = f"are garbled after line {self.number}"
            if isinstance(error, EOFError):
                damage = f"end too early, after line {self.number}: the file is cut"
            message = f"the gzip data {damage}. Copy or download it again."
            raise error_at(self.path, None, message) from None
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path itself
            problem = f"cannot be read ({getattr(error, 'strerror', None) or error})"
            if isinstance(error, FileNotFoundError):
                problem = "there is no such file"
            if isinstance(error, IsADirectoryError):
                problem = "this is a directory, not a file"
            # The whole path: what is wrong is probably the folder it was looked for in.
            message = f"{self.path}: {problem}; expected {self.expected}."
            raise InputFileError(on_one_line(message)) from None

    def _counted(self, stream: IO[bytes], file: BufferedReader) -> Iterator[bytes]:
        """The lines of a stream, which may unpack ``file``."""
        most, allowed = limits.current(), limits.memory_allowed()
        size, read = os.fstat(file.fileno()).st_size, 0  # size 0: a pipe
        while line := stream.readline(most.line + 2):
            self.number += 1
            read += len(line)
            if len(line) > most.line and len(line.rstrip(b"\r\n")) > most.line:
                raise self._too_large("line")
            if read > most.file or self.number > most.lines:
                raise self._too_large("file" if read > most.file else "lines")
            is_packed = stream is not file and size and read > most.free
            if is_packed and read > most.unpacked(file.tell()):
                raise self._too_large("ratio")
            if self.number % 4096 == 0 or len(line) > 1 << 16:
                if limits.resident() > allowed:
                    raise self._too_large("memory")
                if self._progress and size:
                    self._progress(file.tell(), size)
            yield line
        if self._progress and size:
            self._progress(size, size)


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

    An id is a match where neither a letter, a digit nor ``_`` stands beside it, as it
    is or as JSON may write it. In a folder all files are searched, by name.
    """
    patterns = []
    for name in names:
        forms = {name, *(json.dumps(name, ensure_ascii=a)[1:-1] for a in (True, False))}
        either = "|".join(map(re.escape, sorted(forms)))
        patterns.append(re.compile(rf"(?<!\w)(?:{either})(?!\w)"))
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for file in filter(Path.is_file, files if names else ()):
        lines = TextLines(file, expected="")
        with suppress(InputFileError):
            for text in lines:
                if all(pattern.search(text) for pattern in patterns):
                    return file.name, lines.number
    return None
