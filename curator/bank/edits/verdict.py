"""JudgeAnswer: whether a judge finds an answer to a question right.

A verdict is about words. A judge sees those of others on an answer once they have one
on it themselves; until then banks and the history are without them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from curator.bank.edits.changes import Change, EventKind, Mark
from curator.bank.edits.questions import words_to_judge
from curator.bank.marks import CORRECTNESSES, Correctness, Verdict
from curator.bank.questions import Bank, Question
from curator.bank.wording import shortened as on_a_line
from curator.errors import EditError, NothingToChangeError

Words = tuple[str, str, str]  # query id, question's text, answer


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
        words = words_to_judge(question, self.based_on)
        answer = self.answer.strip()
        if not answer:
            raise EditError("A verdict is on an answer, and this one has no words.")
        current = current_verdict(bank, question, answer, judge)
        before = current.value if current else None
        if before == self.value:
            has = f"is '{before}' to {judge}" if before else "has no verdict"
            raise NothingToChangeError(f"'{on_a_line(answer)}' {has} already.")
        # Another question may have had these words when the verdict was given.
        question_id = current.question_id if current else self.question_id
        mark = Judged(question_id, words, answer, before, self.value)
        return Change("verdict", question.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Judged(Mark):
    """A judge's verdict on an answer, before and after; None is no verdict.

    ``question`` and ``answer`` are words, as in :class:`Verdict`.
    """

    question_id: str
    question: str
    answer: str
    before: Correctness | None
    after: Correctness | None

    noun, verb = "verdict", "called"
    own_first = True
    bank_field = "verdicts"
    hides_with_question = False
    stored: ClassVar = {
        "question_id": lambda v: isinstance(v, str),
        "question": lambda v: isinstance(v, str),
        "answer": lambda v: isinstance(v, str),
        "verdict": lambda v: v is None or v in CORRECTNESSES,
    }

    def stands(self, bank: Bank, query_id: str, judge: str) -> bool:
        there = [one for one in bank.verdicts_of(query_id) if self._is_on(one, judge)]
        wanted = [(self.question_id, self.before)] if self.before else []
        return [(one.question_id, one.value) for one in there] == wanted

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        verdicts = bank.verdicts_of(query_id)
        now = [one for one in verdicts if not self._is_on(one, judge)]
        if self.after is not None:
            words = self.question_id, self.question, self.answer
            now.append(Verdict(*words, judge, self.after))
        in_order = tuple(sorted(now, key=Verdict.in_order))
        return replace(bank, verdicts={**bank.verdicts, query_id: in_order})

    def _is_on(self, one: Verdict, judge: str) -> bool:
        """Whether a verdict is on these words and by this judge, whoever's they are."""
        words = (self.question, self.answer)
        return (one.question, one.answer, one.judge) == (*words, judge)

    def about(self, bank: Bank) -> str:
        return self.question

    def described(self, shortened: Callable[[str], str] = str) -> str:
        # super() would look for the class that this was before it had slots.
        return f"{Mark.described(self)}: “{shortened(self.answer)}”"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{self.after or 'no verdict'}: '{self.answer}' to {self.question}"

    def place(self, query_id: str) -> Words:
        return (query_id, self.question, self.answer)

    @classmethod
    def places(cls, bank: Bank, judge: str) -> frozenset[Words]:
        return frozenset(
            (query_id, one.question, one.answer)
            for query_id, verdicts in bank.verdicts.items()
            for one in verdicts
            if one.judge == judge
        )

    @classmethod
    def hidden(cls, bank: Bank, places: frozenset[Words]) -> Bank:
        def is_seen(query_id: str, one: Verdict) -> bool:
            return (query_id, one.question, one.answer) in places

        seen = {
            query_id: tuple(one for one in verdicts if is_seen(query_id, one))
            for query_id, verdicts in bank.verdicts.items()
            if not all(is_seen(query_id, one) for one in verdicts)
        }
        return replace(bank, verdicts={**bank.verdicts, **seen}) if seen else bank


def verdicts_on(bank: Bank, question: Question) -> tuple[Verdict, ...]:
    """Every judge's verdicts on answers to the question in its present words.

    None for a question whose text was never published.
    """
    return tuple(
        one
        for one in bank.verdicts_of(question.query_id)
        if one.question == question.text
    )


def current_verdict(
    bank: Bank, question: Question, answer: str, judge: str
) -> Verdict | None:
    """This judge's verdict on an answer to the question's words, None without one."""
    for one in verdicts_on(bank, question):
        if one.answer == answer.strip() and one.judge == judge:
            return one
    return None


def verdict_by(
    bank: Bank, question: Question, answer: str, judge: str
) -> Correctness | None:
    """What this judge says of an answer to the question, None without a verdict."""
    found = current_verdict(bank, question, answer, judge)
    return found.value if found else None


def majority(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], Correctness]:
    """What most judges say, by (question's text, answer); a tie is no verdict."""
    right: Counter[tuple[str, str]] = Counter()
    for one in verdicts:
        right[one.question, one.answer] += 1 if one.value == "right" else -1
    return {words: "right" if n > 0 else "wrong" for words, n in right.items() if n}


KINDS = (EventKind("verdict", "judged an answer", Judged, moves="answers"),)
