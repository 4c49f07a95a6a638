"""Edits to a bank, each a value, and what applying them changes.

An edit says what a person wants; :func:`apply_edits` says what that does to a bank,
without touching anything. The store writes the same changes and remembers them, so a
preview and a save can never differ. A new kind of edit is a new class with a
``change`` method.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from curator.bank.questions import Bank, Kind, Question, new_question_id
from curator.errors import (
    AlreadyAskedError,
    EditError,
    NothingToChangeError,
    StaleEditError,
)

MAX_TEXT = 2000  # characters; more is a passage pasted by mistake
MAX_REASON = 200  # characters

REASONS = ("too easy", "off topic", "duplicate", "unanswerable")
"""Why questions are mostly retired; a reason in other words is as good."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one edit did: a question before and after, or a mark on a query.

    ``before`` is None for a question that did not exist, ``after`` is None for one
    that exists no longer (only the inverse of an addition has that). Where both are
    None the change is the judge's done mark, and ``done`` says to what.
    """

    kind: str
    query_id: str
    before: Question | None = None
    after: Question | None = None
    reason: str | None = None
    done: bool | None = None

    @property
    def question_id(self) -> str | None:
        """The id of the question changed, None for a mark on the query."""
        question = self.after or self.before
        return question.question_id if question else None


class Edit(Protocol):
    """What a person wants changed; a frozen value that says what it does to a bank."""

    def change(self, bank: Bank, judge: str) -> Change:
        """The change to this bank. Raises EditError where it cannot be made."""
        ...


@dataclass(frozen=True, slots=True)
class Add:
    """A new question in a query, kept at once because a person wrote it."""

    query_id: str
    text: str
    kind: Kind = "question"
    subtopic_id: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        refuse_text_of_sibling(bank, self.query_id, text)
        # Of the whole bank: query "a", subtopic "b" and query "a/b" make the same ids.
        taken = (q.question_id for q in bank)
        question_id = new_question_id(self.query_id, self.subtopic_id, text, taken)
        question = Question(
            question_id=question_id,
            query_id=self.query_id,
            text=text,
            kind=self.kind,
            subtopic_id=self.subtopic_id,
        )
        return Change("add", self.query_id, after=question)


@dataclass(frozen=True, slots=True)
class Reword:
    """A question's text replaced; its id stays.

    ``based_on`` is the revision the editor showed; a later one refuses the save.
    """

    question_id: str
    text: str
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        question = bank.question(self.question_id)
        require_revision(question, self.based_on, mine=text)
        if question.text is None:
            raise EditError(
                f"The text of question '{self.question_id}' is not in the file, so it "
                "cannot be reworded; retire it and add a new one."
            )
        if text == question.text:
            raise NothingToChangeError(f"'{shortened(text)}' is already its text.")
        refuse_text_of_sibling(bank, question.query_id, text, besides=self.question_id)
        after = replace(question, text=text, revision=question.revision + 1)
        return Change("reword", question.query_id, before=question, after=after)


@dataclass(frozen=True, slots=True)
class Retire:
    """A question taken out of every measure; nothing is ever deleted.

    ``reason`` is one of REASONS or any other few words.
    """

    question_id: str
    reason: str | None = None
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = bank.question(self.question_id)
        require_revision(question, self.based_on)
        if question.state == "retired":
            raise NothingToChangeError(f"'{question.title}' is already retired.")
        after = replace(question, state="retired", revision=question.revision + 1)
        return Change(
            "retire",
            question.query_id,
            before=question,
            after=after,
            reason=clean_reason(self.reason),
        )


@dataclass(frozen=True, slots=True)
class Restore:
    """A retired question kept again."""

    question_id: str
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = bank.question(self.question_id)
        require_revision(question, self.based_on)
        if question.state == "kept":
            raise NothingToChangeError(f"'{question.title}' is not retired.")
        after = replace(question, state="kept", revision=question.revision + 1)
        return Change("restore", question.query_id, before=question, after=after)


@dataclass(frozen=True, slots=True)
class Done:
    """The judge's mark that a query is finished, set or taken away."""

    query_id: str
    done: bool = True

    def change(self, bank: Bank, judge: str) -> Change:
        if ((self.query_id, judge) in bank.done) == self.done:
            state = "already" if self.done else "not"
            raise NothingToChangeError(
                f"Query '{self.query_id}' is {state} marked done by {judge}."
            )
        return Change("done" if self.done else "reopen", self.query_id, done=self.done)


