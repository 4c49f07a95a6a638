"""CheckPair: a person's answer to whether a passage answers a question.

Or, of a passage as a whole, how relevant it is. A check is about words, whatever any
grader says of them. A judge sees those of others on a pair once they have one on it
themselves; until then banks and the history are without them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Self

from curator.bank.edits.changes import JSON, Change, EventKind, Mark, is_count
from curator.bank.edits.questions import words_to_judge
from curator.bank.marks import Check
from curator.bank.questions import Bank
from curator.errors import EditError, NothingToChangeError

ANSWERS = ("yes", "no", "unsure")
UNSURE = "unsure"

Pair = tuple[str | None, str]  # the question's text, None for the passage alone; its id


def now() -> str:
    """The time in UTC, ISO 8601 to the microsecond, so that it sorts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def is_answer(answer: str, *, of_passage: bool) -> bool:
    """Whether it is one that is given of a question, or of a passage as a whole."""
    if not of_passage:
        return answer in ANSWERS
    # The digits that int() reads are more than ours; nobody counts to 100,000.
    is_number = answer.isascii() and answer.isdecimal() and len(answer) <= 5
    return answer == UNSURE or (is_number and str(int(answer)) == answer)


@dataclass(frozen=True, slots=True)
class CheckPair:
    """Whether a passage answers a question, as one person sees it; None takes it back.

    Without a ``question_id`` it is asked how relevant the passage is to the query.
    ``based_on`` is the revision of the question whose words were seen. The others are
    those of :class:`~curator.bank.marks.Check`; whoever corrects an answer without a
    new ``probability`` keeps what the first one had, and its time.
    """

    query_id: str
    question_id: str | None
    passage_id: str
    answer: str | None
    probability: float | None = None
    drawn: int = 0
    seconds: float | None = None
    based_on: int | None = None
    at: str = field(default_factory=now)

    def change(self, bank: Bank, judge: str) -> Change:
        item = self._item(bank)
        self._refuse_unfit(of_passage=item is None)
        before, after = (
            said_by(bank, self.query_id, (item, self.passage_id), judge),
            None,
        )
        if self.answer is not None:
            drawn = (self.probability, self.drawn, self.seconds, self.at)
            after = Said(self.answer, *drawn)
            if before and self.probability is None:
                kept = before.probability, before.drawn, self.seconds, before.at
                after = Said(self.answer, *kept)
        if before is after is None or (before and after and before.same_as(after)):
            has = f"is '{before}' to {judge}" if before else "has no check"
            raise NothingToChangeError(
                f"Passage '{self.passage_id}' {has} already"
                f"{f', asked {item!r}' if item else ''}."
            )
        mark = Checked(self.question_id, item, self.passage_id, before, after)
        return Change("check", self.query_id, mark=mark)

    def _item(self, bank: Bank) -> str | None:
        """The words that are asked about, None for the passage as a whole."""
        if self.question_id is None:
            return None
        question = bank.question(self.question_id)
        if question.query_id != self.query_id:
            raise EditError(
                f"'{question.question_id}' is a question of query "
                f"'{question.query_id}', not of '{self.query_id}'."
            )
        return words_to_judge(question, self.based_on)

    def _refuse_unfit(self, *, of_passage: bool) -> None:
        if self.answer is not None and not is_answer(
            self.answer, of_passage=of_passage
        ):
            expected = (
                "a grade from 0 on, or unsure" if of_passage else "yes, no or unsure"
            )
            raise EditError(f"A check says {expected}, not '{self.answer}'.")
        if not (is_probability(self.probability) and is_count(self.drawn)) or (
            (self.probability is None) != (self.drawn == 0)
        ):
            raise EditError(
                "A pair is drawn with a probability above 0 and up to 1, together with "
                "1 pair or more, or with neither where it was chosen; not with "
                f"{self.probability} and {self.drawn}."
            )
        if not is_seconds(self.seconds):
            raise EditError(f"Nobody looks {self.seconds} seconds at a pair.")
        if not is_time(self.at):
            raise EditError(f"'{self.at}' is no time; expected one as in ISO 8601.")


def is_probability(value: Any) -> bool:
    """Whether a pair can be drawn with it; None is that of one that was chosen."""
    return value is None or (
        isinstance(value, int | float) and value is not True and 0 < value <= 1
    )


def is_seconds(value: Any) -> bool:
    """Whether somebody can look that long, in seconds; None where nobody knows."""
    return value is None or (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    )


def is_time(value: Any) -> bool:
    """Whether it is a time in ISO 8601."""
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Said:
    """What one check says, without on what and by whom; as a text its answer."""

    answer: str
    probability: float | None
    drawn: int
    seconds: float | None
    at: str

    def __str__(self) -> str:
        return self.answer

    def same_as(self, other: Said) -> bool:
        """Whether it says nothing else, however long the judge looked."""
        return replace(self, seconds=None, at="") == replace(other, seconds=None, at="")


