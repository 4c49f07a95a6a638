"""``progress``: work of all judges, and statistics of their judging."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import ClassVar

from curator.bank.marks import is_gold, without_gold
from curator.bank.marks.check import UNSURE
from curator.bank.questions import Bank
from curator.results import FILE, Rows, column, computed, minute
from curator.snapshot.snapshot import Snapshot
from curator.store.history import EventSummary
from curator.store.people import Role, read_people
from curator.verbs.history.history import traces
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
    opinions = dict(_opinions(full_state.bank))
    votes = Counter(name for place in opinions.values() for name, _ in place["votes"])
    checks = Counter(name for place in opinions.values() for name, _ in place["checks"])
    same, shared = _agreement(opinions.values())
    names = sorted(name for name in {*people, *assigned, *done} if not is_gold(name))
    if snapshot.viewer.is_judge:
        names = [name for name in names if name == snapshot.viewer.judge]
    return Rows(
        (
            JudgeWork(
                name,
                people.get(name),
                len(assigned[name]),
                sum(assignment.finished for assignment in assigned[name]),
                len(
                    {
                        trace.batch_id
                        for trace in done[name]
                        if trace.question_id is not None
                    }
                ),
                votes[name],
                checks[name],
                seconds_per_decision(done[name]),
                same[name],
                shared[name],
                done[name][-1].at if done[name] else None,
            )
            for name in names
        ),
        JudgeWork,
    )


def seconds_per_decision(events: Sequence[EventSummary]) -> float | None:
    """Return the median seconds between successive batches, without breaks."""
    times = [
        datetime.fromisoformat(time)
        for time in dict.fromkeys(trace.at for trace in events)
    ]
    gaps = [(end - start).total_seconds() for start, end in pairwise(times)]
    short = [gap for gap in gaps if gap < BREAK]
    return median(short) if short else None


Opinions = dict[str, list[tuple[str, str]]]


def _opinions(bank: Bank) -> Iterator[tuple[Hashable, Opinions]]:
    """Yield the votes and the checks of each item, with their judges."""
    for question in bank:
        votes: list[tuple[str, str]] = list(question.votes)
        if question.state == "kept" and votes:
            yield ("vote", question.question_id), {"votes": votes, "checks": []}
    for query_id, checks in bank.checks.items():
        places: defaultdict[Hashable, list[tuple[str, str]]] = defaultdict(list)
        for check in without_gold(checks):
            places[check.item, check.passage_id].append((check.judge, check.answer))
        for place, answers in places.items():
            yield ("check", query_id, place), {"votes": [], "checks": answers}


def _agreement(places: Iterable[Opinions]) -> tuple[Counter[str], Counter[str]]:
    """For each judge, the number of shared items that agree, and that of all."""
    same, shared = Counter[str](), Counter[str]()
    for place in places:
        answers = [
            answer for kind in place.values() for answer in kind if answer[1] != UNSURE
        ]
        for name, answer in answers:
            for other, other_answer in answers:
                if other != name:
                    shared[name] += 1
                    same[name] += answer == other_answer
    return same, shared
