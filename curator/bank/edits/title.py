"""SetTitle and AddSubtopic: titles of queries and their subtopics.

Ids stay as they are. A subtopic without a text has the title "".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from curator.bank.changes import Change, EventKind, Mark
from curator.bank.questions import Bank
from curator.bank.wording import clean_text, shortened
from curator.errors import EditError, NothingToChangeError, UnknownNameError


@dataclass(frozen=True, slots=True)
class SetTitle:
    """Change the title of a query or of a subtopic.

    Args:
        subtopic_id (ID): Change the text of this subtopic instead.
    """

    query_id: str
    title: str
    subtopic_id: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        title = clean_text(self.title, "title")
        before = bank.titles.get(self.query_id, {}).get(self.subtopic_id)
        if before is None:
            message = f"No query '{self.query_id}' in this workspace."
            if self.subtopic_id:
                message = (
                    f"No subtopic '{self.subtopic_id}' in query '{self.query_id}'."
                )
            raise UnknownNameError(message)
        if before == title:
            raise NothingToChangeError(f"'{shortened(title)}' is already the title.")
        mark = Titled(self.subtopic_id, before, title)
        return Change("title", self.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class AddSubtopic:
    """Add a subtopic of a query, after the others."""

    query_id: str
    subtopic_id: str
    title: str

    def change(self, bank: Bank, judge: str) -> Change:
        name = self.subtopic_id
        if not name or not name.isprintable() or " " in name:
            raise EditError(
                f"{name!r} cannot be the id of a subtopic: expected visible characters "
                "without blanks."
            )
        if name in bank.titles.get(self.query_id, {}):
            raise NothingToChangeError(
                f"Query '{self.query_id}' has a subtopic '{name}' already."
            )
        mark = Titled(name, None, clean_text(self.title, "title"))
        return Change("subtopic", self.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class Titled(Mark):
    """A title before and after; None if there is no such subtopic.

    Without a ``subtopic_id`` it is the query's.
    """

    subtopic_id: str | None
    before: str | None
    after: str | None

    noun, verb = "title", "titled"
    personal = False
    hides_with_question = False
    stored: ClassVar = ("subtopic_id", "title")

    def matches_bank(self, bank: Bank, query_id: str, judge: str) -> bool:
        return bank.titles.get(query_id, {}).get(self.subtopic_id) == self.before

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        titles = dict(bank.titles.get(query_id, {}))
        if self.after is None:
            titles.pop(self.subtopic_id, None)
        else:
            titles[self.subtopic_id] = self.after
        return replace(bank, titles={**bank.titles, query_id: titles})

    def subject(self, bank: Bank) -> str:
        return self.after or self.before or ""

    def described(self, shortened: Callable[[str], str] = str) -> str:
        subtopic = f"subtopic {self.subtopic_id}"
        if self.after is None:
            return f"removed {subtopic}"
        if self.before is None:
            return f"added {subtopic}"
        location = f" of {subtopic}" if self.subtopic_id else ""
        old_title = f" “{shortened(self.before)}”" if self.before else ""
        return f"corrected the title{location}{old_title}"

    def summary(self, titles: Mapping[str, str]) -> str:
        name = f"subtopic {self.subtopic_id}" if self.subtopic_id else "title"
        return f"{name}: {'none' if self.after is None else self.after}"


KINDS = (
    EventKind("title", "corrected a title", Titled, affects="nothing", edit=SetTitle),
    EventKind(
        "subtopic", "added a subtopic", Titled, affects="nothing", edit=AddSubtopic
    ),
)
