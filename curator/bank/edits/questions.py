"""Edits of a question: it is added, kept, reworded, keyed, retired or put back.

And what an edit is refused for: words that the query has, a revision that has passed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from curator.bank.answer_keys import Choices, clean_answers, clean_choices
from curator.bank.edits.changes import Change, EventKind
from curator.bank.questions import (
    Aggregator,
    Bank,
    Kind,
    Question,
    new_question_id,
)
from curator.bank.wording import (
    MAX_REASON,
    clean_reason,
    clean_text,
    comparable,
    shortened,
)
from curator.errors import (
    AlreadyAskedError,
    AnswerKeyError,
    EditError,
    NothingToChangeError,
    StaleEditError,
    UnknownNameError,
)

REASONS = ("too easy", "off topic", "duplicate", "unanswerable")
"""Why questions are mostly retired; a reason in one's own words is as good."""


@dataclass(frozen=True, slots=True)
class Add:
    """A new question in a query, kept at once because a person wrote it.

    One that a model has proposed in these very words, be it dropped since, is that
    question, kept: whoever writes it may not have been shown it. ``answers`` are its
    answer key; where there are ``choices``, (letter, text) pairs, a letter will do.
    """

    query_id: str
    text: str
    kind: Kind = "question"
    subtopic_id: str | None = None
    answers: tuple[str, ...] = ()
    choices: Choices = ()

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        refuse_text(bank.of_query(self.query_id), text, kept_only=True)
        for other in bank.of_query(self.query_id):
            by_model = other.by_model and other.state != "kept"
            if by_model and other.kind == self.kind and has_text(other, text):
                key = new_key(other, self.answers or None, self.choices or None)
                return changed("add", other, state="kept", **key)
        refuse_text(bank.of_query(self.query_id), text)
        question = new_question(bank, self, text)
        key = new_key(question, self.answers, self.choices)
        return Change("add", self.query_id, after=replace(question, **key))


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
        refuse_text(bank.of_query(self.query_id), text)
        question = new_question(bank, self, text)
        after = replace(question, state="proposed", provenance=self.provenance)
        return Change("propose", self.query_id, after=after)


@dataclass(frozen=True, slots=True)
class Keep:
    """A proposed question kept as it is; to keep it in other words, reword it."""

    question_id: str
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current(bank, self)
        if question.state != "proposed":
            raise NothingToChangeError(f"'{question.title}' is {question.state}.")
        siblings = bank.of_query(question.query_id)
        refuse_text(siblings, question.text, kept_only=True)
        return changed("keep", question, state="kept")


@dataclass(frozen=True, slots=True)
class Reword:
    """A question's text replaced; its id stays. A proposed one is thereby kept.

    ``based_on`` is the revision the editor showed; a later one refuses the save.
    ``answers`` and ``choices`` are what they become with it, None for as they are: a
    key is of the words that it answers. ``reason`` is a few words of why.
    """

    question_id: str
    text: str
    based_on: int | None = None
    answers: tuple[str, ...] | None = None
    choices: Choices | None = None
    reason: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        question = current(bank, self, mine=text)
        if question.text is None:
            raise EditError(
                f"The text of question '{self.question_id}' is not in the file, so it "
                "cannot be reworded; retire it and add a new one."
            )
        if text == question.text:
            raise NothingToChangeError(f"'{shortened(text)}' is already its text.")
        siblings = bank.of_query(question.query_id)
        refuse_text(siblings, text, besides=self.question_id)
        state = "kept" if question.state == "proposed" else question.state
        key = new_key(question, self.answers, self.choices)
        reason = clean_reason(self.reason)
        return changed("reword", question, reason, text=text, state=state, **key)


