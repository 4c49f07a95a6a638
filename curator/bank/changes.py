"""Changes made by edits, and the bank after them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, Self

from curator.bank.questions import Bank, Question
from curator.bank.wording import shortened
from curator.errors import NothingToChangeError

JSON = dict[str, Any]

MAX_NUMBER = 10**9  # of numbers that are counted with

AffectedBoards = Literal["board", "votes", "ideals", "answers", "nothing"]

Audience = Literal["everyone", "own first", "organizers", "nobody"]
"""Who sees a mark of another: everyone; a judge only after one of their own on the same
target, and organizers; organizers; nobody, organizers included.
"""


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event in the history, declared by the module of its edit.

    ``past`` is the verb in the past ("retired"). ``mark`` is the class of its marks,
    None if its events hold a question before and after. ``affects`` says which boards
    it changes: all, those that depend on votes, on ideal answers, or on answers about
    passages; or none. ``edit`` is the class that `curator edit` offers as a command of
    this name, with the fields that its docstring describes.
    """

    name: str
    past: str
    mark: type[Mark] | None = None
    affects: AffectedBoards = "board"
    edit: type[Edit] | None = None


@dataclass(frozen=True, slots=True)
class CurrentMark:
    """A current mark of a kind that declares no class for them."""

    target: JSON
    judge: str
    value: Any

    def sort_key(self) -> tuple[list[str], str]:
        return [str(part) for part in self.target.values()], self.judge


