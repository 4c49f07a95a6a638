"""The JSON objects of a file: one a line, or a single one over many lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.exchange.json_text import json_value
from curator.exchange.records import record_of
from curator.exchange.text_lines import TextLines


def json_records(lines: TextLines) -> Iterator[dict[str, Any]]:
    """The objects in order; while iterating, ``lines.error`` names the current line.

    Of an object over many lines it names none, but where that is cut short. Raises
    InputFileError.
    """
    whole = lines.whole()
    first = next(text for text in whole.split("\n") if text.strip())
    if _goes_on(first, whole):
        if _cut_short(whole):
            lines.number = whole.rstrip().count("\n") + 1
        yield record_of(lines, json_value(lines, whole, document=True), "the file")
        return
    for text in lines.lines_of(whole):
        yield record_of(lines, json_value(lines, text), "the line")


def first_value(path: Path) -> Any:
    """The first JSON value of a file, None where there is none to be read.

    A pipe gives its content only once, so none of it is read.
    """
    if not path.is_file():
        return None
    try:
        first = next(iter(TextLines(path, expected="JSON")))
        if not first.lstrip().startswith(("{", "[")):
            return None
        try:
            return json.loads(first)
        except ValueError:
            whole = TextLines(path, expected="JSON").whole()
            return json.loads(whole) if _goes_on(first, whole) else None
    except (ValueError, RecursionError, InputFileError):
        return None


def _goes_on(first: str, whole: str) -> bool:
    """Whether the first line is right as far as it goes, and others follow."""
    return first.strip() != whole.strip() and _cut_short(first)


def _cut_short(text: str) -> bool:
    """Whether it is no JSON for its end alone."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text.rstrip())
    except (ValueError, RecursionError):
        return False
    return False
