"""Human-first mode: a judge writes questions before seeing what a model proposes.

What a machine wrote first is easily taken over. Where the organizer asks for it, a
query's proposals are hidden from a judge who has not written that many questions there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from sqlite3 import Connection

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.store.connection import grouped
from curator.store.question_history import read_decisions, written_by


@dataclass(frozen=True, slots=True)
class Gate:
    """How many questions a judge has written in a query, of those wanted first."""

    wanted: int
    written: int

    @property
    def closed(self) -> bool:
        """Whether proposals are hidden from the judge."""
        return self.written < self.wanted

    @property
    def left(self) -> int:
        """How many are still to be written."""
        return max(self.wanted - self.written, 0)


def gates(
    connection: Connection, collection: Collection, judge: str
) -> dict[str, Gate]:
    """What stands between this judge and a query's proposals; {} outside the mode."""
    wanted = collection.human_first
    if not wanted:
        return {}
    written = Counter(
        query_id for by, query_id in written_by(connection).values() if by == judge
    )
    return {q: Gate(wanted, written[q]) for q in collection.pools}


def hidden_questions(
    connection: Connection, bank: Bank, gates: Mapping[str, Gate]
) -> dict[str, frozenset[str]]:
    """By query, the ids of the proposals that are hidden behind a closed gate.

    Those that were dropped too: a model's words lead a judge no less for that.
    """
    waiting = [
        question
        for query_id, gate in gates.items()
        if gate.closed
        for question in bank.of_query(query_id)
        if question.state != "kept"
    ]
    dropped: set[str] = set()
    if any(question.state == "retired" for question in waiting):
        decisions = read_decisions(connection)
        dropped = {one.question_id for one in decisions if one.dropped}
    hidden = grouped(
        (question.query_id, question.question_id)
        for question in waiting
        if question.state == "proposed" or question.question_id in dropped
    )
    return {query_id: frozenset(ids) for query_id, ids in hidden.items()}