def _is_said(value: Any) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, dict)
        and value.keys() == {one.name for one in fields(Said)}
        and isinstance(value["answer"], str)
        and is_probability(value["probability"])
        and is_count(value["drawn"])
        and (value["probability"] is None) == (value["drawn"] == 0)
        and is_seconds(value["seconds"])
        and is_time(value["at"])
    )


@dataclass(frozen=True, slots=True)
class Checked(Mark):
    """A judge's check of a pair, before and after; None is no check.

    ``question_id`` is that of the question which had the words of ``item`` then.
    """

    question_id: str | None
    item: str | None
    passage_id: str
    before: Said | None
    after: Said | None

    noun, verb = "check", "checked"
    own_first = True
    bank_field = "checks"
    hides_with_question = False
    stored: ClassVar = {
        "question_id": lambda v: v is None or isinstance(v, str),
        "item": lambda v: v is None or isinstance(v, str),
        "passage_id": lambda v: isinstance(v, str),
        "check": _is_said,
    }

    def stands(self, bank: Bank, query_id: str, judge: str) -> bool:
        return (
            said_by(bank, query_id, (self.item, self.passage_id), judge) == self.before
        )

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        pair = self.item, self.passage_id
        now = [
            one
            for one in bank.checks_of(query_id)
            if (one.judge, *pair) != (judge, one.item, one.passage_id)
        ]
        if (said := self.after) is not None:
            drawn = said.probability, said.drawn, said.seconds, said.at
            now.append(Check(self.item, self.passage_id, judge, said.answer, *drawn))
        in_order = tuple(sorted(now, key=Check.in_order))
        return replace(bank, checks={**bank.checks, query_id: in_order})

    def about(self, bank: Bank) -> str:
        return self.item or f"passage {self.passage_id}"

    def described(self, shortened: Callable[[str], str] = str) -> str:
        # super() would look for the class that this was before it had slots.
        said = Mark.described(self)
        return f"{said}: passage {self.passage_id}" if self.item else said

    def summary(self, titles: Mapping[str, str]) -> str:
        asked = f" on {self.item}" if self.item else ""
        return f"{self.after or 'no check'}: passage {self.passage_id}{asked}"

    def difference(self) -> JSON:
        before, after = (one and one.answer for one in (self.before, self.after))
        return {**Mark.difference(self), "before": before, "after": after}

    def place(self, query_id: str) -> tuple[str, str | None, str]:
        return (query_id, self.item, self.passage_id)

    @classmethod
    def of_fields(cls, fields: JSON, before: Any, after: Any) -> Self:
        of_passage = fields["item"] is None
        for one in filter(None, (before, after)):
            if not is_answer(one["answer"], of_passage=of_passage):
                raise ValueError(f"{one['answer']} is no answer")
        old, new = (None if one is None else Said(**one) for one in (before, after))
        return cls(**fields, before=old, after=new)

    @classmethod
    def places(cls, bank: Bank, judge: str) -> frozenset[tuple[str, str | None, str]]:
        return frozenset(
            (query_id, one.item, one.passage_id)
            for query_id, checks in bank.checks.items()
            for one in checks
            if one.judge == judge
        )

    @classmethod
    def hidden(cls, bank: Bank, places: frozenset[tuple[str, str | None, str]]) -> Bank:
        changed = {}
        for query_id, checks in bank.checks.items():
            seen = tuple(
                one for one in checks if (query_id, one.item, one.passage_id) in places
            )
            if len(seen) < len(checks):
                changed[query_id] = seen
        return replace(bank, checks={**bank.checks, **changed}) if changed else bank


def said_by(bank: Bank, query_id: str, pair: Pair, judge: str) -> Said | None:
    """What this judge says of a pair of a query, None without a check."""
    for one in bank.checks_of(query_id):
        if (one.item, one.passage_id, one.judge) == (*pair, judge):
            return Said(one.answer, one.probability, one.drawn, one.seconds, one.at)
    return None


def decided(checks: Iterable[Check]) -> dict[Pair, str]:
    """What people say of each pair: yes or no, or a grade; not in it where undecided.

    Of a question most judges decide, and a tie does not; of a passage the median of the
    grades, the lower of two in the middle. Who is unsure decides nothing.
    """
    answers: defaultdict[Pair, list[str]] = defaultdict(list)
    for one in checks:
        if one.answer != UNSURE:
            answers[one.item, one.passage_id].append(one.answer)
    found = {}
    for pair, said in answers.items():
        if pair[0] is None:
            found[pair] = sorted(said, key=int)[(len(said) - 1) // 2]
        elif lead := 2 * said.count("yes") - len(said):
            found[pair] = "yes" if lead > 0 else "no"
    return found


KINDS = (EventKind("check", "checked a passage", Checked, moves="answers"),)
