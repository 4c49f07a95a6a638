"""Who looks at a workspace, and what they may see: decided once, when it is opened.

An organizer's own command sees everything. A judge in the app sees no proposals where
too little was written first, and neither votes nor verdicts on what they have not
judged themselves. Boards are made of everybody's votes: a leaderboard says nothing
about a single question.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from curator.bank.marks import Judged, Voted
from curator.bank.questions import Bank, Question
from curator.collection.pools import Collection
from curator.evaluation.measures.registry import Measure
from curator.store.history import Event
from curator.visibility import human_first, verdicts, votes
from curator.visibility.human_first import Gate
from curator.visibility.verdicts import Words


@dataclass(frozen=True)
class Viewer:
    """Somebody who looks at one state of a workspace.

    Of a judge: ``gates`` by query, where questions are to be written first; ``hidden``
    the ids of the proposals behind closed ones, by query; ``voted`` the questions and
    ``judged`` the answers on which they have said something themselves.
    """

    judge: str
    is_judge: bool = False
    gates: Mapping[str, Gate] = field(default_factory=dict)
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    voted: frozenset[str] = frozenset()
    judged: frozenset[Words] = frozenset()

    @classmethod
    def of_judge(
        cls,
        connection: sqlite3.Connection,
        judge: str,
        collection: Collection,
        bank: Bank,
    ) -> Viewer:
        """The judge, over the bank and collection with everything in them."""
        gates = human_first.gates(connection, collection, judge)
        return cls(
            judge,
            True,
            gates,
            human_first.hidden_questions(connection, bank, gates),
            votes.voted_on(bank, judge),
            verdicts.judged_by(bank, judge),
        )

    @property
    def closed(self) -> frozenset[str]:
        """The queries whose proposals are not to be seen yet."""
        return frozenset(query_id for query_id, one in self.gates.items() if one.closed)

    def question(self, question: Question) -> Question:
        """The question as it may be shown; the very same where nothing is hidden."""
        if not self.is_judge:
            return question
        return votes.seen_question(question, self.judge)

    def bank(self, bank: Bank) -> Bank:
        """The bank as it may be shown; the very same where nothing is hidden."""
        if not self.is_judge:
            return bank
        return verdicts.seen_bank(votes.seen_bank(bank, self.judge), self.judged)

    def past(self, past: Bank, now: Bank) -> Bank:
        """A past bank without hidden proposals; ``now`` is the bank as seen."""
        return human_first.past_seen(past, now, self.closed, self.hidden)

    def shown_past(self, past: Bank, now: Bank) -> Bank:
        """A past bank as it may be shown: also without hidden votes and verdicts."""
        found = self.past(past, now)
        if not self.is_judge:
            return found
        return verdicts.seen_bank(votes.seen_past(found, self.voted), self.judged)

    def event(self, event: Event) -> bool:
        """Whether an event tells nothing that is hidden; my own votes never are."""
        if not self.is_judge:
            return True
        change, mark = event.change, event.change.mark
        if not human_first.may_be_seen(change, self.closed, self.hidden):
            return False
        if event.by == self.judge:
            return True
        if isinstance(mark, Voted):
            return mark.question_id in self.voted
        if isinstance(mark, Judged):
            return (change.query_id, mark.question, mark.answer) in self.judged
        return True

    def may_weigh(self, question_id: str, measure: str) -> bool:
        """Whether what the question moves under this measure may be shown.

        Under a measure of votes it tells how others voted on it.
        """
        return (
            not self.is_judge
            or question_id in self.voted
            or not votes.weighs_votes(measure)
        )

    def refuse_measure(self, bank: Bank, measure: Measure) -> None:
        """Raise EvaluationError for another judge's votes alone that are hidden."""
        if self.is_judge:
            votes.refuse_judge(bank, measure, self.judge)
