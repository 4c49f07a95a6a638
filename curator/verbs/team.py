"""``people``, ``assign`` and ``progress``: members, their roles and their work.

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
from datetime import datetime
from itertools import combinations, pairwise
from statistics import median
from typing import ClassVar

from curator.bank.marks import GOLD, is_gold, without_gold
from curator.bank.marks.vote import vote_of
from curator.bank.opinions import opinions
from curator.bank.questions import active
from curator.errors import (
    AssignmentError,
    NothingToChangeError,
    RoleError,
    UnknownNameError,
)
from curator.formats.text.records import NOT_IN_NAMES
from curator.results import FILE, Rows, column, computed, minute
from curator.snapshot.access import find_person, is_same_name
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.connection import write_transaction
from curator.store.history import EventSummary
from curator.store.people import (
    ROLES,
    WORK,
    Person,
    Role,
    StoredAssignment,
    Work,
    delete_person,
    read_assignment_changes,
    read_assignments,
    read_people,
    write_assignments,
    write_person,
)
from curator.verbs.history import traces

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


NOBODY = (
    "Nobody is listed: anybody who reaches the app may do everything, under any name."
)


def people(snapshot: Snapshot) -> Rows[Person]:
    """Return all listed people, organizers first; empty if there is no list."""
    members = read_people(snapshot.connection)
    by_role = sorted(
        members, key=lambda member: (ROLES.index(member.role), member.name)
    )
    return Rows(by_role, Person, [] if members else [NOBODY])


def add_people(
    workspace: OpenWorkspace, names: str | Iterable[str], role: Role | None = None
) -> Rows[Person]:
    """List people in a role, or change the role of listed people.

    Give the names they sign in with, usually e-mail addresses; upper and lower case are
    the same. The first people listed get an organizer with them: the person who adds
    them, unless their owner names another one. Raises RoleError for an unreadable name,
    an unknown role, the last organizer, and for organizers in the app who would lose
    their own role.

    Args:
        names (NAME...): People to add.
        role (ROLE): organizer, judge or viewer. [judge; listed people keep theirs]
    """
    new_names = [names] if isinstance(names, str) else list(names)
    if role not in (None, *ROLES):
        raise RoleError(f"No role '{role}'. Available: {', '.join(ROLES)}.")
    for name in new_names:
        is_clean = name == name.strip() != "" and not NOT_IN_NAMES.search(name)
        if not is_clean or is_gold(name):
            raise RoleError(
                f"{name!r} is no name to sign edits by: expected letters that can be "
                f"seen, on one line, not beginning with {GOLD}."
            )
    with write_transaction(workspace.connection):
        workspace.require("add_people")
        before = read_people(workspace.connection)
        for name in new_names:
            person = find_person(read_people(workspace.connection), name)
            if person and role in (None, person.role):
                continue
            if person and role != "organizer":
                _refuse_own_role(workspace, person.name)
            spelling = person.name if person else name
            new_role = role or "judge"
            write_person(workspace.connection, spelling, new_role, by=workspace.judge)
        notes = () if before else _list_first_organizer(workspace)
        _refuse_no_organizer(before, read_people(workspace.connection))
    return Rows(people(workspace.current_snapshot()), Person, notes)


def _list_first_organizer(workspace: OpenWorkspace) -> tuple[str, ...]:
    """List the adder of the first people as an organizer; return a note on it."""
    people = read_people(workspace.connection)
    adder = find_person(people, workspace.judge)
    organizers = [person for person in people if person.role == "organizer"]
    if not people or adder in organizers or (organizers and not workspace.as_judge):
        return ()
    name = adder.name if adder else workspace.judge
    write_person(workspace.connection, name, "organizer", by=workspace.judge)
    return (f"{name}, who listed the first people, is an organizer now.",)


def remove_people(
    workspace: OpenWorkspace,
    names: str | Iterable[str] = (),
    *,
    everybody: bool = False,
) -> Rows[Person]:
    """Remove people from the list; their work stays, under their names.

    Removed people lose access. Raises UnknownNameError, and RoleError for the last
    organizer unless ``everybody`` is removed, and for oneself in the app.

    Args:
        names ([NAME]...): People to remove.
        everybody (--all): Remove everybody; anybody may then do everything again.
    """
    names = [names] if isinstance(names, str) else list(names)
    if not names and not everybody:
        raise NothingToChangeError("Nobody to remove: no name was given.")
    with write_transaction(workspace.connection):
        workspace.require("remove_people")
        before = read_people(workspace.connection)
        if everybody:
            names = [person.name for person in before]
        for name in names:
            listed_people = read_people(workspace.connection)
            person = find_person(listed_people, name)
            if person is None:
                raise UnknownNameError(
                    f"'{name}' is not listed here. Listed: "
                    f"{', '.join(person.name for person in listed_people) or 'nobody'}."
                )
            _refuse_own_role(workspace, person.name)
            delete_person(workspace.connection, person.name)
        if not everybody:
            _refuse_no_organizer(before, read_people(workspace.connection))
    return people(workspace.current_snapshot())


def _refuse_own_role(workspace: OpenWorkspace, name: str) -> None:
    """Raise RoleError for one's own role in the app, so an organizer remains."""
    if workspace.as_judge and name == workspace.judge:
        raise RoleError(
            "You cannot give up your own role as organizer: another organizer can take "
            "it away, or a command on this machine."
        )


