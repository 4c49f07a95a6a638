"""Decide: what is to hold where judges differ.

It holds as long as what it rests on, its state, is as it was. It changes no judge's
mark and no board; what one on a question changes is an edit of its own beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

from curator.bank.edits.changes import JSON, Change, EventKind, Mark
from curator.bank.marks import Decision
from curator.bank.questions import Bank
from curator.bank.wording import clean_reason
from curator.errors import EditError, NothingToChangeError

KINDS_OF_PLACES = ("question", "wording", "vote", "check", "grade", "verdict")


@dataclass(frozen=True, slots=True)
class Decide:
    """What holds at a place of a query; the value None takes the decision back.

    ``key`` names the place, its kind first: ``vote q1/a``. ``state`` names what
    everybody said there.
    """

    query_id: str
    key: str
    value: str | None
    state: str = ""
    reason: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        before, after = decision(bank, self.query_id, self.key), None
        if self.value is not None:
            kind, _, on = self.key.partition(" ")
            if kind not in KINDS_OF_PLACES or not on or not self.value:
                raise EditError(
                    f"'{self.key}' is no place to decide '{self.value}' at: it begins "
                    f"with {', '.join(KINDS_OF_PLACES)}, then what it is about."
                )
            reason = clean_reason(self.reason or "") or ""
            after = Decision(self.key, self.value, self.state, reason, judge)
        if before == after:
            has = f"'{before.value}' already" if before else "not decided"
            raise NothingToChangeError(f"'{self.key}' is {has}.")
        mark = Decided(self.key, before, after)
        return Change("decide", self.query_id, mark=mark)


def _is_decision(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict)
        and value.keys() == {one.name for one in fields(Decision)}
        and all(isinstance(one, str) for one in value.values())
    )


@dataclass(frozen=True, slots=True)
class Decided(Mark):
    """The decision at a place before and after, None where there is none."""

    key: str
    before: Decision | None
    after: Decision | None

    noun, verb = "decision", "decided"
    stored: ClassVar = {
        "key": lambda v: isinstance(v, str) and bool(v),
        "decision": _is_decision,
    }

    def stands(self, bank: Bank, query_id: str, judge: str) -> bool:
        return decision(bank, query_id, self.key) == self.before

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        others = [o for o in bank.decisions_of(query_id) if o.key != self.key]
        now = sorted(
            [*others, self.after] if self.after else others, key=lambda one: one.key
        )
        return replace(bank, decisions={**bank.decisions, query_id: tuple(now)})

    def about(self, bank: Bank) -> str:
        on = self.key.split(" ")[1]
        return next((q.title for q in bank if q.question_id == on), self.key)

    def described(self, shortened: Callable[[str], str] = str) -> str:
        kind = self.key.partition(" ")[0]
        if self.after is None:
            return f"took back what was decided ({kind})"
        reason = f": {shortened(self.after.reason)}" if self.after.reason else ""
        return f"decided “{shortened(self.after.value)}” ({kind}){reason}"

    def summary(self, titles: Mapping[str, str]) -> str:
        return f"{self.after.value if self.after else 'not decided'}: {self.key}"

    def difference(self) -> JSON:
        before, after = (one and one.value for one in (self.before, self.after))
        return {"key": self.key, "before": before, "after": after}

    @classmethod
    def of_fields(cls, fields: JSON, before: Any, after: Any) -> Self:
        old, new = (None if o is None else Decision(**o) for o in (before, after))
        if any(one and one.key != fields["key"] for one in (old, new)):
            raise ValueError("a decision on something else")
        return cls(fields["key"], old, new)


def decision(bank: Bank, query_id: str, key: str) -> Decision | None:
    """The decision at the query's place of this key, None without one."""
    return next((o for o in bank.decisions_of(query_id) if o.key == key), None)


KINDS = (EventKind("decide", "decided", Decided, moves="nothing"),)
