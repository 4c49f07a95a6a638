"""Ballots of a judge and progress of voting.

Source of the votes: Lin & Demner-Fushman 2006, section 4 (*vital* or *okay*).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from curator.bank.edits.vote import vote_of
from curator.bank.marks import Importance, Votes
from curator.bank.questions import Bank, Question, active
from curator.visibility.viewer import visible_question


@dataclass(frozen=True, slots=True)
class Ballot:
    """A kept question with the votes that one judge may see.

    ``others`` are the other judges' votes, empty as long as ``mine`` is None.
    """

    question: Question
    mine: Importance | None
    others: Votes = ()

    @property
    def disputed(self) -> bool:
        return any(vote != self.mine for _, vote in self.others)


@dataclass(frozen=True, slots=True)
class VotingProgress:
    """Number of kept questions, and number of those with the judge's vote."""

    voted: int
    total: int

    @property
    def remaining(self) -> int:
        return self.total - self.voted

    @property
    def complete(self) -> bool:
        return self.total > 0 and not self.remaining

    @property
    def share(self) -> float:
        """Share of the questions with a vote, from 0 to 1; 0 without questions."""
        return self.voted / self.total if self.total else 0.0


def ballots(bank: Bank, query_id: str, judge: str) -> tuple[Ballot, ...]:
    """Return ballots for the query's kept questions and nuggets, in bank order."""
    query_ballots = []
    for question in active(bank.questions_of(query_id), "any"):
        # Has the votes of others only if this judge has voted.
        visible = visible_question(question, judge)
        others = tuple(vote for vote in visible.votes if vote[0] != judge)
        query_ballots.append(Ballot(visible, vote_of(question, judge), others))
    return tuple(query_ballots)


def voting_progress(
    bank: Bank, query_ids: Iterable[str], judge: str
) -> dict[str, VotingProgress]:
    """Return the judge's voting progress by query id."""
    progress = {}
    for query_id in query_ids:
        kept = active(bank.questions_of(query_id), "any")
        voted = sum(vote_of(question, judge) is not None for question in kept)
        progress[query_id] = VotingProgress(voted, len(kept))
    return progress


def total_progress(voting_progress: Mapping[str, VotingProgress]) -> VotingProgress:
    """Return the voting progress over all queries."""
    progress = voting_progress.values()
    return VotingProgress(
        sum(query.voted for query in progress), sum(query.total for query in progress)
    )


def next_to_vote(
    voting_progress: Mapping[str, VotingProgress],
    query_id: str,
    mine: Container[str] = (),
) -> str | None:
    """Return the next query with open votes, continuing from the top after the last.

    Queries in ``mine`` come first.
    """
    ids = list(voting_progress)
    index = ids.index(query_id) if query_id in ids else -1
    open_ids = [
        id_
        for id_ in (*ids[index + 1 :], *ids[: max(index, 0)])
        if voting_progress[id_].remaining
    ]
    return next((id_ for id_ in open_ids if id_ in mine), next(iter(open_ids), None))


def first_to_vote(ballots: Iterable[Ballot]) -> str | None:
    """Return the first question without my vote, else the first; None if empty."""
    ids = [(ballot.mine is not None, ballot.question.question_id) for ballot in ballots]
    return min(ids, key=lambda pair: pair[0])[1] if ids else None
