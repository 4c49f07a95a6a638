"""Rows that people fill in: JSON records, or a table of texts between delimiters."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from curator.formats.text.json_text import json_records
from curator.formats.text.lines import TextLines
from curator.formats.text.records import Place, Record, error_at, text_of
from curator.formats.text.spreadsheets import unmarked

Source = Path | str | Iterable[Mapping[str, Any]]


def read_rows(source: Source, *, name: str, expected: str) -> list[Record]:
    """Read the rows of a file, plain or gzipped, or take records as they are.

    Cells of a table are texts; empty ones are left out. Errors on records call each
    ``name``. Raises InputFileError, which names the line.
    """
    if not isinstance(source, Path | str):
        return [
            Record(Place(Path(f"{name} {number}")), dict(row), "the line")
            for number, row in enumerate(source, start=1)
        ]
    path = Path(source)
    lines = TextLines(path, expected=expected)
    if lines.peek().lstrip().startswith(("{", "[")):
        rows = []
        for record in json_records(lines):
            record.place = record.place.at()  # of this line, not of the next
            rows.append(record)
    else:
        rows = list(table_records(lines))
    if not rows:
        raise error_at(path, None, f"has no rows; expected {expected}.")
    return rows


def table_records(lines: TextLines) -> Iterator[Record]:
    """The rows of a table by its headings in lower case, without empty cells."""
    text = lines.whole()
    top = text.lstrip().partition("\n")[0]
    delimiter = next((mark for mark in "\t;" if mark in top), ",")
    heading: list[str] = []
    # As commands print them, cells between tabs have no quotation marks.
    for number, cells in table_rows(lines, text, delimiter, quoted=delimiter != "\t"):
        if not heading:
            heading = [cell.casefold() for cell in cells]
            continue
        if len(cells) > len(heading):
            raise error_at(
                lines.path,
                number,
                f"{len(cells)} columns; expected {len(heading)}, as in the heading "
                f"{', '.join(heading)}.",
            )
        named = zip(heading, cells, strict=False)
        row = {column: cell for column, cell in named if cell}
        yield Record(Place(lines.path, number), row, "the line")


def table_rows(
    lines: TextLines, text: str, delimiter: str, *, quoted: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """The line and the cells of each row of ``text`` with any, without blanks around.

    Raises InputFileError.
    """
    table = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
        strict=True,
    )
    while True:
        number = table.line_num + 1
        try:
            cells = [unmarked(cell.strip()) for cell in next(table)]
        except StopIteration:
            return
        except csv.Error as error:
            message = f"cannot be read ({error}): is a quotation mark missing?"
            raise error_at(lines.path, number, message) from None
        if any(cells):
            yield number, cells


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
