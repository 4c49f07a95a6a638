"""``progress``: how far everybody is, and how their judging goes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median

from curator.bank.edits.check import UNSURE
from curator.bank.questions import Bank
from curator.engine.state import State
from curator.results import Rows
from curator.store.history import Trace
from curator.store.people import Role, read_people
from curator.verbs.history.history import traces
from curator.verbs.team.assignment import Assignment, assignments

BREAK = 600.0
"""Seconds without a decision after which a judge was away."""


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """One judge: what is assigned and finished, what they did, and since when nothing.

    ``edits`` are batches that changed questions, ``votes`` and ``checks`` those that
    stand. ``seconds`` is the median time between two decisions of theirs, breaks of
    ``BREAK`` and more left out; None before there are two. Of ``shared`` votes and
    checks on what somebody else has also judged, ``same`` say the same as that person,
    over all pairs of people. ``last`` is when they did anything, None for never.
    """

    judge: str
    role: Role | None
    assigned: int
    finished: int
    edits: int
    votes: int
    checks: int
    seconds: float | None
    same: int
    shared: int
    last: str | None

    @property
    def agreement(self) -> float | None:
        """The share of what they share with others in which both say the same."""
        return self.same / self.shared if self.shared else None


def progress(state: State) -> Rows[JudgeWork]:
    """Everybody who is listed, has work assigned, or has done anything; by name.

    Whoever looks on as a judge sees their own line alone.
    """
    whole = state.with_texts.whole  # numbers are told
    people = {one.name: one.role for one in read_people(whole.connection)}
    given: defaultdict[str, list[Assignment]] = defaultdict(list)
    for one in assignments(whole):
        given[one.judge].append(one)
    done: defaultdict[str, list[Trace]] = defaultdict(list)
    for trace in reversed(traces(whole)):
        if trace.batch_kind != "import":
            done[trace.by].append(trace)
    said = dict(_said(whole.bank))
    votes = Counter(name for place in said.values() for name, _ in place["votes"])
    checks = Counter(name for place in said.values() for name, _ in place["checks"])
    same, shared = _agreement(said.values())
    names = sorted({*people, *given, *done})
    if state.viewer.is_judge:
        names = [name for name in names if name == state.viewer.judge]
    return Rows(
        (
            JudgeWork(
                *(name, people.get(name), len(given[name])),
                sum(one.finished for one in given[name]),
                len({t.batch_id for t in done[name] if t.question_id is not None}),
                *(votes[name], checks[name], seconds_a_decision(done[name])),
                *(same[name], shared[name]),
                done[name][-1].at if done[name] else None,
            )
            for name in names
        ),
        table="team.progress_table",
    )


def seconds_a_decision(made: Sequence[Trace]) -> float | None:
    """The median time between two batches in a row, breaks left out."""
    at = [datetime.fromisoformat(one) for one in dict.fromkeys(o.at for o in made)]
    gaps = [(b - a).total_seconds() for a, b in pairwise(at)]
    short = [gap for gap in gaps if gap < BREAK]
    return median(short) if short else None


Said = dict[str, list[tuple[str, str]]]


def _said(bank: Bank) -> Iterator[tuple[Hashable, Said]]:
    """By place, who says what of it, as votes and as checks."""
    for question in bank:
        votes: list[tuple[str, str]] = list(question.votes)
        if question.state == "kept" and votes:
            yield ("vote", question.question_id), {"votes": votes, "checks": []}
    for query_id, checks in bank.checks.items():
        places: defaultdict[Hashable, list[tuple[str, str]]] = defaultdict(list)
        for one in checks:
            places[one.item, one.passage_id].append((one.judge, one.answer))
        for place, answers in places.items():
            yield ("check", query_id, place), {"votes": [], "checks": answers}


def _agreement(places: Iterable[Said]) -> tuple[Counter[str], Counter[str]]:
    """By judge, how many they say the same of as another, and how many they share."""
    same, shared = Counter[str](), Counter[str]()
    for place in places:
        answers = [one for kind in place.values() for one in kind if one[1] != UNSURE]
        for name, answer in answers:
            for other, theirs in answers:
                if other != name:
                    shared[name] += 1
                    same[name] += answer == theirs
    return same, shared
