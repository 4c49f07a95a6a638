"""TagQuestion: a judge's tag on a question, with a note."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from curator.bank.changes import Change, EventKind, Mark
from curator.bank.questions import Bank
from curator.errors import EditError


@dataclass(frozen=True, slots=True)
class TagQuestion:
    """Tag a question in one word, with a note; "" removes the tag.

    Args:
        note: What the tag means here.
    """

    question_id: str
    tag: str
    note: str = ""

    def change(self, bank: Bank, judge: str) -> Change:
        question = bank.question(self.question_id)
        if " " in self.tag:
            raise EditError("A tag is one word.")
        tag = {"tag": self.tag, "note": self.note} if self.tag else None
        mark = Tagged(self.question_id, None, tag)
        return mark.to_change("tag", bank, question.query_id, judge)


@dataclass(frozen=True, slots=True)
class Tagged(Mark):
    """A tag before and after."""

    question_id: str
    before: Mapping[str, str] | None
    after: Mapping[str, str] | None

    kind = noun = "tag"
    stored: ClassVar = ("question_id", "tag")


KINDS = (EventKind("tag", "tagged", Tagged, affects="nothing", edit=TagQuestion),)
