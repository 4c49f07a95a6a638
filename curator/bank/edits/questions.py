"""Edits of a question: add, keep, reword, set the key, move, retire, restore.

Also the checks that refuse an edit: a text that the query has, an old revision.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from curator.bank.answer_keys import Choices, clean_answers, clean_choices
from curator.bank.changes import Change, EventKind
from curator.bank.questions import (
    Aggregator,
    Bank,
    Kind,
    Question,
    new_question_id,
)
from curator.bank.revisions import require_revision
from curator.bank.wording import (
    MAX_REASON,
    clean_reason,
    clean_text,
    comparable,
    shortened,
)
from curator.edit_words import DROP, RESTORE, RETIRE, REWORD, STATES
from curator.errors import (
    AlreadyAskedError,
    AnswerKeyError,
    EditError,
    NothingToChangeError,
    UnknownNameError,
)

REASONS = ("too easy", "off topic", "duplicate", "unanswerable")
"""Usual reasons for retiring a question; any other text is valid, too."""


@dataclass(frozen=True, slots=True)
class Add:
    """Add a question to a query.

    It is kept at once because a person wrote it. If a model has proposed the same text,
    its proposal is kept instead of a new question, even a dropped one: the author may
    not have seen it. ``answers`` are its answer key; with ``choices``, (letter, text)
    pairs, a letter is enough.

    Args:
        kind: Kind of item to add.
        subtopic_id (ID): Subtopic of the item.
    """

    query_id: str
    text: str
    kind: Kind = "question"
    subtopic_id: str | None = None
    answers: tuple[str, ...] = ()
    choices: Choices = ()

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        refuse_text(bank.questions_of(self.query_id), text, kept_only=True)
        for other in bank.questions_of(self.query_id):
            is_proposal = other.by_model and other.state != "kept"
            if is_proposal and other.kind == self.kind and has_text(other, text):
                key = new_key(other, self.answers or None, self.choices or None)
                return change_fields("add", other, state="kept", **key)
        refuse_text(bank.questions_of(self.query_id), text)
        question = new_question(bank, self, text)
        key = new_key(question, self.answers, self.choices)
        return Change("add", self.query_id, after=replace(question, **key))


@dataclass(frozen=True, slots=True)
class Propose:
    """Add a question written by a model; it does not count until it is kept.

    ``provenance`` is a JSON object with its origin.
    """

    query_id: str
    text: str
    provenance: str
    kind: Kind = "question"
    subtopic_id: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        refuse_text(bank.questions_of(self.query_id), text)
        question = new_question(bank, self, text)
        after = replace(question, state="proposed", provenance=self.provenance)
        return Change("propose", self.query_id, after=after)


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep a proposed question unchanged.

    To keep it in other words, reword it.
    """

    question_id: str
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current_question(bank, self)
        if question.state != "proposed":
            raise NothingToChangeError(
                f"'{question.title}' is {STATES[question.state]}."
            )
        siblings = bank.questions_of(question.query_id)
        refuse_text(siblings, question.text, kept_only=True)
        return change_fields("keep", question, state="kept")


@dataclass(frozen=True, slots=True)
class Reword:
    """Replace a question's text; its id stays. A proposed one is thereby kept.

    ``based_on`` is the revision the editor showed; the save is refused if there is a
    later one. ``answers`` and ``choices`` are the new ones, None leaves them unchanged.

    Args:
        reason (TEXT): Reason, kept in the history.
    """

    question_id: str
    text: str
    based_on: int | None = None
    answers: tuple[str, ...] | None = None
    choices: Choices | None = None
    reason: str | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        text = clean_text(self.text)
        question = current_question(bank, self, mine=text)
        if question.text is None:
            raise EditError(
                f"The text of question '{self.question_id}' is not in the file, so it "
                f"cannot be {REWORD.past}; {RETIRE.base} it and add a new one."
            )
        if text == question.text:
            raise NothingToChangeError(f"The text is already '{shortened(text)}'.")
        siblings = bank.questions_of(question.query_id)
        refuse_text(siblings, text, except_id=self.question_id)
        state = "kept" if question.state == "proposed" else question.state
        key = new_key(question, self.answers, self.choices)
        reason = clean_reason(self.reason)
        return change_fields("reword", question, reason, text=text, state=state, **key)


