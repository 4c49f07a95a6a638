"""Edits to a bank, each a value, and what applying them changes.

An edit says what a person wants; :func:`apply_edits` says what that does to a bank,
without touching anything. The store writes the same changes and remembers them, so a
preview and a save can never differ. A new kind of edit is a new class with a
``change`` method.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from curator.bank.marks import (
    CORRECTNESSES,
    IMPORTANCES,
    Correctness,
    Ideal,
    Importance,
    Judged,
    Mark,
    Marked,
    Voted,
    with_vote,
)
from curator.bank.questions import Bank, Kind, Question, new_question_id
from curator.bank.verdicts import standing_verdict
from curator.bank.wording import clean_reason, clean_text, shortened
from curator.errors import (
    AlreadyAskedError,
    EditError,
    NothingToChangeError,
    StaleEditError,
)

REASONS = ("too easy", "off topic", "duplicate", "unanswerable")
"""Why questions are mostly retired; a reason in other words is as good."""


@dataclass(frozen=True, slots=True)
class Change:
    """What one edit did: a question before and after, or a mark.

    ``before`` is None for a question that did not exist, ``after`` is None for one
    that exists no longer (only the inverse of an addition has that). Where both are
    None the change is the judge's done mark, and ``done`` says to what, or another
    ``mark`` of theirs, which says itself.
    """

    kind: str
    query_id: str
    before: Question | None = None
    after: Question | None = None
    reason: str | None = None
    done: bool | None = None
    mark: Mark | None = None

    @property
    def question_id(self) -> str | None:
        """The id of the question changed, None for a mark."""
        question = self.after or self.before
        return question.question_id if question else None


class Edit(Protocol):
    """What a person wants changed; a frozen value that says what it does to a bank."""

    def change(self, bank: Bank, judge: str) -> Change:
        """The change to this bank. Raises EditError where it cannot be made."""
        ...


@dataclass(frozen=True, slots=True)
class Add:
    """A new question in a query, kept at once because a person wrote it.

    One that a model has proposed in these very words, be it dropped since, is that
    question, kept: whoever writes it may not have been shown it.
    """

    query_id: str
    text: str
    kind: Kind = "question"
    subtopic_id: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        refuse_text_asked(bank, self.query_id, text)
        for proposal in bank.of_query(self.query_id):
            if self._says(proposal, text):
                kept = replace(proposal, state="kept", revision=proposal.revision + 1)
                return Change("add", self.query_id, before=proposal, after=kept)
        refuse_text_of_sibling(bank, self.query_id, text)
        question = Question(
            question_id=free_id(bank, self.query_id, self.subtopic_id, text),
            query_id=self.query_id,
            text=text,
            kind=self.kind,
            subtopic_id=self.subtopic_id,
        )
        return Change("add", self.query_id, after=question)

    def _says(self, other: Question, text: str) -> bool:
        """Whether a model has said this, and nobody has kept it."""
        waits = other.state == "proposed" or (
            other.state == "retired" and '"generation"' in other.provenance
        )
        return waits and other.kind == self.kind and other.text == text


@dataclass(frozen=True, slots=True)
class Propose:
    """A question that a model has written: it counts for nothing until it is kept.

    ``provenance`` is a JSON object that says where it comes from.
    """

    query_id: str
    text: str
    provenance: str
    kind: Kind = "question"
    subtopic_id: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        refuse_text_of_sibling(bank, self.query_id, text)
        question = Question(
            question_id=free_id(bank, self.query_id, self.subtopic_id, text),
            query_id=self.query_id,
            text=text,
            kind=self.kind,
            state="proposed",
            subtopic_id=self.subtopic_id,
            provenance=self.provenance,
        )
        return Change("propose", self.query_id, after=question)


@dataclass(frozen=True, slots=True)
class Keep:
    """A proposed question kept as it is; to keep it in other words, reword it."""

    question_id: str
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = bank.question(self.question_id)
        require_revision(question, self.based_on)
        if question.state != "proposed":
            raise NothingToChangeError(f"'{question.title}' is {question.state}.")
        refuse_text_asked(bank, question.query_id, question.text)
        after = replace(question, state="kept", revision=question.revision + 1)
        return Change("keep", question.query_id, before=question, after=after)


@dataclass(frozen=True, slots=True)
class Reword:
    """A question's text replaced; its id stays. A proposed one is thereby kept.

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
        after = replace(
            question,
            text=text,
            state="kept" if question.state == "proposed" else question.state,
            revision=question.revision + 1,
        )
        return Change("reword", question.query_id, before=question, after=after)


