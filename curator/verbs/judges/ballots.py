"""Ballots of a judge.

Source of the votes: Lin & Demner-Fushman 2006, section 4 (*vital* or *okay*).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from curator.bank.marks import Importance, Votes
from curator.bank.marks.vote import vote_of
from curator.bank.questions import Bank, Question, active


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


def ballots(bank: Bank, query_id: str, judge: str) -> tuple[Ballot, ...]:
    """Return ballots for the query's kept questions and nuggets, in bank order."""
    query_ballots = []
    for question in active(bank.questions_of(query_id), "any"):
        mine = vote_of(question, judge)
        others = tuple(vote for vote in question.votes if vote[0] != judge)
        if mine is None:
            question, others = replace(question, votes=()), ()
        query_ballots.append(Ballot(question, mine, others))
    return tuple(query_ballots)
