"""A file that is one JSON text over any number of lines, and the places in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
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
from curator.formats.text.records import error_at, record_of


class JsonDocument:
    """A place in a document: the whole, or what ``keys`` lead to.

    Its line is sought only when an error names it.
    """

    def __init__(self, path: Path, text: str, keys: tuple[Key, ...] = ()) -> None:
        self._path = path
        self.text = text
        self._keys = keys

    def at(self, *keys: Key) -> JsonDocument:
        """The place to which these keys lead from here."""
        return JsonDocument(self._path, self.text, self._keys + keys)

    def error(self, message: str) -> InputFileError:
        """The error whose ``message`` says what is wrong here, with the line."""
        line = line_at(self.text, place_of(self.text, self._keys))
        return error_at(self._path, line, message)

    def value(self) -> Any:
        """The whole document's value. Raises InputFileError, with the line."""
        try:
            return json_read(self.text)
        except JsonError as error:
            line = line_at(self.text, error.position())
            raise error_at(self._path, line, error.message) from None


JsonPlace = TextLines | JsonDocument
"""A place in JSON: in a line, or in a whole document; ``at`` leads further in."""


def document_in(lines: TextLines, whole: str | None = None) -> JsonDocument:
    """The document that a file is; ``whole`` is its text where it was read before."""
    return JsonDocument(lines.path, lines.whole() if whole is None else whole)


def is_document(whole: str) -> bool:
    """Whether a text of JSON is one value over several lines and not a value a line.

    So it is where the first line is right as far as it goes and others follow. But
    where the second is an object by itself, and the whole is no JSON, it is the first
    of several objects that is cut.
    """
    lines = (line for line in whole.split("\n") if line.strip())
    first, second = next(lines, ""), next(lines, None)
    if second is None or not _cut_short(first):
        return False
    return not (_is_object(second) and not _is_json(whole))


def _cut_short(text: str) -> bool:
    """Whether it is no JSON for its end alone."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip())
    except (ValueError, RecursionError):
        return False
    return False


def _is_object(text: str) -> bool:
    return text.lstrip().startswith("{") and _is_json(text)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def json_records(lines: TextLines) -> Iterator[tuple[JsonPlace, dict[str, Any]]]:
    """The objects in order, each with its place: its line, or the whole document.

    Raises InputFileError.
    """
    whole = lines.whole()
    if is_document(whole):
        document = document_in(lines, whole)
        yield document, record_of(document, document.value(), "the file")
        return
    for text in lines.lines_of(whole):
        yield lines, record_of(lines, json_value(lines, text), "the line")


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
        document = document_in(TextLines(path, expected="JSON"))
        return document.value() if is_document(document.text) else None