@dataclass(frozen=True, slots=True)
class Retire:
    """A question taken out of every measure, or a proposal dropped.

    Nothing is ever deleted. ``reason`` is one of REASONS or any other few words.
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
            "drop" if question.state == "proposed" else "retire",
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
        if question.state != "retired":
            raise NothingToChangeError(f"'{question.title}' is not retired.")
        refuse_text_asked(bank, question.query_id, question.text)
        after = replace(question, state="kept", revision=question.revision + 1)
        return Change("restore", question.query_id, before=question, after=after)


@dataclass(frozen=True, slots=True)
class SetBack:
    """A question kept in the words of an earlier bank, put in again if it has gone.

    Several make one bank of another, which has no text twice; so, unlike other edits,
    one alone does not ask whether another question has this text meanwhile. One that
    has gone comes back under the revision that ``question`` has here.
    """

    question: Question
    based_on: int | None = None
    reason: str | None = None

    @property
    def query_id(self) -> str:
        """The query whose question it is."""
        return self.question.query_id

    @property
    def question_id(self) -> str:
        """The id that it has, or comes back under."""
        return self.question.question_id

    def change(self, bank: Bank, judge: str) -> Change:
        reason = clean_reason(self.reason)
        for now in bank.of_query(self.query_id):
            if now.question_id == self.question_id:
                return self._from(now, reason)
        # Of the whole bank: query "a", subtopic "b" and query "a/b" make the same ids.
        if any(other.question_id == self.question_id for other in bank):
            raise EditError(
                f"'{self.question.title}' cannot come back: another query's question "
                f"has its id by now, {self.question_id}."
            )
        fresh = replace(self.question, state="kept", votes=())
        return Change("add", self.query_id, after=fresh, reason=reason)

    def _from(self, now: Question, reason: str | None) -> Change:
        require_revision(now, self.based_on, mine=self.question.text)
        kept = replace(now, state="kept", revision=now.revision + 1)
        after = replace(
            kept,
            text=self.question.text,
            kind=self.question.kind,
            subtopic_id=self.question.subtopic_id,
            choices=self.question.choices,
            answers=self.question.answers,
        )
        if after != kept:
            kind = "reword"
        elif now.state == "kept":
            raise NothingToChangeError(f"'{now.title}' is as it was.")
        else:
            kind = "keep" if now.state == "proposed" else "restore"
        return Change(kind, self.query_id, before=now, after=after, reason=reason)


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


@dataclass(frozen=True, slots=True)
class Vote:
    """How important the judge finds a kept question; None takes the vote back."""

    question_id: str
    vote: Importance | None

    def change(self, bank: Bank, judge: str) -> Change:
        if self.vote is not None and self.vote not in IMPORTANCES:
            raise EditError(f"A vote is {' or '.join(IMPORTANCES)}, not '{self.vote}'.")
        question = bank.question(self.question_id)
        if question.state != "kept":
            raise EditError(
                f"'{question.title}' is {question.state}; votes are on kept questions."
            )
        before = dict(question.votes).get(judge)
        if before == self.vote:
            said = f"has {judge}'s vote '{before}'" if before else "has no vote"
            raise NothingToChangeError(f"'{question.title}' {said} already.")
        mark = Voted(self.question_id, before, self.vote)
        return Change("vote", question.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """Whether the judge finds an answer to a question right; None takes that back.

    The answer is words, whoever gave them; blanks at its ends count for nothing.
    ``based_on`` is the revision of the question whose words were seen.
    """

    question_id: str
    answer: str
    value: Correctness | None
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        if self.value is not None and self.value not in CORRECTNESSES:
            raise EditError(
                f"A verdict is {' or '.join(CORRECTNESSES)}, not '{self.value}'."
            )
        question = bank.question(self.question_id)
        require_revision(question, self.based_on)
        if question.text is None:
            raise EditError(
                f"The text of question '{self.question_id}' is not in the file, so "
                "nobody can say what answers it."
            )
        if question.state == "proposed":
            raise EditError(
                f"'{question.title}' is proposed; keep it first, then say what is "
                "right or wrong."
            )
        answer = self.answer.strip()
        if not answer:
            raise EditError("A verdict is on an answer, and this one has no words.")
        standing = standing_verdict(bank, question, answer, judge)
        before = standing.value if standing else None
        if before == self.value:
            said = f"is '{before}' to {judge}" if before else "has no verdict"
            raise NothingToChangeError(f"'{shortened(answer)}' {said} already.")
        # Another question may have had these words when the verdict was given.
        question_id = standing.question_id if standing else self.question_id
        mark = Judged(question_id, question.text, answer, before, self.value)
        return Change("verdict", question.query_id, mark=mark)


@dataclass(frozen=True, slots=True)
class MarkIdeal:
    """A passage, or a span of it, marked as an ideal answer of a query, or unmarked."""

    query_id: str
    ideal: Ideal
    marked: bool = True

    def change(self, bank: Bank, judge: str) -> Change:
        before = self.ideal in bank.ideals_of(self.query_id)
        if before == self.marked:
            raise NothingToChangeError(
                f"Passage '{self.ideal.passage_id}' is {'' if before else 'not '}"
                f"marked so for query '{self.query_id}' already."
            )
        mark = Marked(self.ideal, before, self.marked)
        return Change("ideal", self.query_id, mark=mark)


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
        return replace(bank, done=done)
    if isinstance(change.mark, Marked):
        ideal, marked = change.mark.ideal, change.mark.after
        return bank.with_ideal(change.query_id, ideal, marked=marked)
    if isinstance(change.mark, Judged):
        return bank.with_verdict(change.query_id, change.mark, judge)
    if isinstance(change.mark, Voted):
        return with_mark(bank, change.query_id, change.mark, judge)
    if change.after is not None:
        return bank.with_question(with_votes_of(bank, change.after))
    assert change.before is not None  # a change without a mark names a question
    return bank.without_question(change.query_id, change.before.question_id)


def with_mark(bank: Bank, query_id: str, mark: Voted, judge: str) -> Bank:
    """The bank with this judge's vote; itself where the question is gone."""
    for question in bank.of_query(query_id):
        if question.question_id == mark.question_id:
            votes = with_vote(question.votes, judge, mark.after)
            return bank.with_question(replace(question, votes=votes))
    return bank


