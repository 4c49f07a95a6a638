"""The list of queries and how far the judge is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from curator.bank.questions import Bank
from curator.collection.pools import Collection

Show = Literal["to do", "all", "done"]


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query in the list: its name, questions kept and proposed, my tick."""

    query_id: str
    name: str
    kept: int
    proposed: int
    done: bool
    selected: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """How many queries this judge has ticked."""

    done: int
    total: int

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 without queries."""
        return self.done / self.total if self.total else 0.0

    @property
    def to_do(self) -> int:
        """Queries without a tick."""
        return self.total - self.done


def query_rows(
    collection: Collection, bank: Bank, judge: str, selected: str | None
) -> tuple[QueryRow, ...]:
    """Every query in the collection's order."""
    rows = []
    for query in collection.queries:
        states = [question.state for question in bank.of_query(query.query_id)]
        rows.append(
            QueryRow(
                query_id=query.query_id,
                name=query.name,
                kept=states.count("kept"),
                proposed=states.count("proposed"),
                done=(query.query_id, judge) in bank.done,
                selected=query.query_id == selected,
            )
        )
    return tuple(rows)


def progress(rows: tuple[QueryRow, ...]) -> Progress:
    """How many of all the rows are ticked."""
    return Progress(sum(row.done for row in rows), len(rows))


def matching(
    rows: tuple[QueryRow, ...], search: str, show: Show | None
) -> tuple[QueryRow, ...]:
    """The rows whose name or id holds every word searched for."""
    words = search.casefold().split()
    return tuple(
        row
        for row in rows
        if (show in (None, "all") or row.done == (show == "done"))
        and all(
            word in row.name.casefold() or word in row.query_id.casefold()
            for word in words
        )
    )


def next_to_do(rows: tuple[QueryRow, ...], query_id: str) -> str | None:
    """The next query after this one without a tick, from the top if need be."""
    ids = [row.query_id for row in rows]
    at = ids.index(query_id) if query_id in ids else -1
    for row in (*rows[at + 1 :], *rows[: max(at, 0)]):
        if not row.done:
            return row.query_id
    return None
