"""A result ready to print, and its forms: a table, JSON, TSV."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from curator.evaluation.settings import Settings

Cell = str | int | float | None


@dataclass(frozen=True)
class Shown:
    """A result ready to print. ``caption`` and ``notes`` are for people only."""

    value: object
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = field(default=())


def show(shown: Shown, form: str) -> None:
    """Print on stdout; notes go to stderr, where no script trips over them."""
    if form == "json":
        click.echo(json.dumps(shown.value, ensure_ascii=False, indent=1))
    elif form == "tsv":
        click.echo("\t".join(shown.headings))
        for row in shown.rows:
            click.echo("\t".join(tsv_cell(cell) for cell in row))
    else:
        if shown.caption:
            click.echo(shown.caption)
        for line in table_lines(shown.headings, shown.rows):
            click.echo(line)
    for note in shown.notes:
        click.echo(f"note: {note}", err=True)


def table_lines(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> Iterable[str]:
    """Columns of equal width, numbers to the right, four decimals."""
    cells = [list(headings), *([table_cell(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    numeric = [
        all(not isinstance(row[i], str) for row in rows) and bool(rows)
        for i in range(len(headings))
    ]
    for row in cells:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        yield "  ".join(parts).rstrip()


def table_cell(cell: Cell) -> str:
    """A number to four decimals, nothing as a dash, text on one line."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return " ".join(str(cell).split())


def tsv_cell(cell: Cell) -> str:
    """A number in full, nothing as nothing, text on one line without tabs."""
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else " ".join(str(cell).split())


def said(settings: Settings) -> str:
    """The settings in words, as they stand beside every number."""
    measure = settings.measure
    if measure == "cover":  # any other measure has its cut-off in its name
        measure += f" of the first {settings.k}"
    return f"{measure} · {settings.grader} · rating ≥ {settings.min_rating}"


def settings_json(settings: Settings) -> dict[str, Cell]:
    """The settings as the contract names them."""
    return {
        "measure": settings.measure,
        "grader": settings.grader,
        "min_rating": settings.min_rating,
        "k": settings.k,
    }
