"""Dismiss: a next step that should not be taken, with the reason.

It holds for all judges, as long as the step's state is unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, get_args

from curator.bank.changes import (
    JSON,
    Audience,
    Change,
    EventKind,
    Mark,
)
from curator.bank.marks import Dismissal, StepKind
from curator.bank.questions import Bank
from curator.bank.wording import clean_reason
from curator.edit_words import DISMISS
from curator.errors import EditError

REVEALING_STEPS = frozenset(
    {"only-non-relevant", "uncovered-passage", "disagreement", "check"}
)
"""Kinds of steps that depend on marks which a judge may not see."""

STEP_NAMES = {
    "near-duplicate": "asks almost the same",
    "only-non-relevant": "answered by non-relevant passages",
    "no-answer": "nothing answers it",
    "every-system": "every system answers it",
    "uncovered-passage": "a passage that few questions cover",
    "empty-subtopic": "a subtopic that no question is about",
    "empty-query": "a query without questions",
    "unanswerable": "asks for what no text can answer",
    "compound": "asks two things at once",
    "flagged": "flagged by a judge",
    "disagreement": "people differ",
    "proposal": "a proposal to decide",
    "check": "a pair to check",
    "done": "nothing else to do",
}
"""Short description of each kind of step."""


@dataclass(frozen=True, slots=True)
class Dismiss:
    """Dismissal of a next step of a query; the reason None brings it back.

    ``key`` and ``state`` are the step's. Dismissing it again replaces the reason.
    """

    query_id: str
    key: str
    state: str = ""
    reason: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        after = None
        if self.reason is not None:
            reason = clean_reason(self.reason)
            if reason is None:
                raise EditError(
                    "Give a reason in a few words, so that other judges understand it."
                )
            kind = self.key.partition(" ")[0]
            if kind not in get_args(StepKind):
                raise EditError(
                    f"'{self.key}' is not the key of a next step; a key begins with "
                    f"one of {', '.join(get_args(StepKind))}."
                )
            after = Dismissal(self.key, self.state, reason, judge)
        mark = Dismissed(self.key, None, after)
        return mark.to_change("dismiss", bank, self.query_id, judge)


@dataclass(frozen=True, slots=True)
class Dismissed(Mark):
    """A step's dismissal before and after, None if it has none."""

    key: str
    before: Dismissal | None
    after: Dismissal | None

    noun, verb = "dismissal", f"{DISMISS.past}:"
    reported_field = "reason"
    kind = "dismissal"
    current = content = Dismissal
    audience = "organizers"  # of steps that reveal marks of others
    is_shared = True
    stored: ClassVar = ("key", "dismissal")

    @classmethod
    def audience_of(
        cls, target: JSON, owner: str, revealed: Collection[int]
    ) -> Audience:
        is_revealing = target["key"].split(" ")[0] in REVEALING_STEPS
        return cls.audience if is_revealing else "everyone"

    @classmethod
    def questions_of(cls, target: JSON) -> Collection[str]:
        key: str = target["key"]
        return key.split(" ")[1:]

    @property
    def step_kind(self) -> str:
        return self.key.partition(" ")[0]

    @property
    def ids(self) -> list[str]:
        return self.key.split(" ")[1:]

    def subject(self, bank: Bank) -> str:
        titles = {
            question.question_id: question.title
            for question in bank
            if question.question_id in self.ids
        }
        return ", ".join(titles.get(name, name) for name in self.ids)

    def described(self, shortened: Callable[[str], str] = str) -> str:
        step = f"next step “{STEP_NAMES.get(self.step_kind, self.step_kind)}”"
        if self.after is None:
            return f"brought back the {step}"
        return f"{DISMISS.past} the {step}: {shortened(self.after.reason)}"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{'' if self.after else 'not '}{DISMISS.past}: {self.key}"


KINDS = (
    EventKind("dismiss", f"{DISMISS.past} a next step", Dismissed, affects="nothing"),
)
