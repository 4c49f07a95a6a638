"""``progress``: work of all judges, and statistics of their judging."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations, pairwise
from statistics import median
from typing import ClassVar

from curator.bank.marks import is_gold, without_gold
from curator.bank.opinions import opinions
from curator.results import FILE, Rows, column, computed, minute
from curator.snapshot.snapshot import Snapshot
from curator.store.history import EventSummary
from curator.store.people import Role, read_people
from curator.verbs.history import traces
from curator.verbs.team.assignment import Assignment, assignments

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
