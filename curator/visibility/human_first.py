"""Human-first mode: a judge writes questions before seeing what a model proposes.

What a machine wrote first is easily taken over. Where the organizer asks for it, a
query's proposals are hidden from a judge who has not written that many questions there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, replace

from curator.bank.marks import Judged
from curator.bank.questions import Bank, Question
from curator.engine.state import Boards
from curator.store.decisions import read_decisions, written_by
from curator.store.history import Event


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


def gate(
    connection: sqlite3.Connection, boards: Boards, query_id: str, judge: str
) -> Gate:
    """What stands between this judge and the query's proposals."""
    wanted = boards.collection.human_first
    if not wanted:
        return Gate(0, 0)
    counts = boards.once(
        ("written", judge), lambda: _written_by_query(connection, judge)
    )
    return Gate(wanted, counts.get(query_id, 0))


def closed_queries(
    connection: sqlite3.Connection, boards: Boards, judge: str
) -> frozenset[str]:
    """The queries whose proposals are hidden from this judge."""
    if not boards.collection.human_first:
        return frozenset()
    return frozenset(
        query_id
        for query_id in boards.query_ids()
        if gate(connection, boards, query_id, judge).closed
    )


def hidden_questions(
    connection: sqlite3.Connection, boards: Boards, judge: str
) -> dict[str, frozenset[str]]:
    """By query, the ids of the proposals that are hidden from this judge.

    Those that were dropped too: a model's words lead a judge no less for that.
    """
    if not boards.collection.human_first:
        return {}
    return boards.once(("hidden", judge), lambda: _hidden(connection, boards, judge))


def seen_by(connection: sqlite3.Connection, boards: Boards, judge: str) -> Boards:
    """The boards without the proposals that are hidden from this judge."""
    hidden = hidden_questions(connection, boards, judge)
    if not hidden:
        return boards
    return boards.once(("seen by", judge), lambda: boards.without(hidden))


def may_be_seen(
    event: Event, closed: frozenset[str], hidden: Mapping[str, frozenset[str]]
) -> bool:
    """Whether an event tells nothing of a proposal that is hidden."""
    change = event.change
    if change.query_id not in closed:
        return True
    on = change.mark.question_id if isinstance(change.mark, Judged) else None
    if {change.question_id, on} & hidden.get(change.query_id, frozenset()):
        return False
    states = {question.state for question in (change.before, change.after) if question}
    # A proposal that somebody kept is part of the bank, and what became of it since.
    return "proposed" not in states or "kept" in states


def past_seen(
    past: Bank,
    now: Bank,
    closed: frozenset[str],
    hidden: Mapping[str, frozenset[str]],
) -> Bank:
    """A past bank without what is hidden; ``now`` is the bank as the judge sees it.

    What a model proposed is seen in the past where it is seen now.
    """
    by_query = dict(past.by_query)
    for query_id in closed:
        seen = {question.question_id for question in now.of_query(query_id)}
        by_query[query_id] = tuple(
            question
            for question in past.of_query(query_id)
            if question.question_id not in hidden.get(query_id, ())
            and (question.question_id in seen or not _is_models(question))
        )
    return replace(past, by_query=by_query)


def _hidden(
    connection: sqlite3.Connection, boards: Boards, judge: str
) -> dict[str, frozenset[str]]:
    waiting = [
        question
        for query_id in closed_queries(connection, boards, judge)
        for question in boards.bank.of_query(query_id)
        if question.state != "kept"
    ]
    dropped: set[str] = set()
    if any(question.state == "retired" for question in waiting):
        decisions = read_decisions(connection)
        dropped = {one.question_id for one in decisions if one.dropped}
    hidden: dict[str, set[str]] = {}
    for question in waiting:
        if question.state == "proposed" or question.question_id in dropped:
            hidden.setdefault(question.query_id, set()).add(question.question_id)
    return {query_id: frozenset(ids) for query_id, ids in hidden.items()}


def _is_models(question: Question) -> bool:
    return question.state == "proposed" or '"generation"' in question.provenance


def _written_by_query(connection: sqlite3.Connection, judge: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for by, query_id in written_by(connection).values():
        if by == judge:
            counts[query_id] = counts.get(query_id, 0) + 1
    return counts