def _refuse_no_organizer(before: Sequence[Person], after: Sequence[Person]) -> None:
    last = [person.name for person in before if person.role == "organizer"]
    if last and all(person.role != "organizer" for person in after):
        raise RoleError(
            f"No organizer would be left: {', '.join(last)} "
            f"{'is the last' if len(last) == 1 else 'are the last'}. Make "
            "somebody else an organizer first, or empty the list with `curator people "
            "WORKSPACE remove --all`: then everybody may do everything."
        )


BREAK = 600.0
"""Seconds without a decision after which a judge was away."""


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """A judge's assigned and finished work, marks, pace and last activity.

    ``edits`` are batches that changed questions, ``votes`` and ``checks`` the effective
    ones. ``seconds`` is the median time between two of their decisions, breaks of
    ``BREAK`` or more left out; None before there are two. ``shared`` counts votes and
    checks on items that another person has also judged, ``same`` those that agree with
    that person, over all pairs of people. ``last`` is the time of their last action,
    None without any.
    """

    columns: ClassVar = (
        "judge role assigned finished edits votes checks seconds agreement shared last"
    )

    judge: str
    role: Role | None = field(metadata=column(missing="", only=FILE))
    assigned: int
    finished: int = field(metadata=column("done"))
    edits: int
    votes: int
    checks: int
    seconds: float | None = field(
        metadata=column(
            title="s a decision",
            digits=1,
            help="Median time between two decisions, without breaks of 10 minutes or "
            "more",
        )
    )
    same: int
    shared: int = field(
        metadata=column(help="Votes and checks compared with those of others")
    )
    last: str | None = field(
        metadata=column("idle since", page=lambda at: minute(at) or "never", help="UTC")
    )

    @property
    @computed(
        title="Agrees",
        digits=2,
        help="Share of votes and checks that equal those of another judge on the same "
        "item",
    )
    def agreement(self) -> float | None:
        """Share of the shared items with the same judgment; None without any."""
        return self.same / self.shared if self.shared else None


def progress(snapshot: Snapshot) -> Rows[JudgeWork]:
    """Return the progress of everyone listed, assigned or active, by name.

    A judge sees only their own row.
    """
    full_state = snapshot.full  # only numbers are returned
    people = {person.name: person.role for person in read_people(full_state.connection)}
    assigned: defaultdict[str, list[Assignment]] = defaultdict(list)
    for assignment in assignments(full_state):
        assigned[assignment.judge].append(assignment)
    done: defaultdict[str, list[EventSummary]] = defaultdict(list)
    for trace in reversed(traces(full_state)):
        if trace.batch_kind != "import":
            done[trace.by].append(trace)
    bank = full_state.bank
    kept = [question for question in bank if question.state == "kept"]
    drawn = list(map(without_gold, bank.checks.values()))
    votes = Counter(name for question in kept for name, _ in question.votes)
    checks = Counter(check.judge for answers in drawn for check in answers)
    values: list[Mapping[str, str]] = [dict(question.votes) for question in kept]
    values += [by for answers in drawn for by in opinions("check", answers).values()]
    same, shared = _agreement(values)
    names = sorted(name for name in {*people, *assigned, *done} if not is_gold(name))
    if snapshot.viewer.is_judge:
        names = [name for name in names if name == snapshot.viewer.judge]
    rows = (
        JudgeWork(
            judge=name,
            role=people.get(name),
            assigned=len(assigned[name]),
            finished=sum(assignment.finished for assignment in assigned[name]),
            edits=len({trace.batch_id for trace in done[name] if trace.question_id}),
            votes=votes[name],
            checks=checks[name],
            seconds=seconds_per_decision(done[name]),
            same=same[name],
            shared=shared[name],
            last=done[name][-1].at if done[name] else None,
        )
        for name in names
    )
    return Rows(rows, JudgeWork)


def seconds_per_decision(events: Sequence[EventSummary]) -> float | None:
    """Return the median seconds between successive batches, without breaks."""
    times = map(datetime.fromisoformat, dict.fromkeys(trace.at for trace in events))
    gaps = [(end - start).total_seconds() for start, end in pairwise(times)]
    short = [gap for gap in gaps if gap < BREAK]
    return median(short) if short else None


def _agreement(
    items: Iterable[Mapping[str, str]],
) -> tuple[Counter[str], Counter[str]]:
    """For each judge, the number of shared items that agree, and that of all."""
    same, shared = Counter[str](), Counter[str]()
    for answers in items:
        for (name, answer), (other, other_answer) in combinations(answers.items(), 2):
            shared.update((name, other))
            same.update((name, other) if answer == other_answer else ())
    return same, shared
