"""Vote: how important a judge finds a kept question.

A judge sees others' votes on a question after voting. Removing the vote hides them
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from curator.bank.changes import JSON, Change, EventKind, Mark
from curator.bank.marks import IMPORTANCES, Importance, with_vote
from curator.bank.questions import Bank, Question
from curator.edit_words import STATES
from curator.errors import EditError, NothingToChangeError


@dataclass(frozen=True, slots=True)
class Vote:
    """Vote on the importance of a kept question.

    None removes the vote.
    """

    question_id: str
    vote: Importance | None

    def change(self, bank: Bank, judge: str) -> Change:
        if self.vote is not None and self.vote not in IMPORTANCES:
            raise EditError(f"A vote is {' or '.join(IMPORTANCES)}, not '{self.vote}'.")
        question = bank.question(self.question_id)
        if question.state != "kept":
            raise EditError(
                f"'{question.title}' is {STATES[question.state]}; only kept questions "
                "can get votes."
            )
        before = vote_of(question, judge)
        if before == self.vote:
            has = f"already has the vote '{before}'" if before else "has no vote"
            raise NothingToChangeError(f"'{question.title}' {has} by {judge}.")
        mark = Voted(self.question_id, before, self.vote)
        return Change("vote", question.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Voted(Mark):
    """A judge's vote on a question, before and after; None is no vote."""

    question_id: str
    before: Importance | None
    after: Importance | None

    noun, verb = "vote", "voted"
    kind = "vote"
    holds_text = False
    audience = "own first"
    is_on_question = True
    stored: ClassVar = ("question_id", "vote")

    def matches_bank(self, bank: Bank, query_id: str, judge: str) -> bool:
        question = bank.find(query_id, self.question_id)
        return (question and vote_of(question, judge)) == self.before

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        question = bank.find(query_id, self.question_id)
        if question is None:
            return bank
        votes = with_vote(question.votes, judge, self.after)
        return bank.with_question(replace(question, votes=votes))

    def missing_target(self, bank: Bank, query_id: str) -> str:
        is_possible = self.after is None or bank.find(query_id, self.question_id)
        return "" if is_possible else "the question voted on"

    @classmethod
    def opinions(
        cls, marks: Sequence[Question]
    ) -> Iterable[tuple[tuple[str | None, str], str, str]]:
        for question in marks:
            for judge, vote in question.votes:
                yield (question.text, question.question_id), judge, vote

    @classmethod
    def from_row(
        cls, target: JSON, judge: str, value: Importance
    ) -> tuple[str, tuple[str, Importance]]:
        if value not in IMPORTANCES:
            raise ValueError(f"{value!r} is no vote")
        return target["question_id"], (judge, value)

    @classmethod
    def places(cls, bank: Bank, judge: str) -> frozenset[Any]:
        return frozenset(
            (question.query_id, question.question_id)
            for question in bank
            if vote_of(question, judge) is not None
        )

    @classmethod
    def count(cls, bank: Bank) -> int:
        return sum(len(question.votes) for question in bank)


def vote_of(question: Question, judge: str) -> Importance | None:
    return dict(question.votes).get(judge)


KINDS = (EventKind("vote", "voted", Voted, affects="votes", edit=Vote),)
