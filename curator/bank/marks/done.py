"""Done: a judge's mark that a query is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from curator.bank.changes import JSON, Change, EventKind, Mark
from curator.bank.questions import Bank
from curator.errors import NothingToChangeError


@dataclass(frozen=True, slots=True)
class Done:
    """Mark a query as done; undo removes the mark."""

    query_id: str
    done: bool = True

    def change(self, bank: Bank, judge: str) -> Change:
        mark = Finished(not self.done, self.done)
        if not mark.matches_bank(bank, self.query_id, judge):
            state = "already" if self.done else "not"
            raise NothingToChangeError(
                f"Query '{self.query_id}' is {state} marked done by {judge}."
            )
        return Change("done" if self.done else "reopen", self.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Finished(Mark):
    """A judge's done mark on a query, before and after."""

    before: bool
    after: bool

    noun = "done mark"
    stored: ClassVar = ("done",)
    kind = "done"
    hides_with_question = False
    holds_text = False

    def described(self, shortened: Callable[[str], str] = str) -> str:
        return "marked done" if self.after else "reopened"

    def summary(self, titles: Mapping[str, str]) -> None:
        return None

    def difference(self) -> JSON:
        return {"before": None, "after": None}

    def sides(self) -> tuple[str | None, str | None]:
        return None, None  # the kind of the event is enough

    @classmethod
    def read(cls, kind: str, before: str | None, after: str | None) -> Self:
        if before is not None or after is not None:
            raise ValueError("no done mark")
        done = kind.endswith("done") != kind.startswith("undo ")
        return cls(not done, done)


KINDS = (
    EventKind("done", "marked done", Finished, affects="nothing", edit=Done),
    EventKind("reopen", "reopened", Finished, affects="nothing"),
)