@dataclass(frozen=True, slots=True)
class SetKey:
    """Replace a question's answer key, its choices, or both.

    Empty ones remove them, None leaves them unchanged. A choice's letter in the key
    becomes its text. ``source`` is the file it was taken from, whose values are not
    checked.

    Args:
        aggregator: OR accepts any answer of the key, AND requires all.
    """

    question_id: str
    answers: tuple[str, ...] | None = None
    choices: Choices | None = None
    based_on: int | None = None
    source: str | None = None
    aggregator: Aggregator | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current_question(bank, self)
        if self.source is None:
            key = new_key(question, self.answers, self.choices)
        else:
            values = {"answers": self.answers, "choices": self.choices}
            key = {name: value for name, value in values.items() if value is not None}
        key |= aggregator_change(question, key.get("answers"), self.aggregator)
        has_several = len(key.get("answers", question.answers)) > 1
        if self.aggregator == "AND" and not has_several:
            raise AnswerKeyError(
                f"'{shortened(question.title)}' has fewer than two answers, so AND "
                "cannot apply; give it a key of two or more answers first."
            )
        if replace(question, **key) == question:
            raise NothingToChangeError(
                f"'{shortened(question.title)}' has this key and these choices already."
            )
        reason = self.source and clean_reason(f"as in {self.source}"[:MAX_REASON])
        return change_fields("key", question, reason, **key)


@dataclass(frozen=True, slots=True)
class Move:
    """Move a question to another subtopic of its query.

    None means no subtopic. Its id stays, even if it contains the old subtopic.
    """

    question_id: str
    subtopic_id: str | None
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current_question(bank, self)
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
        return change_fields("move", question, subtopic_id=self.subtopic_id)


@dataclass(frozen=True, slots=True)
class Retire:
    """Remove a question from every measure, or drop a proposal.

    Nothing is ever deleted.

    Args:
        reason (TEXT): Reason, kept in the history: any short text.
    """

    question_id: str
    reason: str | None = None
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current_question(bank, self)
        if question.state == "retired":
            raise NothingToChangeError(f"'{question.title}' is already {RETIRE.past}.")
        kind = "drop" if question.state == "proposed" else "retire"
        reason = clean_reason(self.reason)
        return change_fields(kind, question, reason, state="retired")


@dataclass(frozen=True, slots=True)
class Restore:
    """Keep a retired question again.

    Even if another subtopic asks the same, which allows restoring an imported bank with
    duplicates.
    """

    question_id: str
    based_on: int | None = None

    def change(self, bank: Bank, judge: str) -> Change:
        question = current_question(bank, self)
        if question.state != "retired":
            raise NothingToChangeError(f"'{question.title}' is not {RETIRE.past}.")
        siblings = bank.questions_of(question.query_id)
        same_subtopic = [
            sibling
            for sibling in siblings
            if sibling.subtopic_id == question.subtopic_id
        ]
        refuse_text(same_subtopic, question.text, kept_only=True)
        return change_fields("restore", question, state="kept")


@dataclass(frozen=True, slots=True)
class SetBack:
    """Restore a question as in an earlier bank, adding it again if necessary.

    Several of these turn one bank into another, which has no duplicate texts; so,
    unlike other edits, a single one does not check for duplicates.
    """

    question: Question
    based_on: int | None = None
    reason: str | None = None

    @property
    def query_id(self) -> str:
        return self.question.query_id

    @property
    def question_id(self) -> str:
        """The id that it has or gets."""
        return self.question.question_id

    def change(self, bank: Bank, judge: str) -> Change:
        reason = clean_reason(self.reason)
        if existing := bank.find(self.query_id, self.question_id):
            return self._change_from(existing, reason)
        # Query "a" with subtopic "b" and query "a/b" can make the same question id.
        if any(other.question_id == self.question_id for other in bank):
            raise EditError(
                f"'{self.question.title}' cannot be restored: a question of another "
                f"query now has its id, {self.question_id}."
            )
        restored = replace(self.question, state="kept", votes=())
        return Change("add", self.query_id, after=restored, reason=reason)

    def _change_from(self, existing: Question, reason: str | None) -> Change:
        require_revision(existing, self.based_on, mine=self.question.text)
        fields = ("text", "kind", "subtopic_id", "choices", "answers", "aggregator")
        values = {name: getattr(self.question, name) for name in fields}
        if replace(existing, **values) != existing:
            kind = "reword"
        elif existing.state == "kept":
            raise NothingToChangeError(f"'{existing.title}' is unchanged.")
        else:
            kind = "keep" if existing.state == "proposed" else "restore"
        return change_fields(kind, existing, reason, state="kept", **values)


