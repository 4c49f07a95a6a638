"""Pairs to be checked, and what was recorded."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.verbs.checks.next_checks import NextChecks
    from curator.verbs.checks.record import Recorded


def next_table(found: NextChecks) -> Table:
    """The pairs, with no word of how any grader rates them."""
    columns = [
        *(Column("query", "query_id"), Column("id", "item_id", key="item_id")),
        *(Column("item"), Column("passage", "passage_id")),
        *(Column("probability"), Column("text")),
    ]
    one, many = ("pair", "pairs") if found.of == "pairs" else ("passage", "passages")
    caption = (
        f"{counted(len(found.checks), one)} of {found.population:,} {many} not checked "
        f"· seed {found.seed}"
    )
    value = {"checks": [asdict(check) for check in found.checks]}
    return Table(columns, found.checks, caption, found.notes, value)


def recorded_table(found: Recorded) -> Table:
    """How many checks were saved."""
    columns = [
        *(Column("recorded"), Column("unchanged")),
        Column("judges", lambda one: ", ".join(one.judges)),
    ]
    return Table(columns, [found], value=asdict(found) | {"judges": [*found.judges]})
