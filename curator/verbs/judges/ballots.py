"""What a judge votes on, and how far they are.

Source of the votes: Lin & Demner-Fushman 2006, section 4 (*vital* or *okay*).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from curator.bank.edits.vote import vote_of
from curator.bank.marks import Importance, Votes
from curator.bank.questions import Bank, Question
from curator.visibility.viewer import seen_question


@dataclass(frozen=True, slots=True)
class Ballot:
    """A kept question as one judge votes on it.

    ``others`` are the votes of everybody else, empty as long as ``mine`` is None.
    """

    question: Question
    mine: Importance | None
    others: Votes = ()

    @property
    def disputed(self) -> bool:
        """Whether somebody voted otherwise than I did."""
        return any(vote != self.mine for _, vote in self.others)


@dataclass(frozen=True, slots=True)
class Voting:
    """How many of a number of kept questions a judge has voted on."""

    voted: int
    total: int

    @property
    def left(self) -> int:
        """How many are still to be voted on."""
        return self.total - self.voted

    @property
    def complete(self) -> bool:
        """Whether there are questions, and a vote on each."""
        return self.total > 0 and not self.left

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 without questions."""
        return self.voted / self.total if self.total else 0.0


def ballots(bank: Bank, query_id: str, judge: str) -> tuple[Ballot, ...]:
    """The query's kept questions, questions and nuggets alike, in the bank's order."""
    found = []
    for question in bank.of_query(query_id):
        if question.state == "kept":
            seen = seen_question(question, judge)  # with others' votes once I have mine
            others = tuple(vote for vote in seen.votes if vote[0] != judge)
            found.append(Ballot(seen, vote_of(question, judge), others))
    return tuple(found)


def votings(bank: Bank, query_ids: Iterable[str], judge: str) -> dict[str, Voting]:
    """How far the judge is in each of these queries, by query id."""
    found = {}
    for query_id in query_ids:
        kept = [one for one in bank.of_query(query_id) if one.state == "kept"]
        voted = sum(vote_of(one, judge) is not None for one in kept)
        found[query_id] = Voting(voted, len(kept))
    return found


def in_all(votings: Mapping[str, Voting]) -> Voting:
    """All queries' together."""
    many = votings.values()
    return Voting(sum(one.voted for one in many), sum(one.total for one in many))


def next_to_vote(
    votings: Mapping[str, Voting], query_id: str, mine: Container[str] = ()
) -> str | None:
    """The next query after this one with a question left, from the top if need be.

    One of ``mine`` as long as any of these is left.
    """
    ids = list(votings)
    at = ids.index(query_id) if query_id in ids else -1
    left = [one for one in (*ids[at + 1 :], *ids[: max(at, 0)]) if votings[one].left]
    return next((one for one in left if one in mine), next(iter(left), None))


def first_to_vote(ballots: Iterable[Ballot]) -> str | None:
    """The first question without my vote, else the first; None without any."""
    ids = [(one.mine is not None, one.question.question_id) for one in ballots]
    return min(ids, key=lambda one: one[0])[1] if ids else None
