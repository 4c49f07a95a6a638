"""Graders, label rules and measures held against references, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.tables.forms import score
from curator.tables.leaderboard import coefficients, correlation_json
from curator.tables.settings import RULES
from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.verbs.leaderboard.leaderboard import BoardCorrelation

APART = " \N{MIDDLE DOT} "


def validity_table(
    lines: Sequence[BoardCorrelation], names: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """A row for each measure, grader, label rule and reference, reference by reference.

    A board that there cannot be has empty cells, and a note. On pages it is of one
    measure and reference, and ``names`` are graders' shorter ones.
    """
    columns = [
        Column("against", only=("file",)),
        Column("measure", "settings.measure", only=("file",)),
        Column(
            *("grader", "settings.grader"),
            page=lambda entry: names.get(entry.settings.grader, entry.settings.grader),
        ),
        Column(
            *("label", lambda row: row.settings.label if row.uses_label_rule else ""),
            page=lambda row: RULES[row.settings.label] if row.uses_label_rule else "",
        ),
        Column("rating from", "settings.min_rating", only=("file",)),
        Column("\u03c4", "correlation.kendall", title="\u03c4", only=("page",)),
        Column("95 %", _within, missing="", only=("page",)),
        *coefficients(lines[0].correlation, "correlation."),
    ]
    printed = ("systems", "spearman", "kendall", "low", "high")
    columns = [
        replace(entry, only=("file",)) if entry.heading in printed else entry
        for entry in columns
    ]
    notes = [
        f"{entry.settings.measure} of {entry.settings.grader} against {entry.against}: "
        f"{entry.correlation.note}"
        for entry in lines
        if entry.correlation.note
    ]
    notes += getattr(lines, "notes", ())
    value = {"rows": [correlation_json(entry) for entry in lines]}
    return Table(columns, lines, validity_words(lines), notes, value)


def validity_words(lines: Sequence[BoardCorrelation]) -> str:
    """Settings of all rows: ``rating >= 4, low and high: ...``."""
    ratings = {row.settings.min_rating for row in lines}
    shared = f"rating \u2265 {ratings.pop()}" if len(ratings) == 1 else ""
    return APART.join(filter(None, [shared, lines[0].correlation.procedure]))


def _within(row: BoardCorrelation) -> str | None:
    """``.540, .854``."""
    lies = getattr(row.correlation, "kendall_interval", None)
    return lies and f"{score(lies.low)}, {score(lies.high)}"