class Mark:
    """A mark of a judge, before and after; it changes no question.

    A kind is a subclass, a frozen dataclass with ``before`` and ``after``; its other
    fields identify what the mark is on. Store, digests, bundles, verification, repair,
    restriction, hiding, history, undo and exports follow from these declarations.
    """

    __slots__ = ()

    before: Any
    after: Any
    kind: ClassVar[str] = ""
    """The name of its kind in the table of current marks, "" for another place."""
    stored: ClassVar[tuple[str, ...]]
    """Fields of each side in an event, in order.

    The last one is the value, the others identify what the mark is on.
    """
    defaults: ClassVar[JSON] = {}
    """Values of fields that an event may omit."""
    targets: ClassVar[tuple[str, ...]] = ()
    """Fields that identify the target of a current mark; by default all in events."""
    current: ClassVar[type[Any] | None] = None
    """Class of current marks in a bank: its fields are targets, judge and value."""
    content: ClassVar[Callable[..., Any] | None] = None
    """Class of ``before`` and ``after`` if they have several fields."""
    reported_field: ClassVar[str] = ""
    """The field of ``content`` that the difference for people has; "" for all."""
    noun: ClassVar[str] = "mark"
    """Exports count several under the noun with an s."""
    verb: ClassVar[str] = "marked"
    personal: ClassVar[bool] = True
    """False for a mark of the bank that an organizer may undo for its judge."""
    no_undo: ClassVar[str] = ""
    """What to do in place of an undo, which does not apply; "" if it does."""
    audience: ClassVar[Audience] = "everyone"
    """Who sees the marks of others, where ``audience_of`` makes no exception."""
    hides_with_question: ClassVar[bool] = True
    """False for marks that another rule shows or hides than their question's."""
    holds_text: ClassVar[bool] = True
    """False if a mark contains no text that could be restricted."""
    is_shared: ClassVar[bool] = False
    """True if all judges share one mark on a target."""
    is_on_question: ClassVar[bool] = False
    """True if banks hold the marks in their questions."""

    @classmethod
    def audience_of(
        cls, target: JSON, owner: str, revealed: Collection[int]
    ) -> Audience:
        """Return who else sees a mark; ``revealed`` are norming rounds."""
        return cls.audience

    @classmethod
    def questions_of(cls, target: JSON) -> Collection[str] | None:
        """Return ids of the questions with which a mark is hidden, None for any."""
        if not cls.hides_with_question:
            return ()
        return None if "question_id" not in target else (target["question_id"],)

    @property
    def affects(self) -> AffectedBoards | None:
        """Boards it changes, if not all marks of its kind change the same."""
        return None

    @property
    def subject_id(self) -> str | None:
        """Id of the marked question, or None."""
        return getattr(self, "question_id", None)

    @property
    def passage_grade(self) -> int | None:
        """The grade of a passage, which must be on the workspace's scale, or None."""
        return None

    @property
    def saved_at(self) -> str | None:
        """The time of the mark if it is another than that of its event."""
        return None

    def to_change(self, kind: str, bank: Bank, query_id: str, judge: str) -> Change:
        """Return the change of the bank's mark to ``after``, as an event of this kind.

        Raises NothingToChangeError if the bank has it already.
        """
        before = self.current_value(bank, query_id, judge)
        if before == self.after:
            has = f"{'this' if before else 'no'} {self.noun} by {judge}"
            subject = shortened(self.subject(bank))
            raise NothingToChangeError(f"'{subject}' has {has} already.")
        return Change(kind, query_id, mark=replace(self, before=before))  # type: ignore[type-var]

    def current_value(self, bank: Bank, query_id: str, judge: str) -> Any:
        """Return the value of the mark in the bank that this one replaces, or None."""
        for mark in self._replaced(bank, query_id, judge):
            value = self.row(mark)[2]
            content = type(self).content
            return content(**value) if content else value
        return None

    @classmethod
    def opinions(cls, marks: Sequence[Any]) -> Iterable[tuple[Any, str, str]]:
        """List (target, judge, value) of these marks of a query, if they are opinions.

        See :mod:`curator.bank.opinions` for the targets.
        """
        return ()

    def inverted(self) -> Self:
        """Return the mark that undoes this one."""
        return replace(self, before=self.after, after=self.before)  # type: ignore[type-var]

    def matches_bank(self, bank: Bank, query_id: str, judge: str) -> bool:
        """Return True if the mark in the bank equals ``before``."""
        values = [self.row(mark)[2] for mark in self._replaced(bank, query_id, judge)]
        return values == ([self.value_of(self.before)] if self.before else [])

    def applied(self, bank: Bank, query_id: str, judge: str) -> Bank:
        """Return the bank with ``after`` as its mark."""
        replaced = self._replaced(bank, query_id, judge)
        marks = [
            mark for mark in bank.marks_of(self.kind, query_id) if mark not in replaced
        ]
        if self.after:
            row = self.target(), self.owner(judge), self.value_of(self.after)
            marks.append(self.from_row(*row))
        marks.sort(key=sort_key)
        return bank.with_marks(self.kind, {query_id: marks})

    def _replaced(self, bank: Bank, query_id: str, judge: str) -> list[Any]:
        """Return the marks of a query that this one replaces: at most one."""
        target, owner = self.target(), self.owner(judge)
        rows = [(mark, *self.row(mark)) for mark in bank.marks_of(self.kind, query_id)]
        return [
            mark
            for mark, mark_target, mark_owner, _ in rows
            if mark_target == target and (self.is_shared or mark_owner == owner)
        ]

    def missing_target(self, bank: Bank, query_id: str) -> str:
        """Return the name of something missing that the mark needs, or ""."""
        return ""

    def subject(self, bank: Bank) -> str:
        """Return the text or passage that the mark is on."""
        return bank.title_of(self.subject_id) if self.subject_id else ""

    def described(self, shortened: Callable[[str], str] = str) -> str:
        """Return a description of what the judge did: ``voted vital``."""
        if self.after is None:
            return f"removed the {self.noun} {self.before}"
        if self.before is None:
            return f"{self.verb} {self.after}"
        return f"changed the {self.noun} {self.before} to {self.after}"

    def summary(self, titles: Mapping[str, str]) -> str | None:
        """Return the new state in one line; ``titles`` are those of questions by id."""
        subject_id = self.subject_id
        state = str(self.after or f"no {self.noun}")
        return f"{state}: {titles.get(subject_id, subject_id)}" if subject_id else state

    def difference(self) -> JSON:
        """Return what the mark is on, before and after, as JSON for people."""
        place = {
            name: value
            for name, value in self.fields().items()
            if name != "question_id"
        }
        before, after = map(self.reported, (self.before, self.after))
        return {**place, "before": before, "after": after}

    @classmethod
    def reported(cls, side: Any) -> Any:
        """Return what the difference for people has of one side."""
        return (
            getattr(side, cls.reported_field) if side and cls.reported_field else side
        )

    @classmethod
    def places(cls, bank: Bank, judge: str) -> frozenset[Any]:
        """Return the places, query and target, where the judge has such a mark."""
        return frozenset(
            (query_id, *target.values())
            for query_id, marks in bank.marks.get(cls.kind, {}).items()
            for target, owner, _ in map(cls.row, marks)
            if owner == judge
        )

    @classmethod
    def count(cls, bank: Bank) -> int:
        return sum(map(len, bank.marks.get(cls.kind, {}).values()))

    @classmethod
    @cache
    def target_names(cls) -> tuple[str, ...]:
        return cls.targets or cls.stored[:-1]

    def target(self) -> JSON:
        """Return what the mark is on, as stored among the current marks."""
        return {name: getattr(self, name) for name in self.target_names()}

    def value_of(self, side: Any) -> Any:
        """Return one side's value, as stored among the current marks."""
        is_content = is_dataclass(side) and not isinstance(side, type)
        return asdict(side) if is_content else side

    def owner(self, judge: str) -> str:
        """Return whose mark it is: the judge's who made it."""
        return judge

    @classmethod
    def from_row(cls, target: JSON, judge: str, value: Any) -> Any:
        """Return the current mark, as banks hold it.

        Raises ValueError, TypeError or KeyError for invalid fields.
        """
        if target.keys() != {*cls.target_names()}:
            raise ValueError(f"no {cls.noun}")
        if cls.current is None:
            return CurrentMark(target, judge, value)
        values = value if isinstance(value, dict) else {cls.stored[-1]: value}
        return cls.current(**{"judge": judge, **target, **values})

    @classmethod
    def row(cls, mark: Any) -> tuple[JSON, str, Any]:
        """Return target, judge and value of a current mark, of which it can be made."""
        if cls.current is None:
            return mark.target, mark.judge, mark.value
        target = {name: getattr(mark, name) for name in cls.target_names()}
        names = cls._value_names()
        if cls.content is None and names == (cls.stored[-1],):
            return target, mark.judge, getattr(mark, names[0])
        return target, mark.judge, {name: getattr(mark, name) for name in names}

    @classmethod
    @cache
    def _value_names(cls) -> tuple[str, ...]:
        names = [field.name for field in fields(cls.current or CurrentMark)]
        others = () if cls.is_shared else (*cls.target_names(), "judge")
        return tuple(name for name in names if name not in others)

    def fields(self) -> JSON:
        """Return the identifying fields as stored in an event."""
        return {name: getattr(self, name) for name in self.stored[:-1]}

    @classmethod
    def from_fields(cls, fields: JSON, before: Any, after: Any) -> Self:
        """Return the mark with these fields."""
        if cls.content is not None:
            content = cls.content
            before, after = (side and content(**side) for side in (before, after))
        return cls(**fields, before=before, after=after)  # type: ignore[call-arg]

    def sides(self) -> tuple[str | None, str | None]:
        """Return both sides as JSON, as stored in an event."""
        fields, value = self.fields(), self.stored[-1]
        before, after = (
            json.dumps(fields | {value: side}, ensure_ascii=False, default=asdict)
            for side in (self.before, self.after)
        )
        return before, after

    @classmethod
    def read(cls, kind: str, before: str | None, after: str | None) -> Self:
        """Read the mark of an event of this kind. Raises ValueError if invalid."""
        old, new = (
            cls.defaults | json.loads(side) if side else {} for side in (before, after)
        )
        if not old.keys() == new.keys() == {*cls.stored}:
            raise ValueError(f"no {cls.noun}")
        values = old.pop(cls.stored[-1]), new.pop(cls.stored[-1])
        return cls.from_fields(new, *values)


