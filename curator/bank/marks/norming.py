"""AnswerItem and CommentItem: answers and comments of a norming round.

Every judge answers the same items. Answers of others are hidden until the round is
revealed, from organizers too; comments can be written after that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from curator.bank.changes import (
    JSON,
    Audience,
    Change,
    EventKind,
    Mark,
    is_time,
    utc_now,
)
from curator.bank.marks import IMPORTANCES, Comment, NormingAnswer, RoundRules
from curator.bank.marks.check import ANSWERS, UNSURE
from curator.bank.questions import Bank
from curator.bank.wording import MAX_TEXT
from curator.errors import NormingError, UnknownNameError

NormingTask = Literal["pairs", "passages", "votes"]
"""The task: does the passage answer the question, how relevant is the
passage, how important is the question."""

ANY_ANSWER = ""


def round_choices(task: NormingTask, highest: int) -> tuple[str, ...]:
    """Return the possible answers; ``highest`` is the highest grade of a passage."""
    grades = (*map(str, range(highest + 1)), UNSURE)
    return {"votes": IMPORTANCES, "pairs": ANSWERS, "passages": grades}[task]


def item_rules(bank: Bank, query_id: str, round_id: int, place: int) -> RoundRules:
    """Return the rules of an open round that has this item.

    Raises UnknownNameError, NormingError for a closed round.
    """
    rules = bank.rounds.get(round_id)
    if rules is None or query_id not in rules.queries[place : place + 1]:
        raise UnknownNameError(f"No item {place + 1} in norming round {round_id}.")
    if rules.closed_by:
        raise NormingError(
            f"Round {round_id} was closed by {rules.closed_by} and takes no more "
            "answers or comments. Nothing was saved."
        )
    return rules


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """A judge's answer to an item of a norming round; None withdraws it.

    ``place`` counts from 0. ``expected`` is the judge's answer as they last saw it: if
    it has changed since, the edit is refused.
    """

    query_id: str
    round_id: int
    place: int
    answer: str | None
    expected: str | None = ANY_ANSWER

    def change(self, bank: Bank, judge: str) -> Change:
        rules = item_rules(bank, self.query_id, self.round_id, self.place)
        mark = ItemAnswered(self.round_id, self.place, None, None)
        before = mark.current_value(bank, self.query_id, judge)
        current, after = before and before.answer, None
        if self.answer != current and self.expected not in (ANY_ANSWER, current):
            done = f"answered '{current}'" if before else "withdrew your answer"
            raise NormingError(
                f"Meanwhile you {done} in another window; that was kept and nothing "
                "was saved here."
            )
        if self.answer is None and rules.revealed:
            raise NormingError(
                "The round is revealed: an answer can be changed, but not withdrawn."
            )
        if self.answer is not None:
            if self.answer not in rules.choices:
                choices = ", ".join(rules.choices)
                raise NormingError(
                    f"The answer is '{self.answer}'; expected one of {choices}."
                )
            after = AnswerContent(self.answer, self.answer, not rules.revealed)
            if before and rules.revealed:
                after = AnswerContent(self.answer, before.first, before.blind)
        changed = replace(mark, after=after)
        return changed.to_change("norming", bank, self.query_id, judge)


@dataclass(frozen=True, slots=True)
class CommentItem:
    """A judge's comment on an item of a revealed round."""

    query_id: str
    round_id: int
    place: int
    text: str
    at: str = field(default_factory=utc_now)

    def change(self, bank: Bank, judge: str) -> Change:
        rules = item_rules(bank, self.query_id, self.round_id, self.place)
        text = self.text.strip()
        if not is_time(self.at):
            raise NormingError(f"'{self.at}' is not a time in ISO 8601.")
        if not 1 <= len(text) <= MAX_TEXT:
            raise NormingError(
                f"A comment has 1 to {MAX_TEXT:,} characters; this one has "
                f"{len(text):,}."
            )
        if not rules.revealed:
            raise NormingError(
                f"Round {self.round_id} is not revealed yet, and a comment would show "
                "others your answer. Nothing was saved."
            )
        mark = ItemCommented(self.round_id, self.place, self.at, None, text)
        return Change("comment", self.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class AnswerContent:
    """The content of an answer without item and judge; its text is the answer."""

    answer: str
    first: str
    blind: bool

    def __str__(self) -> str:
        return self.answer


class ItemMark(Mark):
    """A mark on an item of a norming round, which is never undone."""

    __slots__ = ()

    round_id: int
    place: int
    hides_with_question = False

    def subject(self, bank: Bank) -> str:
        return f"item {self.place + 1} of norming round {self.round_id}"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{self.after or f'no {self.noun}'}: {self.subject(Bank())}"


@dataclass(frozen=True, slots=True)
class ItemAnswered(ItemMark):
    """A judge's answer to an item, before and after; None is no answer."""

    round_id: int
    place: int
    before: AnswerContent | None
    after: AnswerContent | None

    noun, verb = "norming answer", "answered"
    reported_field = "answer"
    kind = "norming"
    no_undo = "Answer the item again to change your answer."
    current = NormingAnswer
    content = AnswerContent
    audience = "nobody"  # until the reveal
    holds_text = False
    stored: ClassVar = ("round_id", "place", "norming")

    @classmethod
    def audience_of(
        cls, target: JSON, owner: str, revealed: Collection[int]
    ) -> Audience:
        return "everyone" if target["round_id"] in revealed else cls.audience


@dataclass(frozen=True, slots=True)
class ItemCommented(ItemMark):
    """A judge's comment on an item; ``before`` is None."""

    round_id: int
    place: int
    at: str
    before: None
    after: str

    noun = "comment"
    kind = "comment"
    no_undo = "Write another comment on the item."
    current = Comment
    stored: ClassVar = ("round_id", "place", "at", "text")

    def described(self, shortened: Callable[[str], str] = str) -> str:
        return f"commented: “{shortened(self.after)}”"


KINDS = (
    EventKind(
        "norming", "answered in a norming round", ItemAnswered, affects="nothing"
    ),
    EventKind(
        "comment", "commented in a norming round", ItemCommented, affects="nothing"
    ),
)
