"""Who works in a workspace, and in which role."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.results import Rows
    from curator.store.people import Person

NOBODY = (
    "Nobody is listed: whoever reaches the app may do everything there, under any name."
)


def people_table(people: Rows[Person]) -> Table:
    """A line a person, organizers first."""
    columns = [
        *(Column("name"), Column("role")),
        *(Column("added", "added_at"), Column("by", "added_by")),
    ]
    value = [asdict(one) for one in people]
    return Table(columns, people, notes=() if people else (NOBODY,), value=value)
