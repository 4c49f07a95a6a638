"""MarkIdeal: a passage, or a span of one, that is an ideal answer to its query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, Self

from curator.bank.changes import (
    JSON,
    Change,
    EventKind,
    Mark,
)
from curator.bank.marks import Ideal
from curator.bank.questions import Bank
from curator.errors import EditError, NothingToChangeError

HIGHEST_GRADE = 100


@dataclass(frozen=True, slots=True)
class MarkIdeal:
    """Mark or unmark a passage, or a span of it, as an ideal answer to a query."""

    query_id: str
    ideal: Ideal
    marked: bool = True

    def change(self, bank: Bank, judge: str) -> Change:
        mark = Marked(self.ideal, not self.marked, self.marked)
        if not mark.matches_bank(bank, self.query_id, judge):
            what = "is already" if self.marked else "is not"
            raise NothingToChangeError(
                f"{self.ideal.place} {what} marked for query '{self.query_id}'."
            )
        if self.ideal.judge not in ("", judge):
            raise EditError(f"{judge} cannot highlight for {self.ideal.judge}.")
        start, end = self.ideal.start, self.ideal.end
        if start < 0 or (end is not None and end <= start):
            raise EditError(
                f"Characters {start} to {end} are not in passage "
                f"'{self.ideal.passage_id}'."
            )
        grade = self.ideal.grade
        if grade is not None and not 1 <= grade <= HIGHEST_GRADE:
            raise EditError(f"The grade is {grade}; expected 1 to {HIGHEST_GRADE}.")
        other = mark_with_other_grade(bank, self.query_id, self.ideal)
        if self.marked and other is not None:
            raise EditError(
                f"{self.ideal.place} already has a mark with grade {other.grade}; "
                "remove that mark first."
            )
        return Change("ideal", self.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Marked(Mark):
    """An ideal answer to a query, marked or not, before and after."""

    ideal: Ideal
    before: bool
    after: bool

    noun = "ideal answer"
    kind = "ideal"
    current = Ideal
    defaults: ClassVar = {"judge": "", "grade": None}
    targets = ("passage_id", "start", "end")
    holds_text = False
    hides_with_question = False
    stored: ClassVar = ("passage_id", "start", "end", "judge", "grade", "ideal")

    def subject(self, bank: Bank) -> str:
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
        fields = asdict(self.ideal).items()
        return {
            name: value
            for name, value in fields
            if name not in self.defaults or value != self.defaults[name]
        }

    def target(self) -> JSON:
        return {name: getattr(self.ideal, name) for name in self.targets}

    def value_of(self, side: bool) -> JSON:
        return {"grade": self.ideal.grade}

    def owner(self, judge: str) -> str:
        return self.ideal.judge

    @classmethod
    def from_fields(cls, fields: JSON, before: bool, after: bool) -> Self:
        return cls(Ideal(**fields), before, after)


def mark_with_other_grade(bank: Bank, query_id: str, ideal: Ideal) -> Ideal | None:
    """Return the same annotator's mark of the same place with another grade."""
    for other in bank.ideals_of(query_id):
        if other != ideal and replace(other, grade=ideal.grade) == ideal:
            return other
    return None


KINDS = (EventKind("ideal", "marked ideal answers", Marked, affects="ideals"),)
