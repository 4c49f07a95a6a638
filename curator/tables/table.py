"""A result ready to print, and its forms: a table, JSON, TSV, LaTeX, Markdown."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from curator.evaluation.measures import looks_at_k
from curator.formats.leaderboard_tsv import spreadsheet_text
from curator.tables import markup
from curator.tables.cells import Cell, are_numbers, table_cell, tsv_cell

if TYPE_CHECKING:
    from curator.evaluation.settings import Settings

__all__ = ["Cell", "Shown", "said", "settings_json", "show", "show_all", "spreadsheet"]


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
    else:
        click.echo(text_of(shown, form), nl=False)
    for note in shown.notes:
        click.echo(f"note: {note}", err=True)


def show_all(tables: Sequence[Shown], value: object, form: str) -> None:
    """Print several tables one after the other; as JSON the one value of them all."""
    if form == "json":
        click.echo(json.dumps(value, ensure_ascii=False, indent=1))
    else:
        click.echo("\n".join(text_of(shown, form) for shown in tables), nl=False)
    for note in dict.fromkeys(note for shown in tables for note in shown.notes):
        click.echo(f"note: {note}", err=True)


def text_of(shown: Shown, form: str) -> str:
    """The rows as one of the forms that are text, without the notes."""
    if form == "latex":
        return markup.latex(shown.headings, shown.rows, shown.caption)
    if form == "markdown":
        return markup.markdown(shown.headings, shown.rows, shown.caption)
    if form == "tsv":
        rows = (map(tsv_cell, row) for row in shown.rows)
        lines = ["\t".join(line) for line in (shown.headings, *rows)]
    else:
        lines = [shown.caption] if shown.caption else []
        lines += table_lines(shown.headings, shown.rows)
    return "".join(line + "\n" for line in lines)


def spreadsheet(shown: Shown) -> str:
    """The rows as TSV for spreadsheets, which take no text in it for a formula."""
    lines = [shown.headings]
    for row in shown.rows:
        cells = (spreadsheet_text(c) if isinstance(c, str) else c for c in row)
        lines.append([tsv_cell(cell) for cell in cells])
    return "".join("\t".join(line) + "\n" for line in lines)


def table_lines(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> Iterable[str]:
    """Columns of equal width, numbers to the right, four decimals."""
    if not headings:
        return
    cells = [list(headings), *([table_cell(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    numeric = are_numbers(headings, rows)
    for row in cells:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        yield "  ".join(parts).rstrip()


def measure_said(settings: Settings) -> str:
    """The measure and how deep it looks: ``cover of the first 20``, ``P@20``."""
    if looks_at_k(settings.measure):  # any other has its cut-off in its name
        return f"{settings.measure} of the first {settings.k}"
    return settings.measure


def said(settings: Settings) -> str:
    """The settings in words, as they stand beside every number."""
    measure = measure_said(settings)
    if not settings.grader:  # texts are compared with texts
        return f"{measure} · no grader"
    return f"{measure} · {settings.grader} · rating ≥ {settings.min_rating}"


def settings_json(settings: Settings) -> dict[str, Cell]:
    """The settings as the contract names them."""
    return {
        "measure": settings.measure,
        "grader": settings.grader,
        "min_rating": settings.min_rating,
        "k": settings.k,
    }
