"""Graders, label rules and measures held against references, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.tables.leaderboard import coefficients, correlation_json, resamples_words
from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.verbs.leaderboard.leaderboard import Correlated


def validity_table(lines: Sequence[Correlated]) -> Table:
    """A row for each measure, grader, label rule and reference, reference by reference.

    A board that there cannot be has empty cells, and a note.
    """
    first = lines[0]
    columns = [
        Column("against"),
        Column("measure", "settings.measure"),
        Column("grader", "settings.grader"),
        Column("label", "settings.label"),
        *coefficients(first.found, "found."),
    ]
    notes = [
        f"{one.settings.measure} of {one.settings.grader} against {one.against}: "
        f"{one.found.note}"
        for one in lines
        if one.found.note
    ]
    value = {"rows": [correlation_json(one) for one in lines]}
    caption = f"boards and references \N{MIDDLE DOT} {resamples_words(first.found)}"
    return Table(columns, lines, caption.rstrip(" \N{MIDDLE DOT}"), notes, value)
