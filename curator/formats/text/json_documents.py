"""A file that is one JSON text over any number of lines, and the places in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.formats.text.json_text import (
    JsonError,
    Key,
    beginning,
    json_read,
    json_value,
    line_at,
    place_of,
)
from curator.formats.text.lines import TextLines
from curator.formats.text.records import Record, error_at


@dataclass(frozen=True)
class JsonDocument:
    """A place in a document: the whole, or what ``keys`` lead to.

    Its line is sought only when an error names it. Errors begin with ``name``.
    """

    path: Path
    text: str
    keys: tuple[Key, ...] = ()
    name: str = ""

    def at(self, *keys: Key) -> JsonDocument:
        """The place to which these keys lead from here."""
        return replace(self, keys=self.keys + keys)

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong here, with the line."""
        line = line_at(self.text, place_of(self.text, self.keys))
        name = f"{self.name}: " if self.name else ""
        return error_at(self.path, line, name + message)

    def value(self) -> Any:
        """The whole document's value. Raises InputFileError, with the line."""
        try:
            return json_read(self.text)
        except JsonError as error:
            line = line_at(self.text, error.position(self.text))
            raise error_at(self.path, line, error.message) from None


def is_document(whole: str) -> bool:
    """Whether a text of JSON is one value over several lines and not a value a line.

    So it is where the first line is right as far as it goes and others follow. But
    where the second is an object by itself, and the whole is no JSON, it is the first
    of several objects that is cut.
    """
    lines = (line for line in whole.split("\n") if line.strip())
    first, second = next(lines, ""), next(lines, None)
    if second is None or not _is_json(first, cut=True):
        return False
    is_object = second.lstrip().startswith("{") and _is_json(second)
    return not is_object or _is_json(whole)


def _is_json(text: str, *, cut: bool = False) -> bool:
    """Whether it is JSON, or instead no JSON for its end alone."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return cut and error.pos >= len(text.rstrip())
    except (ValueError, RecursionError):
        return False
    return not cut


def line_record(lines: TextLines, text: str) -> Record:
    """The object that a line is. Raises InputFileError."""
    return Record(lines, json_value(lines, text), "the line")


def json_records(lines: TextLines) -> Iterator[Record]:
    """The objects of a file in order, one a line or one in all.

    Raises InputFileError.
    """
    whole = lines.whole()
    if is_document(whole):
        document = JsonDocument(lines.path, whole)
        yield Record(document, document.value(), "the file")
        return
    for text in lines.lines_of(whole):
        yield line_record(lines, text)


def first_value(path: Path) -> Any:
    """The first JSON value of a file, None where there is none to be read.

    Of a value over many lines that is damaged further down it is what stands before.
    A pipe gives its content only once, so none of it is read.
    """
    try:
        return leading_value(path)
    except InputFileError:
        try:
            return beginning(TextLines(path, expected="JSON").whole())
        except InputFileError:
            return None


def leading_value(path: Path) -> Any:
    """As ``first_value``; but raises InputFileError for a damaged one over lines."""
    if not path.is_file():
        return None
    try:
        first = next(iter(TextLines(path, expected="JSON")))
    except InputFileError:
        return None  # whoever reads it says so
    if not first.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(first)
    except (ValueError, RecursionError):
        whole = TextLines(path, expected="JSON").whole()
        return JsonDocument(path, whole).value() if is_document(whole) else None