def current_question(
    bank: Bank,
    edit: Keep | Reword | SetKey | Move | Retire | Restore,
    *,
    mine: str | None = None,
) -> Question:
    """Return the question of an edit, after a check of its revision."""
    question = bank.question(edit.question_id)
    require_revision(question, edit.based_on, mine=mine)
    return question


def change_fields(
    kind: str, question: Question, reason: str | None = None, /, **fields: Any
) -> Change:
    """Return the change of a question's fields, with the next revision."""
    after = replace(question, revision=question.revision + 1, **fields)
    return Change(kind, question.query_id, question, after, reason)


def new_key(
    question: Question, answers: tuple[str, ...] | None, choices: Choices | None
) -> dict[str, Any]:
    """Return the question's new ``answers`` and ``choices``; None keeps them.

    Raises AnswerKeyError for an invalid key or invalid choices, for an old key that is
    not among the new choices, and for choices of a question whose text is not in the
    file.
    """
    if choices is not None:
        choices = clean_choices(choices)
        if choices and question.text is None:
            raise AnswerKeyError(
                f"The text of question '{question.question_id}' is not in the file, so "
                "it cannot be given choices; its answer key can be set."
            )
    new_choices = question.choices if choices is None else choices
    if answers is None and new_choices == question.choices:
        return {}
    new_answers = clean_answers(
        question.answers if answers is None else answers, new_choices
    )
    return {"answers": new_answers, "choices": new_choices} | aggregator_change(
        question, new_answers
    )


def aggregator_change(
    question: Question,
    answers: tuple[str, ...] | None,
    aggregator: Aggregator | None = None,
) -> dict[str, Any]:
    """Return the new ``aggregator`` as a field to replace; empty if it is unchanged.

    It is OR for fewer than two answers. Without ``answers``, the question's count.
    """
    has_several = len(question.answers if answers is None else answers) > 1
    new_aggregator = (aggregator or question.aggregator) if has_several else "OR"
    return (
        {} if new_aggregator == question.aggregator else {"aggregator": new_aggregator}
    )


def new_question(bank: Bank, edit: Add | Propose, text: str) -> Question:
    """Return a new question with this text and an unused id."""
    # Query "a" with subtopic "b" and query "a/b" can make the same question id.
    taken = (question.question_id for question in bank)
    query_id, subtopic_id = edit.query_id, edit.subtopic_id
    question_id = new_question_id(query_id, subtopic_id, text, taken)
    return Question(question_id, query_id, text, edit.kind, subtopic_id=subtopic_id)


def refuse_text(
    siblings: Iterable[Question],
    text: str | None,
    *,
    except_id: str | None = None,
    kept_only: bool = False,
) -> None:
    """Raise an error if one of these questions of a query has this text.

    AlreadyAskedError for a kept question, EditError for others unless ``kept_only``. A
    proposed or retired one can have the same text: by an undo of a rewording, or by an
    import, since a published bank may ask the same for two subtopics.
    """
    same_text = [
        sibling
        for sibling in siblings
        if text is not None
        and has_text(sibling, text)
        and sibling.question_id != except_id
    ]
    for sibling in same_text:
        if sibling.state == "kept":
            raise AlreadyAskedError(
                f"Query '{sibling.query_id}' already asks '{shortened(sibling.title)}'."
            )
    if same_text and not kept_only:
        first = same_text[0]
        verb = "keep" if first.state == "proposed" else RESTORE.base
        raise EditError(
            f"'{shortened(first.title)}' is already in query '{first.query_id}' and "
            f"{STATES[first.state]}; {verb} it instead: {first.question_id}"
        )


def has_text(question: Question, text: str) -> bool:
    """Return True if the texts are equal without invisible characters."""
    return question.text is not None and comparable(question.text) == comparable(text)


KINDS = (
    EventKind("import", "imported"),
    EventKind("add", "added", edit=Add),
    EventKind("propose", "proposed", affects="nothing"),
    EventKind("keep", "kept", edit=Keep),
    EventKind("reword", REWORD.past, edit=Reword),
    EventKind("key", "given another key", edit=SetKey),
    EventKind("move", "moved", edit=Move),
    EventKind("retire", RETIRE.past, edit=Retire),
    EventKind("drop", DROP.past),
    EventKind("restore", RESTORE.past, edit=Restore),
)
