"""Tables of people, assignments and progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.results import Rows
    from curator.store.people import Person
    from curator.verbs.team.assignment import Assignment, Handover
    from curator.verbs.team.progress import JudgeWork

NOBODY = (
    "Nobody is listed: anybody who reaches the app may do everything, under any name."
)


def people_table(people: Rows[Person]) -> Table:
    """A line a person, organizers first."""
    columns = [
        *(Column("name"), Column("role")),
        *(Column("added", "added_at"), Column("by", "added_by")),
    ]
    value = [asdict(one) for one in people]
    notes = people.notes if people else (NOBODY,)
    return Table(columns, people, notes=notes, value=value)


def assignment_table(given: Rows[Assignment]) -> Table:
    """A line a judge's work in a query, and how far it is."""
    columns = [
        *(Column("work"), Column("query", "query_id"), Column("judge")),
        *(Column("status"), Column("done"), Column("of", "total")),
        Column("waiting for", lambda one: ", ".join(one.waiting)),
        *(Column("assigned", "at"), Column("by")),
    ]
    value = [asdict(one) | {"status": one.status} for one in given]
    notes = given.notes if given else ("No work is assigned.",)
    return Table(columns, given, notes=notes, value=value)


def handover_table(found: Sequence[Handover]) -> Table:
    """A line each time that work changed hands."""
    columns = [
        Column("when", "at", page=lambda one: minute(one.at), help="UTC"),
        *(Column("by"), Column("work")),
        Column("from", "taken_from", missing="nobody"),
        Column("to", "given_to", missing="nobody"),
        Column(
            "queries",
            lambda one: ", ".join(one.query_ids),
            page=lambda one: len(one.query_ids),
        ),
    ]
    value = [asdict(one) for one in found]
    notes = () if found else ("No work has been assigned yet.",)
    return Table(columns, found, "Changes of assignments", notes, value)


def minute(at: str) -> str:
    """A time as a page shows it, without seconds."""
    return at[:16].replace("T", " ")


def progress_table(works: Rows[JudgeWork]) -> Table:
    """A line a judge: what is assigned and done, and how their judging goes."""
    columns = [
        *(Column("judge"), Column("role", missing="", only=("file",))),
        *(Column("assigned"), Column("done", "finished")),
        *(Column("edits"), Column("votes"), Column("checks")),
        Column(
            "seconds",
            title="s a decision",
            digits=1,
            help="Median time between two decisions, without breaks of 10 minutes or "
            "more",
        ),
        Column(
            "agreement",
            title="Agrees",
            digits=2,
            help="Share of votes and checks that equal those of another judge on the "
            "same item",
        ),
        Column("shared", help="Votes and checks compared with those of others"),
        Column(
            "idle since",
            "last",
            title="Idle since",
            page=lambda one: minute(one.last) if one.last else "never",
            help="UTC",
        ),
    ]
    value = [asdict(one) | {"agreement": one.agreement} for one in works]
    return Table(columns, works, value=value)
