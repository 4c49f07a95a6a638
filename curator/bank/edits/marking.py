"""Edits that change no question: a judge's marks on questions, answers and queries."""

from __future__ import annotations

from dataclasses import dataclass

from curator.bank.edits.changes import Change
from curator.bank.edits.refusals import require_revision
from curator.bank.marks import (
    CORRECTNESSES,
    IMPORTANCES,
    Correctness,
    Ideal,
    Importance,
    Judged,
    Marked,
    Voted,
)
from curator.bank.questions import Bank
from curator.bank.verdicts import standing_verdict
from curator.bank.wording import shortened
from curator.errors import EditError, NothingToChangeError


@dataclass(frozen=True, slots=True)
class Done:
    """The judge's mark that a query is finished, set or taken away."""

    query_id: str
    done: bool = True

    def change(self, bank: Bank, judge: str) -> Change:
        if ((self.query_id, judge) in bank.done) == self.done:
            state = "already" if self.done else "not"
            raise NothingToChangeError(
                f"Query '{self.query_id}' is {state} marked done by {judge}."
            )
        return Change("done" if self.done else "reopen", self.query_id, done=self.done)


@dataclass(frozen=True, slots=True)
class Vote:
    """How important the judge finds a kept question; None takes the vote back."""

    question_id: str
    vote: Importance | None

    def change(self, bank: Bank, judge: str) -> Change:
        if self.vote is not None and self.vote not in IMPORTANCES:
            raise EditError(f"A vote is {' or '.join(IMPORTANCES)}, not '{self.vote}'.")
        question = bank.question(self.question_id)
        if question.state != "kept":
            raise EditError(
                f"'{question.title}' is {question.state}; votes are on kept questions."
            )
        before = dict(question.votes).get(judge)
        if before == self.vote:
            said = f"has {judge}'s vote '{before}'" if before else "has no vote"
            raise NothingToChangeError(f"'{question.title}' {said} already.")
        mark = Voted(self.question_id, before, self.vote)
        return Change("vote", question.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """Whether the judge finds an answer to a question right; None takes that back.

    The answer is words, whoever gave them; blanks at its ends count for nothing.
    ``based_on`` is the revision of the question whose words were seen.
    """

    question_id: str
    answer: str
    value: Correctness | None
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        if self.value is not None and self.value not in CORRECTNESSES:
            raise EditError(
                f"A verdict is {' or '.join(CORRECTNESSES)}, not '{self.value}'."
            )
        question = bank.question(self.question_id)
        require_revision(question, self.based_on)
        if question.text is None:
            raise EditError(
                f"The text of question '{self.question_id}' is not in the file, so "
                "nobody can say what answers it."
            )
        if question.state == "proposed":
            raise EditError(
                f"'{question.title}' is proposed; keep it first, then say what is "
                "right or wrong."
            )
        answer = self.answer.strip()
        if not answer:
            raise EditError("A verdict is on an answer, and this one has no words.")
        standing = standing_verdict(bank, question, answer, judge)
        before = standing.value if standing else None
        if before == self.value:
            said = f"is '{before}' to {judge}" if before else "has no verdict"
            raise NothingToChangeError(f"'{shortened(answer)}' {said} already.")
        # Another question may have had these words when the verdict was given.
        question_id = standing.question_id if standing else self.question_id
        mark = Judged(question_id, question.text, answer, before, self.value)
        return Change("verdict", question.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class MarkIdeal:
    """A passage, or a span of it, marked as an ideal answer of a query, or unmarked."""

    query_id: str
    ideal: Ideal
    marked: bool = True

    def change(self, bank: Bank, judge: str) -> Change:
        before = self.ideal in bank.ideals_of(self.query_id)
        if before == self.marked:
            raise NothingToChangeError(
                f"Passage '{self.ideal.passage_id}' is {'' if before else 'not '}"
                f"marked so for query '{self.query_id}' already."
            )
        mark = Marked(self.ideal, before, self.marked)
        return Change("ideal", self.query_id, mark=mark)
