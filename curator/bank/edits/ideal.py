"""MarkIdeal: a passage, or words in one, that is an ideal answer of its query."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, Self, cast

from curator.bank.edits.changes import JSON, Change, EventKind, Mark, is_count
from curator.bank.marks import Ideal
from curator.bank.questions import Bank
from curator.errors import EditError, NothingToChangeError

HIGHEST_GRADE = 100
UNSAID: tuple[tuple[str, str | None], ...] = (("judge", ""), ("grade", None))
"""What an event does not say of a mark that is no annotator's, or has no grade."""


@dataclass(frozen=True, slots=True)
class MarkIdeal:
    """A passage, or a span of it, marked as an ideal answer of a query, or unmarked."""

    query_id: str
    ideal: Ideal
    marked: bool = True

    def change(self, bank: Bank, judge: str) -> Change:
        mark = Marked(self.ideal, not self.marked, self.marked)
        if not mark.stands(bank, self.query_id, judge):
            raise NothingToChangeError(
                f"Passage '{self.ideal.passage_id}' is {'' if self.marked else 'not '}"
                f"marked so for query '{self.query_id}' already."
            )
        if self.ideal.judge not in ("", judge):
            raise EditError(f"{judge} cannot highlight for {self.ideal.judge}.")
        grade = self.ideal.grade
        if grade is not None and not 1 <= grade <= HIGHEST_GRADE:
            raise EditError(f"The grade is {grade}; expected 1 to {HIGHEST_GRADE}.")
        other = graded_otherwise(bank, self.query_id, self.ideal)
        if self.marked and other is not None:
            raise EditError(
                f"{other.judge or 'Somebody'} has marked this with grade {other.grade} "
                "already; take that mark away first."
            )
        return Change("ideal", self.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Marked(Mark):
    """An ideal answer of a query, marked or not, before and after."""

    ideal: Ideal
    before: bool
    after: bool

    bank_field = "ideals"
    hides_with_question = False
    stored: ClassVar = {
        "passage_id": lambda v: isinstance(v, str),
        "start": is_count,
        "end": lambda v: v is None or is_count(v),
        "judge": lambda v: isinstance(v, str),
        "grade": lambda v: v is None or (is_count(v) and 1 <= v <= HIGHEST_GRADE),
        "ideal": lambda v: isinstance(v, bool),
    }

    def stands(self, bank: Bank, query_id: str, judge: str) -> bool:
        return (self.ideal in bank.ideals_of(query_id)) == self.before

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        others = [one for one in bank.ideals_of(query_id) if one != self.ideal]
        now = sorted(
            [*others, self.ideal] if self.after else others, key=Ideal.in_order
        )
        return replace(bank, ideals={**bank.ideals, query_id: tuple(now)})

    def about(self, bank: Bank) -> str:
        ideal = self.ideal
        if (ideal.start, ideal.end) == (0, None):
            return f"passage {ideal.passage_id}"
        end = "the end" if ideal.end is None else f"{ideal.end}"
        return f"passage {ideal.passage_id}, characters {ideal.start + 1}–{end}"

    def described(self, shortened: Callable[[str], str] = str) -> str:
        grade = f" of grade {self.ideal.grade}" if self.ideal.grade else ""
        marked = "marked" if self.after else "no longer marked"
        return f"{marked} as an ideal answer{grade}"

    def summary(self, titles: Mapping[str, str]) -> str:
        ideal = self.ideal
        until = "" if ideal.end is None else f" {ideal.start}-{ideal.end}"
        return f"{'' if self.after else 'not '}ideal: {ideal.passage_id}{until}"

    def fields(self) -> JSON:
        every = asdict(self.ideal).items()
        return {name: value for name, value in every if (name, value) not in UNSAID}

    @classmethod
    def read(cls, kind: str, before: str | None, after: str | None) -> Self:
        sides = (json.loads(side or "null") for side in (before, after))
        filled = (
            json.dumps(dict(UNSAID) | side) if isinstance(side, dict) else None
            for side in sides
        )
        # super() would look for the class that this was before it had slots.
        return cast("Self", Mark.read.__func__(cls, kind, *filled))  # type: ignore[attr-defined]

    @classmethod
    def of_fields(cls, fields: JSON, before: bool, after: bool) -> Self:
        return cls(Ideal(**fields), before, after)


def graded_otherwise(bank: Bank, query_id: str, ideal: Ideal) -> Ideal | None:
    """Find the same annotator's mark of the same place under another grade."""
    for other in bank.ideals_of(query_id):
        if other != ideal and replace(other, grade=ideal.grade) == ideal:
            return other
    return None


KINDS = (EventKind("ideal", "marked ideal answers", Marked, moves="ideals"),)
