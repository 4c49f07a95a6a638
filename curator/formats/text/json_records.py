"""The JSON objects of a file: one a line, or a single one over many lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.formats.text.json_documents import JsonPlace, document_in, is_document
from curator.formats.text.json_places import beginning
from curator.formats.text.json_text import json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.records import record_of


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
