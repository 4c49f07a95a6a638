"""MarkIdeal: a passage, or words in one, that is an ideal answer of its query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import ClassVar, Self

from curator.bank.edits.changes import JSON, Change, EventKind, Mark, is_count
from curator.bank.marks import Ideal
from curator.bank.questions import Bank
from curator.errors import NothingToChangeError


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
        return Change("ideal", self.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Marked(Mark):
    """An ideal answer of a query, marked or not, before and after."""

    ideal: Ideal
    before: bool
    after: bool

    stored: ClassVar = {
        "passage_id": lambda v: isinstance(v, str),
        "start": is_count,
        "end": lambda v: v is None or is_count(v),
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
        return f"{'marked' if self.after else 'no longer marked'} as an ideal answer"

    def summary(self, titles: Mapping[str, str]) -> str:
        ideal = self.ideal
        until = "" if ideal.end is None else f" {ideal.start}-{ideal.end}"
        return f"{'' if self.after else 'not '}ideal: {ideal.passage_id}{until}"

    def fields(self) -> JSON:
        return asdict(self.ideal)

    @classmethod
    def of_fields(cls, fields: JSON, before: bool, after: bool) -> Self:
        return cls(Ideal(**fields), before, after)


KINDS = (EventKind("ideal", "marked ideal answers", Marked, moves="ideals"),)