@dataclass(frozen=True, slots=True)
class SetKey:
    """A question's answer key replaced, its choices, or both; empty takes them away.

    None leaves them as they are. A key given by a choice's letter becomes its text.
    ``aggregator`` says whether all answers of the key are needed. ``source`` is the
    file it was taken from, which is taken at its word.
    """

    question_id: str
    answers: tuple[str, ...] | None = None
    choices: Choices | None = None
    based_on: int | None = None
    source: str | None = None
    aggregator: Aggregator | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current(bank, self)
        if self.source is None:
            key = new_key(question, self.answers, self.choices)
        else:
            given = {"answers": self.answers, "choices": self.choices}
            key = {name: one for name, one in given.items() if one is not None}
        key |= aggregated(question, key.get("answers"), self.aggregator)
        several = len(key.get("answers", question.answers)) > 1
        if self.aggregator == "AND" and not several:
            raise AnswerKeyError(
                f"'{shortened(question.title)}' has no several answers that could all "
                "be needed; give it a key of two or more first."
            )
        if replace(question, **key) == question:
            raise NothingToChangeError(
                f"'{shortened(question.title)}' has this key and these choices already."
            )
        reason = self.source and clean_reason(f"as in {self.source}"[:MAX_REASON])
        return changed("key", question, reason, **key)


@dataclass(frozen=True, slots=True)
class Move:
    """A question put into another subtopic of its query; None takes it out of any.

    Its id stays, though it may name the subtopic that it was added to.
    """

    question_id: str
    subtopic_id: str | None
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current(bank, self)
        if self.subtopic_id == question.subtopic_id:
            place = f"in subtopic '{self.subtopic_id}'"
            if self.subtopic_id is None:
                place = "in no subtopic"
            raise NothingToChangeError(
                f"'{shortened(question.title)}' is {place} already."
            )
        subtopics = [*filter(None, bank.titles.get(question.query_id, {}))]
        if self.subtopic_id is not None and self.subtopic_id not in subtopics:
            raise UnknownNameError(
                f"Query '{question.query_id}' has no subtopic '{self.subtopic_id}'. It "
                f"has: {', '.join(subtopics) or 'none'}."
            )
        return changed("move", question, subtopic_id=self.subtopic_id)


@dataclass(frozen=True, slots=True)
class Retire:
    """A question taken out of every measure, or a proposal dropped.

    Nothing is ever deleted. ``reason`` is one of REASONS or any other few words.
    """

    question_id: str
    reason: str | None = None
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current(bank, self)
        if question.state == "retired":
            raise NothingToChangeError(f"'{question.title}' is already retired.")
        kind = "drop" if question.state == "proposed" else "retire"
        reason = clean_reason(self.reason)
        return changed(kind, question, reason, state="retired")


@dataclass(frozen=True, slots=True)
class Restore:
    """A retired question kept again, though another subtopic asks the same.

    A bank that came in so is to be as it was.
    """

    question_id: str
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current(bank, self)
        if question.state != "retired":
            raise NothingToChangeError(f"'{question.title}' is not retired.")
        siblings = bank.of_query(question.query_id)
        alike = [one for one in siblings if one.subtopic_id == question.subtopic_id]
        refuse_text(alike, question.text, kept_only=True)
        return changed("restore", question, state="kept")


