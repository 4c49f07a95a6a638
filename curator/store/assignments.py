"""What is assigned to whom: a kind of work in a query, to a judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Literal, get_args

from curator.store import versions
from curator.store.history import now

Work = Literal["curate", "votes", "checks"]
WORK: tuple[Work, ...] = get_args(Work)


@dataclass(frozen=True, slots=True)
class Assigned:
    """Work in a query that is a judge's, and who gave it when.

    ``wanted`` is how many checks are asked for; 0 of other work, which ends by itself.
    """

    work: Work
    query_id: str
    judge: str
    wanted: int = 0
    at: str = ""
    by: str = ""


def read_assigned(connection: Connection) -> tuple[Assigned, ...]:
    """Everything that is assigned, by kind of work, in the order of queries."""
    rows = connection.execute(
        "SELECT work, query_id, judge, wanted, at, by FROM assignment "
        "JOIN query USING (query_id) ORDER BY work, query.position, judge"
    )
    return tuple(Assigned(*row) for row in rows)


def write_assigned(
    connection: Connection, given: Iterable[Assigned], *, by: str
) -> None:
    """Assign these; what is assigned already stays as it is. Within a transaction."""
    at = now()
    connection.executemany(
        "INSERT INTO assignment VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(o.work, o.query_id, o.judge, o.wanted, at, by) for o in given],
    )
    versions.bump(connection, [versions.PEOPLE])


def delete_assigned(connection: Connection, given: Iterable[Assigned]) -> None:
    """Take these away; what was done stays. Within a transaction."""
    connection.executemany(
        "DELETE FROM assignment WHERE work = ? AND query_id = ? AND judge = ?",
        [(one.work, one.query_id, one.judge) for one in given],
    )
    versions.bump(connection, [versions.PEOPLE])
