"""Work assignments: a kind of work in a query, given to a judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Literal, get_args

from curator.store import versions
from curator.store.digests import extend_digests, update_digests
from curator.store.history import now

Work = Literal["curate", "votes", "checks"]
WORK: tuple[Work, ...] = get_args(Work)


@dataclass(frozen=True, slots=True)
class Assigned:
    """Work in a query that is assigned to a judge, with who assigned it and when.

    ``wanted`` is how many checks are asked for; 0 of other work, which ends by itself.
    """

    work: Work
    query_id: str
    judge: str
    wanted: int = 0
    at: str = ""
    by: str = ""


def read_assigned(connection: Connection) -> tuple[Assigned, ...]:
    """Return all assignments, by kind of work, then in the order of queries."""
    rows = connection.execute(
        "SELECT work, query_id, judge, wanted, at, by FROM assignment "
        "JOIN query USING (query_id) ORDER BY work, query.position, judge"
    )
    return tuple(Assigned(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class Handed:
    """A change of assignment; None: not assigned before, or not assigned since."""

    at: str
    by: str
    work: Work
    query_id: str
    taken_from: str | None
    given_to: str | None


def read_handed(connection: Connection) -> tuple[Handed, ...]:
    """Return every change of assignment, the latest first."""
    rows = connection.execute(
        "SELECT at, by, work, query_id, taken_from, given_to FROM handed "
        "ORDER BY number DESC"
    )
    return tuple(Handed(*row) for row in rows)


def hand_over(
    connection: Connection,
    *,
    taken: Iterable[Assigned] = (),
    given: Iterable[Assigned] = (),
    by: str,
) -> None:
    """Remove and add assignments, and record both. Call within a transaction.

    The work done so far and existing assignments stay. Work that is taken from one
    judge and given to another is recorded as one change.
    """
    at, judges = (
        now(),
        {
            (assignment.work, assignment.query_id): assignment.judge
            for assignment in taken
        },
    )
    record: list[tuple[str | None, ...]] = []
    with update_digests(connection, "assignment"):
        connection.executemany(
            "DELETE FROM assignment WHERE work = ? AND query_id = ? AND judge = ?",
            [(*work_key, judge) for work_key, judge in judges.items()],
        )
        for assignment in given:
            new = connection.execute(
                "INSERT INTO assignment VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (
                    assignment.work,
                    assignment.query_id,
                    assignment.judge,
                    assignment.wanted,
                    at,
                    by,
                ),
            )
            if new.rowcount:
                work_key = assignment.work, assignment.query_id
                record.append(
                    (at, by, *work_key, judges.pop(work_key, None), assignment.judge)
                )
    record += [(at, by, *work_key, judge, None) for work_key, judge in judges.items()]
    with extend_digests(connection, "handed", "number"):
        connection.executemany(
            "INSERT INTO handed (at, by, work, query_id, taken_from, given_to) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            record,
        )
    versions.bump(connection, [versions.PEOPLE])