def with_votes_of(bank: Bank, question: Question) -> Question:
    """The question with the votes it has in the bank: no edit changes them."""
    for one in bank.of_query(question.query_id):
        if one.question_id == question.question_id:
            return replace(question, votes=one.votes)
    return question


def refuse_text_of_sibling(
    bank: Bank, query_id: str, text: str, *, besides: str | None = None
) -> None:
    """Refuse a text that another question of the query has already.

    Raises AlreadyAskedError where that question is kept, EditError where it is not.
    """
    refuse_text_asked(bank, query_id, text, besides=besides)
    for sibling in bank.of_query(query_id):
        if sibling.question_id == besides or sibling.text is None:
            continue
        if sibling.state != "kept" and sibling.text.strip() == text:
            way_out = "keep" if sibling.state == "proposed" else "restore"
            raise EditError(
                f"'{shortened(text)}' is already in query '{query_id}' and "
                f"{sibling.state}; {way_out} it instead: {sibling.question_id}"
            )


def refuse_text_asked(
    bank: Bank, query_id: str, text: str | None, *, besides: str | None = None
) -> None:
    """Raise AlreadyAskedError where a kept question of the query has this text.

    One that waits or is retired can come to have it too: by an undo of a rewording.
    """
    for sibling in bank.of_query(query_id):
        if (
            sibling.state == "kept"
            and sibling.question_id != besides
            and sibling.text is not None
            and sibling.text.strip() == text
        ):
            raise AlreadyAskedError(
                f"Query '{query_id}' already asks '{shortened(sibling.text)}'."
            )


def free_id(bank: Bank, query_id: str, subtopic_id: str | None, text: str) -> str:
    """The id of a new question of this text."""
    # Of the whole bank: query "a", subtopic "b" and query "a/b" make the same ids.
    taken = (question.question_id for question in bank)
    return new_question_id(query_id, subtopic_id, text, taken)


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
