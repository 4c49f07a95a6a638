"""The people of a workspace: their roles, and the work assigned to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from sqlite3 import Connection
from typing import Literal, get_args

from curator.results import column
from curator.store import versions
from curator.store.history import now

Role = Literal["organizer", "judge", "viewer"]
ROLES: tuple[Role, ...] = get_args(Role)
"""From most to fewest permissions."""


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the workspace: name, role, and who assigned the role when."""

    name: str
    role: Role
    added_at: str = field(metadata=column("added"))
    added_by: str = field(metadata=column("by"))


def read_people(connection: Connection) -> tuple[Person, ...]:
    """Return everybody listed, sorted by name."""
    rows = connection.execute(
        "SELECT name, role, added_at, added_by FROM person ORDER BY name"
    )
    return tuple(Person(*row) for row in rows)


def write_person(connection: Connection, name: str, role: Role, *, by: str) -> None:
    """Set a person's role, replacing an earlier one. Call within a transaction."""
    connection.execute(
        "INSERT INTO person VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
        "role = excluded.role, added_at = excluded.added_at, "
        "added_by = excluded.added_by",
        (name, role, now(), by),
    )
    versions.bump(connection, [versions.PEOPLE])


def delete_person(connection: Connection, name: str) -> None:
    """Remove a person from the list; their work stays. Call within a transaction."""
    connection.execute("DELETE FROM person WHERE name = ?", (name,))
    versions.bump(connection, [versions.PEOPLE])


Work = Literal["curate", "votes", "checks"]
WORK: tuple[Work, ...] = get_args(Work)


@dataclass(frozen=True, slots=True)
class StoredAssignment:
    """Work in a query that is assigned to a judge, with who assigned it and when.

    ``check_count`` is the number of checks to make, 0 for other kinds of work.
    """

    work: Work
    query_id: str
    judge: str
    check_count: int = 0
    at: str = ""
    by: str = ""


def read_assignments(connection: Connection) -> tuple[StoredAssignment, ...]:
    """Return all assignments, by kind of work, then in the order of queries."""
    rows = connection.execute(
        "SELECT work, query_id, judge, wanted, at, by FROM assignment "
        "JOIN query USING (query_id) ORDER BY work, query.position, judge"
    )
    return tuple(StoredAssignment(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class AssignmentChange:
    """A change of assignment; a judge is None if the work had none."""

    at: str
    by: str
    work: Work
    query_id: str
    taken_from: str | None
    given_to: str | None


def read_assignment_changes(connection: Connection) -> tuple[AssignmentChange, ...]:
    """Return every change of assignment, the latest first."""
    rows = connection.execute(
        "SELECT at, by, work, query_id, taken_from, given_to FROM handed "
        "ORDER BY number DESC"
    )
    return tuple(AssignmentChange(*row) for row in rows)


def write_assignments(
    connection: Connection,
    *,
    removed: Iterable[StoredAssignment] = (),
    added: Iterable[StoredAssignment] = (),
    by: str,
) -> None:
    """Remove and add assignments, and record both. Call within a transaction.

    The work done so far and existing assignments stay. Work that moves from one judge
    to another is recorded as one change.
    """
    at = now()
    old_judges = {(entry.work, entry.query_id): entry.judge for entry in removed}
    record: list[tuple[str | None, ...]] = []
    connection.executemany(
        "DELETE FROM assignment WHERE work = ? AND query_id = ? AND judge = ?",
        [(*work_key, judge) for work_key, judge in old_judges.items()],
    )
    for entry in added:
        work_key = entry.work, entry.query_id
        row = *work_key, entry.judge, entry.check_count, at, by
        insert = "INSERT INTO assignment VALUES (?, ?, ?, ?, ?, ?) "
        if connection.execute(insert + "ON CONFLICT DO NOTHING", row).rowcount:
            old_judge = old_judges.pop(work_key, None)
            record.append((at, by, *work_key, old_judge, entry.judge))
    record += [
        (at, by, *work_key, judge, None) for work_key, judge in old_judges.items()
    ]
    connection.executemany(
        "INSERT INTO handed (at, by, work, query_id, taken_from, given_to) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        record,
    )
    versions.bump(connection, [versions.PEOPLE])