def apply_edits(
    bank: Bank, edits: Iterable[Edit], *, judge: str
) -> tuple[Bank, tuple[Change, ...]]:
    """The bank after the edits, in order, and what each changed.

    All or nothing: the first edit that cannot be made raises its EditError.
    """
    changes = []
    for edit in edits:
        change = edit.change(bank, judge)
        bank = apply_change(bank, change, judge=judge)
        changes.append(change)
    return bank, tuple(changes)


def apply_change(bank: Bank, change: Change, *, judge: str) -> Bank:
    """The bank with one change carried out, whatever it holds now."""
    if change.done is not None:
        mark = {(change.query_id, judge)}
        done = bank.done | mark if change.done else bank.done - mark
        return Bank(bank.by_query, done)
    if change.after is not None:
        return bank.with_question(change.after)
    assert change.before is not None  # a change without a mark names a question
    return bank.without_question(change.query_id, change.before.question_id)


def refuse_text_of_sibling(
    bank: Bank, query_id: str, text: str, *, besides: str | None = None
) -> None:
    """Refuse a text that another question of the query has already.

    Raises AlreadyAskedError where that question is kept, EditError where it is not.
    """
    for sibling in bank.of_query(query_id):
        if sibling.question_id == besides or sibling.text is None:
            continue
        if sibling.text.strip() == text:
            if sibling.state == "kept":
                raise AlreadyAskedError(
                    f"Query '{query_id}' already asks '{shortened(text)}'."
                )
            raise EditError(
                f"'{shortened(text)}' is already in query '{query_id}' and "
                f"{sibling.state}; restore it instead: {sibling.question_id}"
            )


def clean_text(text: str) -> str:
    """The text as it is stored: stripped, one Unicode form, no control characters.

    Line breaks and tabs stay, other control characters become blanks. Raises
    EditError for a text that is empty, too long or not Unicode (a lone surrogate).
    """
    text = without_controls(text)
    if not text:
        raise EditError("A question needs a text.")
    if len(text) > MAX_TEXT:
        raise EditError(
            f"A question has at most {MAX_TEXT} characters; this one has {len(text)}."
        )
    return text


def clean_reason(reason: str | None) -> str | None:
    """The reason as it is stored, on one line; None where there are no words."""
    cleaned = " ".join(without_controls(reason or "").split())
    if len(cleaned) > MAX_REASON:
        raise EditError(
            f"A reason has at most {MAX_REASON} characters; this one has "
            f"{len(cleaned)}."
        )
    return cleaned or None


def without_controls(text: str) -> str:
    """The text stripped, in one Unicode form, control characters turned into blanks.

    Line breaks and tabs stay. Empty where nothing in it can be seen. Raises EditError
    for a text that is not Unicode (a lone surrogate).
    """
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = "".join(
        c if c in "\n\t" or unicodedata.category(c) != "Cc" else " " for c in text
    ).strip()
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise EditError("The text holds a character that is not Unicode.") from None
    # Zero-width characters and the like are no text, though strip() leaves them.
    return text if any(c.isprintable() for c in text) else ""


def require_revision(
    question: Question, based_on: int | None, *, mine: str | None = None
) -> None:
    """Refuse an edit made on an older revision than the bank now holds."""
    if based_on is not None and based_on != question.revision:
        raise StaleEditError(
            f"'{shortened(question.title)}' has changed since you opened it: it is at "
            f"revision {question.revision}, your edit began from {based_on}. "
            + (f"Yours: '{mine}'. " if mine is not None else "")
            + f"Now in the bank ({question.state}): '{question.title}'.",
            question_id=question.question_id,
            mine=mine,
            theirs=question.text,
            theirs_revision=question.revision,
        )


def shortened(text: str, length: int = 60) -> str:
    """The text on one line, cut at ``length`` characters with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"
