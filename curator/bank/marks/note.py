"""WriteNote: a judge's note on a question, in any state, and a flag.

Everybody who sees the question sees its notes: a note asks or warns, without judging.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import ClassVar

from curator.bank.changes import (
    JSON,
    Change,
    EventKind,
    Mark,
)
from curator.bank.marks import Note
from curator.bank.questions import Bank
from curator.bank.wording import clean_note


@dataclass(frozen=True, slots=True)
class WriteNote:
    """Write a note on a question, instead of the last one.

    Without text and flag the note is removed.

    Args:
        text ([TEXT]): Text of the note.
        flagged (--flag): Flag the question.
    """

    question_id: str
    text: str = ""
    flagged: bool = False

    def change(self, bank: Bank, judge: str) -> Change:
        question = bank.question(self.question_id)
        after = NoteContent(clean_note(self.text), self.flagged)
        is_empty = after == NoteContent("", False)
        mark = Noted(self.question_id, None, None if is_empty else after)
        return mark.to_change("note", bank, question.query_id, judge)


@dataclass(frozen=True, slots=True)
class NoteContent:
    """The content of a note, without question and judge."""

    text: str
    flagged: bool

    def __str__(self) -> str:
        return " · ".join(filter(None, ["flagged" if self.flagged else "", self.text]))


@dataclass(frozen=True, slots=True)
class Noted(Mark):
    """A judge's note on a question, before and after; None is no note."""

    question_id: str
    before: NoteContent | None
    after: NoteContent | None

    noun, verb = "note", "noted"
    kind = "note"
    current = Note
    content = NoteContent
    stored: ClassVar = ("question_id", "note")

    def described(self, shortened: Callable[[str], str] = str) -> str:
        if self.after is None:
            return "removed a note"
        verb = "flagged" if self.after.flagged else "noted"
        quotation = f": “{shortened(self.after.text)}”" if self.after.text else ""
        return f"{verb}{quotation}"

    def difference(self) -> JSON:
        before, after = (
            content and asdict(content) for content in (self.before, self.after)
        )
        return {"before": before, "after": after}


KINDS = (EventKind("note", "noted", Noted, affects="nothing", edit=WriteNote),)
