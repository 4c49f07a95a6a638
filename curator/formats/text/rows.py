"""Rows that people fill in: JSON lines, or a table with tabs, commas or semicolons."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from curator.formats.text.json_text import json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.records import Place, Record, error_at, text_of
from curator.formats.text.spreadsheets import unmarked

Source = Path | str | Iterable[Mapping[str, Any]]


def read_rows(source: Source, *, name: str, expected: str) -> list[Record]:
    """Read the rows of a file, plain or gzipped, or take records as they are.

    Cells of a table are texts; empty ones are left out. Errors on records call each
    ``name``. Raises InputFileError, which names the line.
    """
    if isinstance(source, Path | str):
        path = Path(source)
        rows = list(_rows(TextLines(path, expected=expected)))
        if not rows:
            raise error_at(path, None, f"has no rows; expected {expected}.")
        return [Record(Place(path, at), value, "the line") for at, value in rows]
    places = (Place(Path(f"{name} {number}")) for number in count(1))
    return [
        Record(place, dict(row), "the line")
        for place, row in zip(places, source, strict=False)
    ]


def _rows(lines: TextLines) -> Iterator[tuple[int, object]]:
    text = lines.whole()
    start = text.lstrip()
    if start.startswith("{"):
        for line in lines.lines_of(text):
            yield lines.number, json_value(lines, line)
    elif start.startswith("["):
        raise lines.error("is a list in JSON; write its objects one per line.")
    else:
        yield from _table_rows(lines, text)


def _table_rows(lines: TextLines, text: str) -> Iterator[tuple[int, object]]:
    top = text.lstrip().partition("\n")[0]
    delimiter = next((mark for mark in "\t;" if mark in top), ",")
    table = csv.reader(
        io.StringIO(text),
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL,
        strict=True,
    )
    heading: list[str] = []
    while True:
        lines.number = table.line_num + 1
        try:
            cells = [cell.strip() for cell in next(table)]
        except StopIteration:
            return
        except csv.Error as error:
            raise lines.error(
                f"cannot be read ({error}): a cell is too long, or a quotation mark "
                "missing."
            ) from None
        if not any(cells):
            continue
        if not heading:
            heading = [cell.casefold() for cell in cells]
            continue
        if len(cells) > len(heading):
            raise lines.error(
                f"{len(cells)} columns; expected {len(heading)}, as in the heading "
                f"{', '.join(heading)}."
            )
        named = zip(heading, map(unmarked, cells), strict=False)
        yield lines.number, {column: cell for column, cell in named if cell}


def required_text(record: Record, field: str) -> str:
    """The field's text without blanks at its ends; a number is taken as written."""
    value = record.get(field)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    text = (text_of(record.place, value, field) or "").strip()
    if not text:
        fields = ", ".join(record) or "none"
        raise record.error(f"no '{field}'; it has {fields}.")
    return text
