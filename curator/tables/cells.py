"""One cell of a table in each of its forms."""

from __future__ import annotations

from collections.abc import Sequence

Cell = str | int | float | None


def table_cell(cell: Cell) -> str:
    """A number to four decimals, nothing as a dash, text on one line."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:z.4f}"  # never -0.0000
    return " ".join(str(cell).split())


def tsv_cell(cell: Cell) -> str:
    """A number in full, nothing as nothing, text on one line without tabs."""
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else " ".join(str(cell).split())


def are_numbers(headings: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[bool]:
    """For each column, whether it holds numbers alone and so stands to the right."""
    return [
        all(not isinstance(row[i], str) for row in rows) and bool(rows)
        for i in range(len(headings))
    ]
