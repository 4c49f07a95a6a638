"""``assign``: whose work it is to curate, vote on or check a query, and how far it is.

How far is read from the marks, and never said: a query is curated when its judge has
marked it done, voted on when every kept question has the judge's vote, and checked when
the judge has checked as many of its passages as were asked for. Nobody is kept from
other work.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.bank.edits.vote import vote_of
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import AssignmentError
from curator.results import Rows
from curator.store.assignments import (
    WORK,
    Assigned,
    Work,
    hand_over,
    read_assigned,
    read_handed,
)
from curator.store.connection import exclusive
from curator.store.people import read_people
from curator.visibility.roles import listed, same_name

CHECKS = 10
"""How many checks of a query are asked for, unless it is said."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Work in a query that is a judge's: ``done`` of ``total`` marks, by now.

    ``waiting`` are the others whose same work is not finished yet.
    """

    work: Work
    query_id: str
    judge: str
    done: int
    total: int
    waiting: tuple[str, ...]
    at: str
    by: str

    @property
    def finished(self) -> bool:
        """Whether the judge has done all of it."""
        return self.done >= self.total

    @property
    def status(self) -> str:
        """``to do``, ``waiting`` for others, or ``done`` by all."""
        if not self.finished:
            return "to do"
        return "waiting" if self.waiting else "done"


def assignments(
    state: State, *, judge: str | None = None, work: Work | None = None
) -> Rows[Assignment]:
    """What is assigned, by kind of work and in the order of queries.

    Of everybody, or of this judge; of one kind of work, or of all.
    """
    every = read_assigned(state.connection)
    asked: dict[tuple[str, str], list[Assigned]] = {}
    for one in every:
        asked.setdefault((one.work, one.query_id), []).append(one)
    marks = {one: _marks(state, one) for one in every}

    def waits_for(one: Assigned) -> tuple[str, ...]:
        return tuple(
            other.judge
            for other in asked[one.work, one.query_id]
            if other.judge != one.judge and marks[other][0] < marks[other][1]
        )

    return Rows(
        (
            Assignment(
                *(one.work, one.query_id, one.judge, *marks[one], waits_for(one)),
                *(one.at, one.by),
            )
            for one in every
            if judge in (None, one.judge) and work in (None, one.work)
        ),
        table="team.assignment_table",
    )


def first_to_do(assigned: Iterable[Assignment]) -> str | None:
    """The first query of these in which something is left to do; None without any."""
    return next((one.query_id for one in assigned if not one.finished), None)


def _marks(state: State, one: Assigned) -> tuple[int, int]:
    """How many marks there are, and how many it takes."""
    bank = state.bank
    if one.work == "curate":
        return int((one.query_id, one.judge) in bank.done), 1
    if one.work == "votes":
        kept = [q for q in bank.of_query(one.query_id) if q.state == "kept"]
        return sum(vote_of(q, one.judge) is not None for q in kept), len(kept)
    checks = bank.checks_of(one.query_id)
    return min(sum(c.judge == one.judge for c in checks), one.wanted), one.wanted


def assign(
    workspace: OpenWorkspace,
    judges: Sequence[str],
    query_ids: Sequence[str] | None = None,
    *,
    work: Work = "curate",
    count: int = CHECKS,
) -> Rows[Assignment]:
    """Give each of the judges this work in each of the queries, all by default.

    ``count`` is how many checks of a query are asked for. What is assigned already
    stays. Raises AssignmentError, UnknownNameError.
    """
    with exclusive(workspace.connection):
        workspace.require("assign")
        state = workspace.state().whole
        names, queries = _judges(state, judges), _queries(state, query_ids)
        given = [_one(work, q, name, count) for q in queries for name in names]
        hand_over(workspace.connection, given=given, by=workspace.judge)
    return assignments(workspace.state())


def assign_evenly(
    workspace: OpenWorkspace,
    judges: Sequence[str] | None = None,
    query_ids: Sequence[str] | None = None,
    *,
    work: Work = "curate",
    overlap: int = 1,
    count: int = CHECKS,
    seed: int | None = None,
) -> Rows[Assignment]:
    """Give every query as many judges as ``overlap`` says, each judge about as many.

    Without ``judges`` all who are listed as such. What is assigned stays and counts:
    a query that has judges enough gets no more, and who has least comes first. The same
    ``seed`` gives the same. Raises AssignmentError, UnknownNameError.
    """
    with exclusive(workspace.connection):
        workspace.require("assign_evenly")
        state = workspace.state().whole
        if judges is None:
            people = read_people(state.connection)
            judges = [one.name for one in people if one.role == "judge"]
        names, queries = _judges(state, judges), _queries(state, query_ids)
        if not 1 <= overlap <= len(names):
            raise AssignmentError(
                f"An overlap of {overlap} needs that many judges; there "
                f"{'is' if len(names) == 1 else 'are'} {len(names)}."
            )
        now = [one for one in read_assigned(state.connection) if one.work == work]
        held = {q: [o.judge for o in now if o.query_id == q] for q in queries}
        load = Counter(one.judge for one in now)
        pairs = evenly(queries, names, overlap, held, load, random.Random(seed))
        given = [_one(work, q, name, count) for q, name in pairs]
        hand_over(workspace.connection, given=given, by=workspace.judge)
    return assignments(workspace.state())


def evenly(
    query_ids: Sequence[str],
    judges: Sequence[str],
    overlap: int,
    held: Mapping[str, Sequence[str]],
    load: Mapping[str, int],
    chance: random.Random,
) -> list[tuple[str, str]]:
    """(query, judge) to be added, so that each query has ``overlap`` judges.

    ``held`` are those that a query has, ``load`` how many queries a judge has by now.
    Who has least comes first, by lot among equals: from nothing no two judges differ by
    more than one query.
    """
    loads = Counter({name: load.get(name, 0) for name in judges})
    added = []
    for query_id in query_ids:
        has = held.get(query_id, ())
        free = [name for name in judges if name not in has]
        chance.shuffle(free)
        free.sort(key=loads.__getitem__)
        for name in free[: max(overlap - len(has), 0)]:
            loads[name] += 1
            added.append((query_id, name))
    return added


def reassign(
    workspace: OpenWorkspace,
    judge: str,
    to: str,
    query_ids: Sequence[str] | None = None,
    *,
    work: Work | None = None,
) -> Rows[Assignment]:
    """Give another judge what this one has not finished; of one kind of work, or all.

    Where the other has it already it is merely taken away: that a query has fewer
    judges now is said in the ``notes``. Raises AssignmentError.
    """
    with exclusive(workspace.connection):
        workspace.require("reassign")
        state = workspace.state().whole
        (name,), queries = _judges(state, [to]), {*_queries(state, query_ids)}
        if name == judge:  # who is listed in other letters is given what is left
            raise AssignmentError(f"{name} has it already: name who goes on with it.")
        moved = [
            one
            for one, left in _of(state, judge, work)
            if left and one.query_id in queries
        ]
        if not moved:
            raise AssignmentError(f"{judge} has nothing left to do of that.")
        given = [_one(o.work, o.query_id, name, o.wanted) for o in moved]
        both = {(o.work, o.query_id) for o, _ in _of(state, name, work)}
        hand_over(workspace.connection, taken=moved, given=given, by=workspace.judge)
    fewer = [one for one in moved if (one.work, one.query_id) in both]
    notes = (_fewer_judges(fewer, name),) if fewer else ()
    found = assignments(workspace.state())
    return Rows(found, found.laid_out_by, notes)


def _fewer_judges(lost: Sequence[Assigned], name: str) -> str:
    """``Fewer judges now, as bo had this already: q1, q2 (curate)``."""
    queries: dict[Work, list[str]] = {}
    for one in lost:
        queries.setdefault(one.work, []).append(one.query_id)
    each = "; ".join(f"{', '.join(ids)} ({work})" for work, ids in queries.items())
    return f"Fewer judges now, as {name} had this already: {each}."


def unassign(
    workspace: OpenWorkspace,
    judge: str,
    query_ids: Sequence[str] | None = None,
    *,
    work: Work | None = None,
) -> Rows[Assignment]:
    """Take work away from a judge; what was done stays. Raises AssignmentError."""
    with exclusive(workspace.connection):
        workspace.require("unassign")
        state = workspace.state().whole
        queries = {*_queries(state, query_ids)}
        gone = [one for one, _ in _of(state, judge, work) if one.query_id in queries]
        if not gone:
            raise AssignmentError(f"{judge} has nothing of that to take away.")
        hand_over(workspace.connection, taken=gone, by=workspace.judge)
    return assignments(workspace.state())


@dataclass(frozen=True, slots=True)
class Handover:
    """Work of one kind that changed hands at once, in these queries; by whom, when.

    ``taken_from`` is None where nobody had it, ``given_to`` where nobody has it since.
    """

    at: str
    by: str
    work: Work
    taken_from: str | None
    given_to: str | None
    query_ids: tuple[str, ...]


def handovers(state: State) -> Rows[Handover]:
    """All that was given, given on and taken away, the last first.

    Whoever looks on as a judge sees what was theirs, before or after.
    """
    queries: dict[tuple[str, str, Work, str | None, str | None], list[str]] = {}
    for one in reversed(read_handed(state.connection)):
        hands = one.taken_from, one.given_to
        if not state.viewer.is_judge or state.viewer.judge in hands:
            queries.setdefault((one.at, one.by, one.work, *hands), []).append(
                one.query_id
            )
    found = [Handover(*what, tuple(ids)) for what, ids in queries.items()]
    return Rows(found[::-1], table="team.handover_table")


def _of(state: State, judge: str, work: Work | None) -> Iterable[tuple[Assigned, bool]]:
    """What a judge has, each with whether something of it is left to do."""
    for one in read_assigned(state.connection):
        if same_name(one.judge, judge) and work in (None, one.work):
            done, total = _marks(state, one)
            yield one, done < total


def _one(work: Work, query_id: str, judge: str, count: int) -> Assigned:
    if work not in WORK:
        raise AssignmentError(f"No work '{work}'. There is: {', '.join(WORK)}.")
    if work == "checks" and not 1 <= count <= 100_000:
        raise AssignmentError(f"{count} checks of a query: expected 1 to 100,000.")
    return Assigned(work, query_id, judge, count if work == "checks" else 0)


def _judges(state: State, names: Sequence[str]) -> list[str]:
    """The names as they are listed; any where nobody is."""
    if not names:
        raise AssignmentError("Nobody to give it to: no judge was named, or is listed.")
    people = read_people(state.connection)
    found = []
    for name in dict.fromkeys(names):
        known = listed(people, name)
        if people and (known is None or known.role == "viewer"):
            raise AssignmentError(
                f"{name} is no judge of this workspace: `curator people WORKSPACE add "
                f"{name} --role judge` first."
            )
        found.append(known.name if known else name)
    return found


def _queries(state: State, query_ids: Sequence[str] | None) -> list[str]:
    if query_ids is None:
        return list(state.collection.pools)
    return [state.query_ids(one)[0] for one in dict.fromkeys(query_ids)]
