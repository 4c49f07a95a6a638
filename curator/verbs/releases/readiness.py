"""What is missing before a bank goes out: grades, decisions, what is to be done yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from curator.engine.settings import Chosen, settings_from
from curator.engine.state import State
from curator.evaluation.settings import Settings
from curator.results import Result
from curator.store.assignments import Work
from curator.verbs.team.assignment import assignments
from grading.ratings import UNREADABLE


@dataclass(frozen=True)
class Readiness(Result["Readiness"]):
    """What a release of the bank as it is would miss, under these settings.

    ``needed`` and ``known`` grades are those of the board; ``ungraded`` are pairs that
    nobody graded, ``unreadable`` those whose response states no rating, ``undecided``
    proposals, by query. ``not_done`` are queries that nobody marked done, () as
    long as nobody marks any: then ``marks_done`` is false. ``kept`` are questions and
    nuggets. ``assigned`` are (work, query, judge) that are not finished: with two
    judges assigned a query is done when both are; who looks on as a judge has their
    own. ``unseen`` are the votes, verdicts and checks of others that whoever looks
    is not shown yet, ``closed`` the queries whose proposals are hidden from them.
    """

    settings: Settings | None
    queries: int
    kept: int
    needed: int = 0
    known: int = 0
    ungraded: Mapping[str, int] = field(default_factory=dict)
    unreadable: Mapping[str, int] = field(default_factory=dict)
    undecided: Mapping[str, int] = field(default_factory=dict)
    not_done: tuple[str, ...] = ()
    marks_done: bool = False
    unseen: int = 0
    closed: int = 0
    assigned: tuple[tuple[Work, str, str], ...] = ()

    @property
    def missing(self) -> int:
        """How many grades are unknown, for either reason."""
        return self.needed - self.known

    @property
    def proposals(self) -> int:
        """How many proposals nobody has decided on."""
        return sum(self.undecided.values())

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not (self.missing or self.undecided or self.not_done or self.assigned)


def readiness(state: State, settings: Chosen | None) -> Readiness:
    """What a release would miss under these settings: grades, decisions, ticks.

    Without settings no grades are asked for.
    """
    if settings is not None:
        settings = settings_from(state, {}, settings)
    bank, queries = state.bank, state.query_ids()
    states = {q: [one.state for one in bank.of_query(q)] for q in queries}
    done = {query_id for query_id, _ in bank.done}
    needed = known = 0
    ungraded: dict[str, int] = {}
    unreadable: dict[str, int] = {}
    if settings is not None and settings.grader:
        for query_id, matrix in state.matrices(settings.grader, bank, queries).items():
            needed += matrix.needed
            known += matrix.known
            missing = matrix.needed - matrix.known
            unread = missing and int((matrix.ratings == UNREADABLE).sum())
            if unread:
                unreadable[query_id] = unread
            if missing > unread:
                ungraded[query_id] = missing - unread
    viewer = state.viewer
    assigned = assignments(state, judge=viewer.judge if viewer.is_judge else None)
    return Readiness(
        settings,
        len(queries),
        sum(question.state == "kept" for question in bank),
        needed,
        known,
        ungraded,
        unreadable,
        {q: n for q in queries if (n := states[q].count("proposed"))},
        tuple(one for one in queries if one not in done) if done else (),
        bool(done),
        bank.judged_marks - state.seen.bank.judged_marks,
        len(state.viewer.closed),
        tuple((o.work, o.query_id, o.judge) for o in assigned if not o.finished),
    )
