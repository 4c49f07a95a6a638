"""What is assigned to whom: a kind of work in a query, to a judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Literal, get_args

from curator.store import versions
from curator.store.digests import adding, changing
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


@dataclass(frozen=True, slots=True)
class Handed:
    """Work that changed hands; None: nobody had it before, or nobody has it since."""

    at: str
    by: str
    work: Work
    query_id: str
    taken_from: str | None
    given_to: str | None


def read_handed(connection: Connection) -> tuple[Handed, ...]:
    """Every time that work was given or taken away, the last first."""
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
    """Take these away and assign those, and record both. Within a transaction.

    What was done stays, and so does what is assigned already. Work that is taken from
    one and given to another changes hands once.
    """
    at, had = now(), {(one.work, one.query_id): one.judge for one in taken}
    record: list[tuple[str | None, ...]] = []
    with changing(connection, "assignment"):
        connection.executemany(
            "DELETE FROM assignment WHERE work = ? AND query_id = ? AND judge = ?",
            [(*what, judge) for what, judge in had.items()],
        )
        for one in given:
            new = connection.execute(
                "INSERT INTO assignment VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO NOTHING",
                (one.work, one.query_id, one.judge, one.wanted, at, by),
            )
            if new.rowcount:
                what = one.work, one.query_id
                record.append((at, by, *what, had.pop(what, None), one.judge))
    record += [(at, by, *what, judge, None) for what, judge in had.items()]
    with adding(connection, "handed", "number"):
        connection.executemany(
            "INSERT INTO handed (at, by, work, query_id, taken_from, given_to) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            record,
        )
    versions.bump(connection, [versions.PEOPLE])
