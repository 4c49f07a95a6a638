"""``--bank``: whichever bank a file holds, told by its first record."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from curator.formats.autograder.bank import read_bank
from curator.formats.nuggetbank import GROUPS, read_nuggetbank
from curator.formats.nuggetizer import read_nuggetizer
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import wrong_file_hint
from curator.formats.text.json_documents import leading_value


def read_any_bank(path: Path, *, progress: Progress | None = None) -> ParsedImport:
    """The bank of a file of Autograder, autojudge-base, nuggetizer or TQA.

    A file whose first record is of none of them is read, and refused, as Autograder's;
    so is a pipe, which cannot be looked into. Raises InputFileError.
    """
    with wrong_file_hint(path, "bank"):
        value = leading_value(path)
    return reader_of(value)(path, progress=progress)


def reader_of(value: Any) -> Callable[..., ParsedImport]:
    """What reads a bank that begins with this value."""
    match value:
        case dict() if any(group.name in value for group in GROUPS):
            return read_nuggetbank
        case {"qid": _, "nuggets": _}:
            return read_nuggetizer
        case [{"globalID": _}, *_]:
            found: Callable[..., ParsedImport] = import_module(
                "curator.formats.tqa"
            ).read_tqa
            return found
        case _:
            return read_bank
