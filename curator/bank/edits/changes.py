"""What an edit changes, and the bank after it."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Literal, Protocol, Self

from curator.bank.questions import Bank, Question

JSON = dict[str, Any]

LARGEST = 10**9  # of numbers that are counted with

Moves = Literal["board", "votes", "ideals", "answers", "nothing"]


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event in the history, as the module of its edit declares it.

    ``past`` says what was done ("retired"). ``mark`` is the class of the marks it
    holds, None where its events hold a question before and after. ``moves`` says which
    boards: every one, those that rest on votes, on ideal answers, or on what people
    say of answers and passages; or none.
    """

    name: str
    past: str
    mark: type[Mark] | None = None
    moves: Moves = "board"


class Mark:
    """What a judge says beside the questions, before and after; it changes none.

    A subclass is a frozen dataclass with ``before`` and ``after``; its other fields
    say on what the mark is.
    """

    __slots__ = ()

    before: Any
    after: Any
    stored: ClassVar[Mapping[str, Callable[[Any], bool]]]
    """What an event keeps of each side: the fields, in order, and what fits in them.
    The last one is the value, the others say on what the mark is."""
    noun: ClassVar[str] = "mark"
    verb: ClassVar[str] = "marked"
    take_back: ClassVar[str] = "take that back"
    personal: ClassVar[bool] = True
    """False for a mark of the bank that an organizer may take back for its judge."""
    own_first: ClassVar[bool] = False
    """Whether a judge sees those of others only where they have made one too."""
    bank_field: ClassVar[str] = ""
    """The field of a bank that holds these marks by query, "" for another place."""
    hides_with_question: ClassVar[bool] = True
    """False for marks in ``bank_field`` that are shown, or hidden, by another rule."""

    @property
    def moves(self) -> Moves | None:
        """Which boards it moves, where not every mark of its kind moves the same."""
        return None

    @property
    def about_id(self) -> str | None:
        """The id of the question that the mark is about, None where it is on none."""
        return getattr(self, "question_id", None)

    def inverted(self) -> Self:
        """The mark that puts back what was there."""
        return replace(self, before=self.after, after=self.before)  # type: ignore[type-var]

    def called(self, query_id: str) -> str:
        """The mark as a refusal names it."""
        return f"that {self.noun}"

    def stands(self, bank: Bank, query_id: str, judge: str) -> bool:
        """Whether the bank has what was ``before``."""
        raise NotImplementedError

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        """The bank with what is ``after``, whatever it holds now."""
        raise NotImplementedError

    def gone(self, bank: Bank, query_id: str) -> str:
        """What it cannot be without and is not there, as a refusal names it, or ""."""
        return ""

    def about(self, bank: Bank) -> str:
        """What the mark is on, in words."""
        return ""

    def described(self, shortened: Callable[[str], str] = str) -> str:
        """What the judge did: ``voted vital``."""
        if self.after is None:
            return f"took back the {self.noun} {self.before}"
        if self.before is None:
            return f"{self.verb} {self.after}"
        return f"changed the {self.noun} {self.before} to {self.after}"

    def summary(self, titles: Mapping[str, str]) -> str | None:
        """What stands after it, on a line; ``titles`` are those of questions by id."""
        return None

    def difference(self) -> JSON:
        """What it is on, before and after, as JSON for people."""
        on = {name: one for name, one in self.fields().items() if name != "question_id"}
        return {**on, "before": self.before, "after": self.after}

    def place(self, query_id: str) -> Hashable:
        """Where marks ``own_first`` are: others' show where one's own stands too."""
        raise NotImplementedError

    @classmethod
    def places(cls, bank: Bank, judge: str) -> frozenset[Any]:
        """The places on which the judge has such a mark."""
        raise NotImplementedError

    @classmethod
    def hidden(cls, bank: Bank, places: frozenset[Any]) -> Bank:
        """The bank without these marks elsewhere; itself where nothing is hidden."""
        raise NotImplementedError

    def fields(self) -> JSON:
        """On what the mark is, as an event keeps it."""
        return {name: getattr(self, name) for name in list(self.stored)[:-1]}

    @classmethod
    def of_fields(cls, fields: JSON, before: Any, after: Any) -> Self:
        """The mark with these fields; they have been looked at."""
        return cls(**fields, before=before, after=after)  # type: ignore[call-arg]

    def sides(self) -> tuple[str | None, str | None]:
        """What an event keeps of the mark, as JSON."""
        fields, value = self.fields(), list(self.stored)[-1]
        before, after = (
            json.dumps(fields | {value: one}, ensure_ascii=False, default=asdict)
            for one in (self.before, self.after)
        )
        return before, after

    @classmethod
    def read(cls, kind: str, before: str | None, after: str | None) -> Self:
        """The mark that an event of this kind keeps. Raises ValueError for none."""
        value = list(cls.stored)[-1]
        old, new = json.loads(before or "null"), json.loads(after or "null")
        if not (fits(old, cls.stored) and fits(new, cls.stored)):
            raise ValueError(f"no {cls.noun}")
        values = old.pop(value), new.pop(value)
        if old != new:
            raise ValueError(f"two marks in one {cls.noun}")
        return cls.of_fields(new, *values)


def is_count(value: Any) -> bool:
    """Whether a JSON value is a number that is counted with."""
    return type(value) is int and 0 <= value <= LARGEST


def fits(value: Any, shape: Mapping[str, Callable[[Any], bool]]) -> bool:
    """Whether a JSON value is an object with just these fields, and these fit."""
    return (
        isinstance(value, dict)
        and value.keys() == shape.keys()
        and all(is_one(value[name]) for name, is_one in shape.items())
    )


@dataclass(frozen=True, slots=True)
class Change:
    """What one edit did: a question before and after, or a mark beside the questions.

    ``before`` is None for a question that did not exist, ``after`` is None for one
    that exists no longer (only the inverse of an addition has that).
    """

    kind: str
    query_id: str
    before: Question | None = None
    after: Question | None = None
    reason: str | None = None
    mark: Mark | None = None

    @property
    def question(self) -> Question | None:
        """The question changed, as it is after; None for a mark."""
        return self.after or self.before

    @property
    def question_id(self) -> str | None:
        """The id of the question changed, None for a mark."""
        return self.question.question_id if self.question else None

    @property
    def about_id(self) -> str | None:
        """The id of the question changed or marked, None for a mark on none."""
        return self.mark.about_id if self.mark else self.question_id

    def inverted(self) -> Change:
        """The change that puts back exactly what was there, revision included."""
        return replace(
            self,
            before=self.after,
            after=self.before,
            mark=self.mark and self.mark.inverted(),
            reason=None,
        )


class Edit(Protocol):
    """What a person wants changed; a frozen value that says what it does to a bank."""

    def change(self, bank: Bank, judge: str) -> Change:
        """The change to this bank. Raises EditError where it cannot be made."""
        ...


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
    if change.mark is not None:
        return change.mark.applied(bank, change.query_id, judge)
    if change.after is not None:
        # No edit changes votes.
        there = bank.find(change.query_id, change.after.question_id)
        after = replace(change.after, votes=there.votes) if there else change.after
        return bank.with_question(after)
    assert change.before is not None  # a change without a mark names a question
    return bank.without_question(change.query_id, change.before.question_id)
