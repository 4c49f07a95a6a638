"""The people of a workspace and their roles."""

from __future__ import annotations

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