def sort_key(mark: Any) -> Any:
    """Return the key by which banks sort marks of one kind."""
    return mark.sort_key() if hasattr(mark, "sort_key") else mark


def utc_now() -> str:
    """Return the time in UTC, ISO 8601 to the microsecond, so that it sorts."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


def is_time(value: Any) -> bool:
    """Return True for a time in ISO 8601."""
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return True


def is_count(value: Any) -> bool:
    """Return True for an integer from 0 to MAX_NUMBER."""
    return type(value) is int and 0 <= value <= MAX_NUMBER


@dataclass(frozen=True, slots=True)
class Change:
    """The change by one edit: a question or a mark, before and after.

    ``before`` is None for a new question, ``after`` for a removed one (only the inverse
    of an addition has that).
    """

    kind: str
    query_id: str
    before: Question | None = None
    after: Question | None = None
    reason: str | None = None
    mark: Mark | None = None

    @property
    def question(self) -> Question | None:
        """The changed question, as it is after; None for a mark."""
        return self.after or self.before

    @property
    def question_id(self) -> str | None:
        """The id of the changed question, None for a mark."""
        return self.question.question_id if self.question else None

    @property
    def subject_id(self) -> str | None:
        """The id of the changed or marked question, None for other marks."""
        return self.mark.subject_id if self.mark else self.question_id

    def inverted(self) -> Change:
        """Return the change that restores the previous state, revision included."""
        return replace(
            self,
            before=self.after,
            after=self.before,
            mark=self.mark and self.mark.inverted(),
            reason=None,
        )


class Edit(Protocol):
    """A wanted change; a frozen value that computes its effect on a bank."""

    def change(self, bank: Bank, judge: str) -> Change:
        """Return the change to this bank. Raises EditError if it is impossible."""
        ...


def apply_edits(
    bank: Bank, edits: Iterable[Edit], *, judge: str
) -> tuple[Bank, tuple[Change, ...]]:
    """Return the bank after the edits, in order, and the change of each.

    All or nothing: the first impossible edit raises its EditError.
    """
    changes = []
    for edit in edits:
        change = edit.change(bank, judge)
        bank = apply_change(bank, change, judge=judge)
        changes.append(change)
    return bank, tuple(changes)


def apply_change(bank: Bank, change: Change, *, judge: str) -> Bank:
    """Return the bank with one change applied, without any checks."""
    if change.mark is not None:
        return change.mark.applied(bank, change.query_id, judge)
    if change.after is not None:
        # No edit changes votes.
        existing = bank.find(change.query_id, change.after.question_id)
        after = (
            replace(change.after, votes=existing.votes) if existing else change.after
        )
        return bank.with_question(after)
    assert change.before is not None  # a change without a mark names a question
    return bank.without_question(change.query_id, change.before.question_id)
