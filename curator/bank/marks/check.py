"""CheckPair: a judge's answer to whether a passage answers a question.

Or, for a passage as a whole, how relevant it is. A check refers to texts, independent
of any grader. A judge sees others' checks of a pair after making one; until then banks
and the history omit them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from curator.bank.changes import (
    JSON,
    Audience,
    Change,
    EventKind,
    Mark,
    is_count,
    is_time,
    utc_now,
)
from curator.bank.marks import Check, is_gold, without_gold
from curator.bank.questions import Bank
from curator.bank.revisions import text_to_judge
from curator.errors import EditError, NothingToChangeError

ANSWERS = ("yes", "no", "unsure")
UNSURE = "unsure"

Pair = tuple[str | None, str]
"""(text of the question, or None for the passage as a whole; passage id)."""


def is_answer(answer: str, *, of_passage: bool) -> bool:
    """Return True for a valid answer for a question, or for a passage as a whole."""
    if not of_passage:
        return answer in ANSWERS
    # int() reads other scripts' digits, too; no grade has more than five digits.
    is_number = answer.isascii() and answer.isdecimal() and len(answer) <= 5
    return answer == UNSURE or (is_number and str(int(answer)) == answer)


@dataclass(frozen=True, slots=True)
class CheckPair:
    """A judge's answer to whether a passage answers a question; None removes it.

    Without a ``question_id`` the question is how relevant the passage is to the query.
    ``based_on`` is the revision of the question that was shown. The other fields are
    those of :class:`~curator.bank.marks.Check`; a correction without a new
    ``probability`` keeps that of the first answer, and its time. ``confirmed`` replaces
    the ``seconds`` of the same answer, so that it is not hasty (``bank.hasty``).
    """

    query_id: str
    question_id: str | None
    passage_id: str
    answer: str | None
    probability: float | None = None
    drawn: int = 0
    seconds: float | None = None
    based_on: int | None = None
    at: str = field(default_factory=utc_now)
    confirmed: bool = False

    def change(self, bank: Bank, judge: str) -> Change:
        item = self._item(bank)
        self._validate(of_passage=item is None)
        before = check_by(bank, self.query_id, (item, self.passage_id), judge)
        after = None
        if self.answer is not None:
            details = (self.probability, self.drawn, self.seconds, self.at)
            after = CheckContent(self.answer, *details)
            if before and self.probability is None:
                details = before.probability, before.drawn, self.seconds, before.at
                after = CheckContent(self.answer, *details)
        is_same = before and after and before.same_as(after)
        if is_same and before and self.confirmed:
            is_same = before.seconds is None
        if is_same or (before is None and after is None):
            has = f"already has the check '{before}'" if before else "has no check"
            question = f" for {item!r}" if item else ""
            raise NothingToChangeError(
                f"Passage '{self.passage_id}' {has} by {judge}{question}."
            )
        mark = Checked(self.question_id, item, self.passage_id, before, after)
        return Change("check", self.query_id, mark=mark)

    def _item(self, bank: Bank) -> str | None:
        """Return the text of the question, None for the passage as a whole."""
        if self.question_id is None:
            return None
        question = bank.question(self.question_id)
        if question.query_id != self.query_id:
            raise EditError(
                f"'{question.question_id}' is a question of query "
                f"'{question.query_id}', not of '{self.query_id}'."
            )
        return text_to_judge(question, self.based_on)

    def _validate(self, *, of_passage: bool) -> None:
        if self.answer is not None and not is_answer(
            self.answer, of_passage=of_passage
        ):
            expected = (
                "a grade from 0 on, or unsure" if of_passage else "yes, no or unsure"
            )
            raise EditError(f"A check is {expected}, not '{self.answer}'.")
        if not (is_probability(self.probability) and is_count(self.drawn)) or (
            (self.probability is None) != (self.drawn == 0)
        ):
            raise EditError(
                "The probability of a drawn pair is above 0 and at most 1, and 1 or "
                "more pairs are drawn; a chosen pair has neither. Given were "
                f"probability {self.probability} and {self.drawn} drawn pairs."
            )
        if not is_seconds(self.seconds):
            raise EditError(f"seconds is {self.seconds}; expected 0 or more.")
        if not is_time(self.at):
            raise EditError(f"'{self.at}' is not a time in ISO 8601.")


def is_probability(value: Any) -> bool:
    """Return True for a valid probability of a draw; None means chosen by hand."""
    return value is None or (
        isinstance(value, int | float) and value is not True and 0 < value <= 1
    )


def is_seconds(value: Any) -> bool:
    """Return True for a valid duration in seconds; None means unknown."""
    return value is None or (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )


@dataclass(frozen=True, slots=True)
class CheckContent:
    """The content of a check without pair and judge; its text is the answer."""

    answer: str
    probability: float | None
    drawn: int
    seconds: float | None
    at: str

    def __str__(self) -> str:
        return self.answer

    def same_as(self, other: CheckContent) -> bool:
        """Return True if both are equal except for the judge's time."""
        return replace(self, seconds=None, at="") == replace(other, seconds=None, at="")


@dataclass(frozen=True, slots=True)
class Checked(Mark):
    """A judge's check of a pair, before and after; None is no check.

    ``question_id`` is that of the question which had the text of ``item`` then.
    """

    question_id: str | None
    item: str | None
    passage_id: str
    before: CheckContent | None
    after: CheckContent | None

    noun, verb = "check", "checked"
    reported_field = "answer"
    audience = "own first"
    kind = "check"
    current = Check
    content = CheckContent
    targets = ("item", "passage_id")
    hides_with_question = False
    stored: ClassVar = ("question_id", "item", "passage_id", "check")

    def subject(self, bank: Bank) -> str:
        return self.item or f"passage {self.passage_id}"

    def described(self, shortened: Callable[[str], str] = str) -> str:
        # super() fails in a dataclass with slots.
        description = Mark.described(self)
        if self.before and self.after and self.before.answer == self.after.answer:
            description = f"confirmed {self.after}"
        return f"{description}: passage {self.passage_id}" if self.item else description

    def summary(self, titles: Mapping[str, str]) -> str:
        question = f" on {self.item}" if self.item else ""
        return f"{self.after or 'no check'}: passage {self.passage_id}{question}"

    @classmethod
    def audience_of(
        cls, target: JSON, owner: str, revealed: Collection[int]
    ) -> Audience:
        return "organizers" if is_gold(owner) else cls.audience

    @property
    def passage_grade(self) -> int | None:
        is_grade = self.after and self.item is None and self.after.answer != UNSURE
        return int(str(self.after)) if is_grade else None

    @property
    def saved_at(self) -> str | None:
        return self.after.at if self.after else None

    @classmethod
    def opinions(cls, marks: Sequence[Check]) -> Iterable[tuple[Pair, str, str]]:
        for check in without_gold(marks):
            if check.answer != UNSURE:
                yield (check.item, check.passage_id), check.judge, check.answer


def check_by(bank: Bank, query_id: str, pair: Pair, judge: str) -> CheckContent | None:
    """Return this judge's check of a pair of a query, or None."""
    for check in bank.checks_of(query_id):
        if (check.item, check.passage_id, check.judge) == (*pair, judge):
            return content_of(check)
    return None


def content_of(check: Check) -> CheckContent:
    return CheckContent(
        check.answer, check.probability, check.drawn, check.seconds, check.at
    )


KINDS = (EventKind("check", "checked a passage", Checked, affects="answers"),)
