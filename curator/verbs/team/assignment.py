"""``assign``: assignments of queries to judges for curating, voting or checking.

Progress is derived from marks: a query is curated when its judge has marked it
done, voted on when every kept question has the judge's vote, and checked when the
judge has made the requested number of checks. Judges may also do other work.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import ClassVar

from curator.bank.marks.vote import vote_of
from curator.bank.questions import active
from curator.errors import AssignmentError
from curator.results import Rows, column, computed, minute
from curator.snapshot.access import find_person, is_same_name
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.assignments import (
    WORK,
    StoredAssignment,
    Work,
    read_assignment_changes,
    read_assignments,
    write_assignments,
)
from curator.store.connection import write_transaction
from curator.store.people import read_people

DEFAULT_CHECKS = 10
"""Default number of checks requested for a query."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """Work of a judge in a query, with ``done`` of ``total`` marks.

    ``waiting`` are the other judges with the same work who have not finished.
    """

    columns: ClassVar = "work query_id judge status done total waiting at by"

    work: Work
    query_id: str
    judge: str
    done: int
    total: int = field(metadata=column("of"))
    waiting: tuple[str, ...] = field(metadata=column("waiting for"))
    at: str = field(metadata=column("assigned"))
    by: str

    @property
    def remaining(self) -> int:
        return self.total - self.done

    @property
    def finished(self) -> bool:
        return self.done >= self.total

    @property
    @computed()
    def status(self) -> str:
        """``to do``, ``waiting`` for others, or ``done`` by all."""
        if not self.finished:
            return "to do"
        return "waiting" if self.waiting else "done"


def assignments(
    snapshot: Snapshot, *, judge: str | None = None, work: Work | None = None
) -> Rows[Assignment]:
    """Return assignments by kind of work and in the order of queries.

    Of all judges, or of this judge; of one kind of work, or of all.
    """
    assigned = read_assignments(snapshot.connection)
    marks = {entry: _marks(snapshot, entry) for entry in assigned}
    unfinished: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for entry, (done, total) in marks.items():
        if done < total:
            unfinished[entry.work, entry.query_id].append(entry.judge)
    rows = []
    for entry in assigned:
        if judge in (None, entry.judge) and work in (None, entry.work):
            others = unfinished[entry.work, entry.query_id]
            waiting = tuple(name for name in others if name != entry.judge)
            place = entry.work, entry.query_id, entry.judge
            rows.append(Assignment(*place, *marks[entry], waiting, entry.at, entry.by))
    return Rows(rows, Assignment, [] if rows else ["No work is assigned."])


def first_unfinished(assigned: Iterable[Assignment]) -> str | None:
    """Return the first query with unfinished work; None without any."""
    return next((entry.query_id for entry in assigned if not entry.finished), None)


def _marks(snapshot: Snapshot, entry: StoredAssignment) -> tuple[int, int]:
    """Number of marks made, and number required."""
    bank = snapshot.full.bank
    if entry.work == "curate":
        return int((entry.query_id, entry.judge) in bank.done), 1
    if entry.work == "votes":
        kept = active(bank.questions_of(entry.query_id), "any")
        voted = sum(vote_of(question, entry.judge) is not None for question in kept)
        return voted, len(kept)
    checks = bank.checks_of(entry.query_id)
    checked = sum(check.judge == entry.judge for check in checks)
    return min(checked, entry.check_count), entry.check_count


def assign(
    workspace: OpenWorkspace,
    judges: Sequence[str],
    query_ids: Sequence[str] | None = None,
    *,
    work: Work = "curate",
    count: int = DEFAULT_CHECKS,
) -> Rows[Assignment]:
    """Assign this work in each of the queries to each judge; by default in all queries.

    ``count`` is the requested number of checks of a query. Existing assignments stay.
    Raises AssignmentError, UnknownNameError.
    """
    with _changing(workspace, "assign") as snapshot:
        names, queries = _judges(snapshot, judges), _queries(snapshot, query_ids)
        pairs = [(query_id, name) for query_id in queries for name in names]
        _add(workspace, work, pairs, count)
    return assignments(workspace.current_snapshot())


@contextmanager
def _changing(workspace: OpenWorkspace, verb: str) -> Iterator[Snapshot]:
    """Yield the full snapshot of a transaction in which this verb is allowed."""
    with write_transaction(workspace.connection):
        workspace.require(verb)
        yield workspace.current_snapshot().full


def _add(
    workspace: OpenWorkspace, work: Work, pairs: Iterable[tuple[str, str]], count: int
) -> None:
    """Assign work in queries to judges: ``pairs`` of them."""
    if work not in WORK:
        raise AssignmentError(f"No work '{work}'. There is: {', '.join(WORK)}.")
    if work != "checks":
        count = 0
    elif not 1 <= count <= 100_000:
        raise AssignmentError(f"{count} checks of a query: expected 1 to 100,000.")
    new = [StoredAssignment(work, query_id, name, count) for query_id, name in pairs]
    write_assignments(workspace.connection, added=new, by=workspace.judge)


def assign_evenly(
    workspace: OpenWorkspace,
    judges: Sequence[str] | None = None,
    query_ids: Sequence[str] | None = None,
    *,
    work: Work = "curate",
    overlap: int = 1,
    count: int = DEFAULT_CHECKS,
    seed: int | None = None,
) -> Rows[Assignment]:
    """Assign every query to ``overlap`` judges, balancing the number of queries.

    Without ``judges`` all who are listed as such. Existing assignments stay and count:
    a query with enough judges gets no more, and the least loaded judge comes first. The
    same ``seed`` gives the same result. Raises AssignmentError, UnknownNameError.
    """
    with _changing(workspace, "assign_evenly") as snapshot:
        if judges is None:
            people = read_people(snapshot.connection)
            judges = [person.name for person in people if person.role == "judge"]
        names, queries = _judges(snapshot, judges), _queries(snapshot, query_ids)
        if not 1 <= overlap <= len(names):
            raise AssignmentError(
                f"An overlap of {overlap} needs that many judges; there "
                f"{'is' if len(names) == 1 else 'are'} {len(names)}."
            )
        current: dict[str, list[str]] = {}
        for entry in read_assignments(snapshot.connection):
            if entry.work == work:
                current.setdefault(entry.query_id, []).append(entry.judge)
        rng = random.Random(seed)
        pairs = balanced_pairs(queries, names, overlap, current, rng)
        _add(workspace, work, pairs, count)
    return assignments(workspace.current_snapshot())


def balanced_pairs(
    query_ids: Iterable[str],
    judges: Sequence[str],
    overlap: int,
    current_judges: Mapping[str, Sequence[str]],
    rng: random.Random,
) -> list[tuple[str, str]]:
    """Return (query, judge) pairs to add, so that each query has ``overlap`` judges.

    ``current_judges`` are by query. The judge with the fewest queries comes first, in
    random order among ties: from no assignments, no two judges differ by more than one
    query.
    """
    loads = Counter(name for names in current_judges.values() for name in names)
    added = []
    for query_id in query_ids:
        current = current_judges.get(query_id, ())
        free = [name for name in judges if name not in current]
        rng.shuffle(free)
        free.sort(key=loads.__getitem__)
        for name in free[: max(overlap - len(current), 0)]:
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
    """Move a judge's unfinished work to another judge; of one kind of work, or all.

    Work that the other judge has already is only removed; ``notes`` then lists the
    queries with fewer judges. Raises AssignmentError.
    """
    with _changing(workspace, "reassign") as snapshot:
        (name,) = _judges(snapshot, [to])
        if name == judge:  # another spelling of a listed name may take over
            raise AssignmentError(f"{name} already has this work: name another judge.")
        moved = []
        for entry in _assigned_to(snapshot, judge, query_ids, work):
            done, total = _marks(snapshot, entry)
            moved += [entry] if done < total else []
        if not moved:
            raise AssignmentError(f"{judge} has no unfinished work of that kind.")
        existing = _assigned_to(snapshot, name, query_ids, work)
        new = [replace(entry, judge=name) for entry in moved]
        connection, by = workspace.connection, workspace.judge
        write_assignments(connection, removed=moved, added=new, by=by)
    both = [(entry.work, entry.query_id) for entry in existing]
    work_moved = [(entry.work, entry.query_id) for entry in moved]
    fewer = [f"{query} ({kind})" for kind, query in work_moved if (kind, query) in both]
    note = f"Fewer judges now, as {name} had this already: {', '.join(fewer)}."
    rows = assignments(workspace.current_snapshot())
    return Rows(rows, Assignment, [note] if fewer else [])


def unassign(
    workspace: OpenWorkspace,
    judge: str,
    query_ids: Sequence[str] | None = None,
    *,
    work: Work | None = None,
) -> Rows[Assignment]:
    """Remove work from a judge; marks that were made stay. Raises AssignmentError."""
    with _changing(workspace, "unassign") as snapshot:
        removed = _assigned_to(snapshot, judge, query_ids, work)
        if not removed:
            raise AssignmentError(f"{judge} has no such work to remove.")
        write_assignments(workspace.connection, removed=removed, by=workspace.judge)
    return assignments(workspace.current_snapshot())


@dataclass(frozen=True, slots=True)
class Handover:
    """Work of one kind that changed hands in one step, with queries, author and time.

    ``taken_from`` is None if the work was new, ``given_to`` if it was removed.
    """

    at: str = field(metadata=column("when", page=minute, help="UTC"))
    by: str
    work: Work
    taken_from: str | None = field(metadata=column("from", missing="nobody"))
    given_to: str | None = field(metadata=column("to", missing="nobody"))
    query_ids: tuple[str, ...] = field(metadata=column("queries", page=len))


def handovers(snapshot: Snapshot) -> Rows[Handover]:
    """Return all changes of assignments, the last first.

    Judges see only changes of their own work.
    """
    queries: dict[tuple[str, str, Work, str | None, str | None], list[str]] = {}
    for change in reversed(read_assignment_changes(snapshot.connection)):
        hands = change.taken_from, change.given_to
        if not snapshot.viewer.is_judge or snapshot.viewer.judge in hands:
            step = change.at, change.by, change.work, *hands
            queries.setdefault(step, []).append(change.query_id)
    rows = [Handover(*key, tuple(ids)) for key, ids in queries.items()]
    notes = [] if rows else ["No work has been assigned yet."]
    return Rows(rows[::-1], Handover, notes, "Changes of assignments")


def _assigned_to(
    snapshot: Snapshot,
    judge: str,
    query_ids: Sequence[str] | None,
    work: Work | None,
) -> list[StoredAssignment]:
    """A judge's assignments in these queries, or in all."""
    queries = {*_queries(snapshot, query_ids)}
    return [
        entry
        for entry in read_assignments(snapshot.connection)
        if is_same_name(entry.judge, judge)
        and work in (None, entry.work)
        and entry.query_id in queries
    ]


def _judges(snapshot: Snapshot, names: Sequence[str]) -> list[str]:
    """The names as listed; any name if there is no list."""
    if not names:
        raise AssignmentError("No judge to assign work to: name one, or list judges.")
    people = read_people(snapshot.connection)
    judges = []
    for name in dict.fromkeys(names):
        person = find_person(people, name)
        if people and (person is None or person.role == "viewer"):
            raise AssignmentError(
                f"{name} is not a judge of this workspace: add them with `curator "
                f"people WORKSPACE add {name} --role judge`."
            )
        judges.append(person.name if person else name)
    return judges


def _queries(snapshot: Snapshot, query_ids: Sequence[str] | None) -> list[str]:
    if query_ids is None:
        return list(snapshot.collection.pools)
    return [snapshot.query_ids(query_id)[0] for query_id in dict.fromkeys(query_ids)]
