"""JudgeAnswer: a judge's verdict on an answer to a question.

A verdict refers to texts. A judge sees others' verdicts on an answer after giving one;
until then banks and the history omit them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from curator.bank.changes import JSON, Change, EventKind, Mark
from curator.bank.marks import CORRECTNESSES, Correctness, Verdict
from curator.bank.questions import Bank, Question
from curator.bank.revisions import text_to_judge
from curator.bank.wording import shortened
from curator.errors import EditError, NothingToChangeError

Words = tuple[str, str, str]  # query id, question's text, answer


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """Judge an answer to a question.

    None removes the verdict. The answer is a text, regardless of its source, without
    blanks around it. ``based_on`` is the revision of the question that was shown.
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
        question_text = text_to_judge(question, self.based_on)
        answer = self.answer.strip()
        if not answer:
            raise EditError("The answer is empty; a verdict needs an answer.")
        current = current_verdict(bank, question, answer, judge)
        before = current.value if current else None
        if before == self.value:
            has = f"already has the verdict '{before}'" if before else "has no verdict"
            raise NothingToChangeError(f"'{shortened(answer)}' {has} by {judge}.")
        # Another question may have had this text when the verdict was given.
        question_id = current.question_id if current else self.question_id
        mark = Judged(question_id, question_text, answer, before, self.value)
        return Change("verdict", question.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Judged(Mark):
    """A judge's verdict on an answer, before and after; None is no verdict.

    ``question`` and ``answer`` are texts, as in :class:`Verdict`.
    """

    question_id: str
    question: str
    answer: str
    before: Correctness | None
    after: Correctness | None

    noun, verb = "verdict", "called"
    audience = "own first"
    kind = "verdict"
    current = Verdict
    targets = ("question", "answer")
    hides_with_question = False
    stored: ClassVar = ("question_id", "question", "answer", "verdict")

    def subject(self, bank: Bank) -> str:
        return self.question

    def described(self, shortened: Callable[[str], str] = str) -> str:
        # super() fails in a dataclass with slots.
        return f"{Mark.described(self)}: “{shortened(self.answer)}”"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{self.after or 'no verdict'}: '{self.answer}' to {self.question}"

    def value_of(self, side: Correctness | None) -> JSON:
        return {"question_id": self.question_id, "value": side}

    @classmethod
    def opinions(
        cls, marks: Sequence[Verdict]
    ) -> Iterable[tuple[tuple[str, str], str, str]]:
        for verdict in marks:
            yield (verdict.question, verdict.answer), verdict.judge, verdict.value


def verdicts_on(bank: Bank, question: Question) -> tuple[Verdict, ...]:
    """Return all verdicts on answers to the question's current text.

    Empty for a question whose text was never published.
    """
    return tuple(
        verdict
        for verdict in bank.verdicts_of(question.query_id)
        if verdict.question == question.text
    )


def current_verdict(
    bank: Bank, question: Question, answer: str, judge: str
) -> Verdict | None:
    """Return this judge's verdict on an answer to the current text, or None."""
    for verdict in verdicts_on(bank, question):
        if verdict.answer == answer.strip() and verdict.judge == judge:
            return verdict
    return None


KINDS = (
    EventKind(
        "verdict", "judged an answer", Judged, affects="answers", edit=JudgeAnswer
    ),
)