@dataclass(frozen=True, slots=True)
class SetBack:
    """A question kept in the words of an earlier bank, put in again if it has gone.

    Several make one bank of another, which has no text twice; so, unlike other edits,
    one alone does not ask whether another question has this text meanwhile.
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
        if now := bank.find(self.query_id, self.question_id):
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
        fields = ("text", "kind", "subtopic_id", "choices", "answers", "aggregator")
        words = {name: getattr(self.question, name) for name in fields}
        if replace(now, **words) != now:
            kind = "reword"
        elif now.state == "kept":
            raise NothingToChangeError(f"'{now.title}' is as it was.")
        else:
            kind = "keep" if now.state == "proposed" else "restore"
        return changed(kind, now, reason, state="kept", **words)


def current(
    bank: Bank,
    edit: Keep | Reword | SetKey | Move | Retire | Restore,
    *,
    mine: str | None = None,
) -> Question:
    """The question that an edit is of, at the revision it is based on."""
    question = bank.question(edit.question_id)
    require_revision(question, edit.based_on, mine=mine)
    return question


def changed(
    kind: str, question: Question, reason: str | None = None, /, **fields: Any
) -> Change:
    """The change of a question to what these fields say, a revision later."""
    after = replace(question, revision=question.revision + 1, **fields)
    return Change(kind, question.query_id, question, after, reason)


def new_key(
    question: Question, answers: tuple[str, ...] | None, choices: Choices | None
) -> dict[str, Any]:
    """The question's ``answers`` and ``choices`` as they become; None: as they are.

    Raises AnswerKeyError, also where the key that stays is none of new choices, and for
    choices of a question whose text is not in the file.
    """
    if choices is not None:
        choices = clean_choices(choices)
        if choices and question.text is None:
            raise AnswerKeyError(
                f"The text of question '{question.question_id}' is not in the file, so "
                "it cannot be given choices; its answer key can be set."
            )
    now = question.choices if choices is None else choices
    if answers is None and now == question.choices:
        return {}
    kept = clean_answers(question.answers if answers is None else answers, now)
    return {"answers": kept, "choices": now} | aggregated(question, kept)


def aggregated(
    question: Question,
    answers: tuple[str, ...] | None,
    aggregator: Aggregator | None = None,
) -> dict[str, Any]:
    """The question's ``aggregator`` as it becomes with these answers; a single is any.

    None: as they are.
    """
    several = len(question.answers if answers is None else answers) > 1
    becomes = (aggregator or question.aggregator) if several else "OR"
    return {} if becomes == question.aggregator else {"aggregator": becomes}


def new_question(bank: Bank, edit: Add | Propose, text: str) -> Question:
    """A question of this text, under an id that none has."""
    # Of the whole bank: query "a", subtopic "b" and query "a/b" make the same ids.
    taken = (question.question_id for question in bank)
    query_id, subtopic_id = edit.query_id, edit.subtopic_id
    question_id = new_question_id(query_id, subtopic_id, text, taken)
    return Question(question_id, query_id, text, edit.kind, subtopic_id=subtopic_id)


def refuse_text(
    siblings: Iterable[Question],
    text: str | None,
    *,
    besides: str | None = None,
    kept_only: bool = False,
) -> None:
    """Refuse a text that one of these questions of a query has already.

    Raises AlreadyAskedError where that question is kept, EditError where it is not,
    unless it is about those kept only. One that waits or is retired can come to have it
    too: by an undo of a rewording, or as it came in, for a published bank may ask the
    same under two subtopics.
    """
    alike = [
        sibling
        for sibling in siblings
        if text is not None
        and has_text(sibling, text)
        and sibling.question_id != besides
    ]
    for one in alike:
        if one.state == "kept":
            raise AlreadyAskedError(
                f"Query '{one.query_id}' already asks '{shortened(one.title)}'."
            )
    if alike and not kept_only:
        first = alike[0]
        way_out = "keep" if first.state == "proposed" else "restore"
        raise EditError(
            f"'{shortened(first.title)}' is already in query '{first.query_id}' and "
            f"{first.state}; {way_out} it instead: {first.question_id}"
        )


def has_text(question: Question, text: str) -> bool:
    """Return True if the texts are equal without invisible characters."""
    return question.text is not None and comparable(question.text) == comparable(text)


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


def words_to_judge(question: Question, based_on: int | None) -> str:
    """The words that a judge's mark on an answer is about.

    Raises EditError where nobody can say what answers them: they have changed, were
    never published, or are only proposed.
    """
    require_revision(question, based_on)
    if question.text is None:
        raise EditError(
            f"The text of question '{question.question_id}' is not in the file, so "
            "nobody can say what answers it."
        )
    if question.state == "proposed":
        raise EditError(
            f"'{question.title}' is proposed; keep it first, then say what answers it."
        )
    return question.text


KINDS = (
    EventKind("import", "imported"),
    EventKind("add", "added"),
    EventKind("propose", "proposed", moves="nothing"),
    EventKind("keep", "kept"),
    EventKind("reword", "reworded"),
    EventKind("key", "given another key"),
    EventKind("move", "moved"),
    EventKind("retire", "retired"),
    EventKind("drop", "dropped"),
    EventKind("restore", "restored"),
)
