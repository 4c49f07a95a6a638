"""Output files: written completely or not at all, gzipped by their name.

And their manifests: settings, and the hash of the bank.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TextIO

from curator.errors import CuratorError
from curator.formats.text.notices import listed
from curator.unfinished import unfinished_file


@contextmanager
def output_file(path: Path) -> Iterator[TextIO]:
    """Open a UTF-8 text stream that replaces ``path`` when the block succeeds.

    If the block raises, an older file of that name stays as it was. Equal content
    gives equal bytes, also gzipped. A pipe or device is written as it is. Raises
    CuratorError where nothing can be written. Where only the first lines are wanted
    (``first_lines``), nothing is written.
    """
    preview = _wanted.get()
    if preview is not None and preview.target == path:
        yield preview
        return
    goes_through = path.exists() and not path.is_file()
    if path.is_file() and is_sqlite(path):
        raise CuratorError(
            f"'{path}' is an SQLite file, perhaps a workspace; it is not written over. "
            "Name another file."
        )
    try:
        # Beside its goal, for a rename works only within one file system.
        with nullcontext(path) if goes_through else unfinished_file(path) as part:
            with open(part, "wb") as file, _text_stream(file, path) as stream:
                yield stream
            if not goes_through:
                os.replace(part, path)
    except OSError as error:
        why = error.strerror or error
        raise CuratorError(f"Cannot write '{path}': {why}.") from None


def make_folder(folder: Path, names: Collection[str]) -> None:
    """Make a folder for files of these names.

    Raises CuratorError for a folder that holds others, which an import would read too.
    """
    try:
        folder.mkdir(exist_ok=True)
        others = {path.name for path in folder.iterdir()} - set(names)
    except OSError as error:
        raise CuratorError(f"Cannot write '{folder}': {error.strerror}.") from None
    if others:
        raise CuratorError(
            f"The folder '{folder}' holds other files ({listed(others)}), which an "
            "import would read too. Name a folder of its own."
        )


def is_sqlite(path: Path) -> bool:
    """Return True if the file begins like an SQLite file."""
    try:
        with open(path, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False  # opening it to write will say why


def _text_stream(file: io.BufferedWriter, path: Path) -> io.TextIOWrapper:
    if path.suffix != ".gz":
        return io.TextIOWrapper(file, "utf-8", newline="\n")
    # Neither name nor time in the header, so that equal content is equal bytes.
    packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
    return io.TextIOWrapper(packed, "utf-8", newline="\n")


CHARACTERS = 40_000  # no more is made of a file whose lines are long


class EnoughWrittenError(Exception):
    """Ends the writing of a preview once it has enough lines."""


class FirstLines(io.StringIO):
    """A stream that raises EnoughWrittenError after ``most`` lines.

    ``cut`` says that more would have followed.
    """

    def __init__(self, target: Path, most: int) -> None:
        super().__init__(newline="\n")
        self.target = target
        self.cut = False
        self._most = most

    def write(self, text: str, /) -> int:
        """Keep the text, or raise EnoughWrittenError where there is enough of it."""
        lines = self.getvalue().count("\n")
        if lines >= self._most or self.tell() >= CHARACTERS:
            self.cut = self.cut or bool(text)
            raise EnoughWrittenError
        return super().write(text)

    def lines(self) -> list[str]:
        """The lines that were written, at most so many, without their ends."""
        return self.getvalue().splitlines()[: self._most]


_wanted: ContextVar[FirstLines | None] = ContextVar("first_lines", default=None)


@contextmanager
def first_lines(target: Path, most: int) -> Iterator[FirstLines]:
    """Within the block what is written to ``target`` goes here, and no further.

    The block ends early, without an error, when the lines are there.
    """
    preview = FirstLines(target, most)
    token = _wanted.set(preview)
    try:
        yield preview
    except EnoughWrittenError:
        pass
    finally:
        _wanted.reset(token)


SUFFIX = ".manifest.json"


def manifest_path(target: Path) -> Path:
    """Return the path of a file's manifest, in the same folder."""
    return target.with_name(target.name + SUFFIX)


def refuse_manifest(target: Path) -> None:
    """Raise CuratorError if the manifest of a file cannot be written."""
    path = manifest_path(target)
    if path.is_dir() or (path.is_file() and is_sqlite(path)):
        what = "a folder" if path.is_dir() else "an SQLite file, perhaps a workspace"
        raise CuratorError(
            f"'{path}' is {what}, and the manifest of '{target}' would stand there; "
            "name another file."
        )


def write_manifest(target: Path, fields: Mapping[str, Any]) -> Path | None:
    """Write the manifest of ``target`` with name and SHA-256; None for a pipe."""
    if not target.is_file():
        return None
    path = manifest_path(target)
    value = {"file": target.name, "sha256": file_sha256(target), **fields}
    with output_file(path) as stream:
        stream.write(json.dumps(value, ensure_ascii=False, indent=1) + "\n")
    return path


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes as they lie on disk."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
