"""What is missing before a bank goes out: grades, decisions, queries marked done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curator.bank.questions import Bank
from curator.engine.state import State
from curator.evaluation.settings import Settings
from grading.ratings import UNREADABLE


@dataclass(frozen=True, slots=True)
class Lack:
    """A query, and how many of one thing are missing there."""

    query_id: str
    number: int


@dataclass(frozen=True)
class Readiness:
    """What a release of the bank as it is would lack, under these settings.

    ``needed`` and ``known`` grades are those of the board; ``ungraded`` are pairs that
    nobody graded, ``unreadable`` those whose response states no rating, ``undecided``
    proposals, all by query. ``not_done`` are queries that nobody marked done, () as
    long as nobody marks any: then ``marks_done`` is false. ``kept`` are questions and
    nuggets. ``unseen`` are the votes and verdicts of others that whoever looks is not
    shown yet, ``closed`` the queries whose proposals are hidden from them.
    """

    settings: Settings | None
    queries: int
    kept: int
    needed: int = 0
    known: int = 0
    ungraded: tuple[Lack, ...] = ()
    unreadable: tuple[Lack, ...] = ()
    undecided: tuple[Lack, ...] = ()
    not_done: tuple[str, ...] = ()
    marks_done: bool = False
    unseen: int = 0
    closed: int = 0

    @property
    def missing(self) -> int:
        """How many grades are unknown, for either reason."""
        return self.needed - self.known

    @property
    def proposals(self) -> int:
        """How many proposals nobody has decided on."""
        return in_all(self.undecided)

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not (self.missing or self.undecided or self.not_done)


def in_all(lacks: Iterable[Lack]) -> int:
    """How many are missing over all of these queries."""
    return sum(lack.number for lack in lacks)


def readiness(state: State, settings: Settings | None) -> Readiness:
    """What a release would lack under these settings: grades, decisions, ticks.

    Without settings no grades are asked for.
    """
    bank, queries = state.bank, state.query_ids()
    undecided = []
    for query_id in queries:
        states = [question.state for question in bank.of_query(query_id)]
        if number := states.count("proposed"):
            undecided.append(Lack(query_id, number))
    done = {query_id for query_id, _ in bank.done}
    needed = known = 0
    ungraded, unreadable = [], []
    if settings is not None and settings.grader:
        for query_id, sheet in state.matrices(settings.grader, bank, queries).items():
            needed += sheet.needed
            known += sheet.known
            lacking = sheet.needed - sheet.known
            unread = int((sheet.graded.ratings == UNREADABLE).sum()) if lacking else 0
            if unread:
                unreadable.append(Lack(query_id, unread))
            if lacking > unread:
                ungraded.append(Lack(query_id, lacking - unread))
    return Readiness(
        settings,
        len(queries),
        sum(question.state == "kept" for question in bank),
        needed,
        known,
        tuple(ungraded),
        tuple(unreadable),
        tuple(undecided),
        tuple(one for one in queries if one not in done) if done else (),
        bool(done),
        _marks(bank) - _marks(state.seen.bank),
        len(state.viewer.closed),
    )


def _marks(bank: Bank) -> int:
    votes = sum(len(question.votes) for question in bank)
    return votes + sum(len(verdicts) for verdicts in bank.verdicts.values())
