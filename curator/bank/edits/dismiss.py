"""Dismiss: a next step that is not to be taken, with the reason.

It holds for all who judge, as long as what the step rests on is as it was: its state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, get_args

from curator.bank.edits.changes import JSON, Change, EventKind, Mark
from curator.bank.marks import Dismissal, StepKind
from curator.bank.questions import Bank
from curator.bank.wording import clean_reason
from curator.errors import EditError, NothingToChangeError

TELLING = frozenset({"only-non-relevant", "uncovered-passage", "disagreement", "check"})
"""Kinds of steps that rest on what a judge may not be shown."""

NAMES = {
    "near-duplicate": "asks almost the same",
    "only-non-relevant": "answered by non-relevant passages",
    "no-answer": "nothing answers it",
    "every-system": "every system answers it",
    "uncovered-passage": "a passage that few questions cover",
    "empty-subtopic": "a subtopic that no question is about",
    "empty-query": "a query without questions",
    "unanswerable": "asks for what no text can answer",
    "compound": "asks two things at once",
    "flagged": "flagged by somebody",
    "disagreement": "people differ",
    "proposal": "a proposal to decide",
    "check": "a pair to check",
    "done": "nothing else to do",
}
"""What a step says, in a few words, by its kind."""


@dataclass(frozen=True, slots=True)
class Dismiss:
    """A next step of a query left alone; with the reason None it is to come again.

    ``key`` and ``state`` are the step's. Dismissed again it has the new reason.
    """

    query_id: str
    key: str
    state: str = ""
    reason: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        before, after = dismissal(bank, self.query_id, self.key), None
        if self.reason is not None:
            reason = clean_reason(self.reason)
            if reason is None:
                raise EditError(
                    "A step is dismissed with a reason: a few words for whoever "
                    "comes after you."
                )
            kind = self.key.partition(" ")[0]
            if kind not in get_args(StepKind):
                raise EditError(
                    f"'{self.key}' is the key of no next step: it begins with a kind, "
                    f"one of {', '.join(get_args(StepKind))}."
                )
            after = Dismissal(self.key, self.state, reason, judge)
        if before == after:
            has = "is dismissed so" if before else "is not dismissed"
            raise NothingToChangeError(f"'{self.key}' {has} already.")
        mark = Dismissed(self.key, before, after)
        return Change("dismiss", self.query_id, mark=mark)


def _is_dismissal(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and value.keys() == {one.name for one in fields(Dismissal)}
        and all(isinstance(one, str) for one in value.values())
    )


@dataclass(frozen=True, slots=True)
class Dismissed(Mark):
    """A step's dismissal before and after, None where it has none."""

    key: str
    before: Dismissal | None
    after: Dismissal | None

    noun, verb = "dismissal", "dismissed:"
    bank_field = "dismissals"
    hides_with_question = False
    stored: ClassVar = {
        "key": lambda v: isinstance(v, str) and bool(v),
        "dismissal": _is_dismissal,
    }

    @property
    def kind(self) -> str:
        """The kind of the step."""
        return self.key.partition(" ")[0]

    @property
    def ids(self) -> list[str]:
        """The ids of what the step is about."""
        return self.key.split(" ")[1:]

    def stands(self, bank: Bank, query_id: str, judge: str) -> bool:
        return dismissal(bank, query_id, self.key) == self.before

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        others = [o for o in bank.dismissals_of(query_id) if o.key != self.key]
        now = sorted(
            [*others, self.after] if self.after else others, key=lambda one: one.key
        )
        return replace(bank, dismissals={**bank.dismissals, query_id: tuple(now)})

    def about(self, bank: Bank) -> str:
        titles = {q.question_id: q.title for q in bank if q.question_id in self.ids}
        return ", ".join(titles.get(one, one) for one in self.ids)

    def described(self, shortened: Callable[[str], str] = str) -> str:
        what = f"next step “{NAMES.get(self.kind, self.kind)}”"
        if self.after is None:
            return f"brought back the {what}"
        return f"dismissed the {what}: {shortened(self.after.reason)}"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{'dismissed' if self.after else 'not dismissed'}: {self.key}"

    def difference(self) -> JSON:
        before, after = (one and one.reason for one in (self.before, self.after))
        return {"key": self.key, "before": before, "after": after}

    @classmethod
    def of_fields(cls, fields: JSON, before: Any, after: Any) -> Self:
        old, new = (None if o is None else Dismissal(**o) for o in (before, after))
        if any(one and one.key != fields["key"] for one in (old, new)):
            raise ValueError("a dismissal of another step")
        return cls(fields["key"], old, new)


def dismissal(bank: Bank, query_id: str, key: str) -> Dismissal | None:
    """The dismissal of the query's step of this key, None without one."""
    return next((o for o in bank.dismissals_of(query_id) if o.key == key), None)


KINDS = (EventKind("dismiss", "dismissed a next step", Dismissed, moves="nothing"),)
