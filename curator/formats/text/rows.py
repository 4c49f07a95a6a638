"""Rows that people fill in: JSON lines, or a table with tabs or commas."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator.errors import InputFileError
from curator.formats.text.json_text import json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.records import Record, error_at, text_of
from curator.formats.text.spreadsheets import unmarked

Source = Path | str | Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class RowPlace:
    """The line of a file, or the place among records, that an error names."""

    path: Path
    number: int

    def at(self, *_: str | int) -> RowPlace:
        return self

    def error(self, message: str) -> InputFileError:
        return error_at(self.path, self.number, message)


def read_rows(source: Source, *, name: str, expected: str) -> list[Record]:
    """Read the rows of a file, plain or gzipped, or take records as they are.

    Cells of a table are texts; empty ones are left out. Errors on records call their
    source ``name``. Raises InputFileError, which names the line.
    """
    if isinstance(source, Path | str):
        path = Path(source)
        rows = list(_rows(TextLines(path, expected=expected)))
        if not rows:
            raise error_at(path, None, f"has no rows; expected {expected}.")
    else:
        path, rows = Path(name), list(enumerate(map(dict, source), 1))
    return [Record(RowPlace(path, at), value, "the line") for at, value in rows]


def _rows(lines: TextLines) -> Iterator[tuple[int, object]]:
    heading: list[str] = []
    delimiter = ","
    for text in lines:
        if not heading and text.lstrip().startswith("{"):
            yield lines.number, json_value(lines, text)
            continue
        if not heading:
            delimiter = "\t" if "\t" in text else ","
        cells = next(csv.reader([text], delimiter=delimiter))
        if not heading:
            heading = [cell.strip() for cell in cells]
            continue
        if len(cells) > len(heading):
            raise lines.error(
                f"{len(cells)} columns; expected {len(heading)}, as in the heading "
                f"{', '.join(heading)}."
            )
        named = zip(heading, map(unmarked, map(str.strip, cells)), strict=False)
        yield lines.number, {column: cell for column, cell in named if cell}


def required_text(record: Record, field: str) -> str:
    """The field's text without blanks at its ends; a number is taken as written."""
    value = record.get(field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    text = (text_of(record.place, value, field) or "").strip()
    if not text:
        fields = ", ".join(record) or "none"
        raise record.error(f"no '{field}'; the line has {fields}.")
    return text
