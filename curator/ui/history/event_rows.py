"""Events as rows: who, when, what changed from what to what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from curator.bank.edits import Change
from curator.bank.marks import Ideal, Judged, Mark, Marked, Voted
from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.errors import UnknownNameError
from curator.store.history import Event
from curator.ui.shared import words

WHAT = {
    "add": "added",
    "reword": "reworded",
    "retire": "retired",
    "restore": "restored",
    "keep": "kept",
    "propose": "proposed",
    "drop": "dropped",
    "keep reworded": "kept in other words",
    "restore reworded": "restored in other words",
    "done": "marked done",
    "reopen": "reopened",
}
MODEL = "chat:"  # how a model signs what it proposes


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event. ``before`` is shown only where the text itself changed."""

    event_id: int
    when: str
    by: str
    what: str
    query: str
    query_id: str
    before: str
    after: str
    reason: str
    undoable: bool


def event_rows(
    events: Sequence[Event],
    collection: Collection,
    zone: tzinfo | None,
    *,
    every: Sequence[Event] | None = None,
    bank: Bank | None = None,
) -> tuple[EventRow, ...]:
    """The events in the order given; edits nobody has taken back can be undone.

    ``every`` are all events where ``events`` are only some of them; ``bank`` has the
    words of the questions voted on.
    """
    names = {query.query_id: query.name for query in collection.queries}
    gone = taken_back(events if every is None else every)
    return tuple(
        EventRow(
            event_id=event.event_id,
            when=words.day_and_time(event.at, zone),
            by=who(event.by),
            what=said(event.change),
            query=names.get(event.change.query_id, event.change.query_id),
            query_id=event.change.query_id,
            before=_reworded_from(event.change),
            after=about(event.change, bank),
            reason=event.change.reason or "",
            undoable=event.batch_kind == "edit" and event.batch_id not in gone,
        )
        for event in events
    )


def counted(found: int, total: int) -> str:
    """``12 events``, ``12 of 318 events``."""
    said = words.count(total, "event")
    return said if found == total else f"{found:,} of {said}"


def who(by: str) -> str:
    """Whoever made an event, by name; a model by its own."""
    return by.removeprefix(MODEL)


def judges(events: Iterable[Event]) -> list[str]:
    """Everyone who made one of these events, by name."""
    return sorted({event.by for event in events})


def matching(
    events: Sequence[Event], query_id: str | None, judge: str | None
) -> tuple[Event, ...]:
    """The events of this query and this judge; None is any."""
    return tuple(
        event
        for event in events
        if judge in (None, event.by) and query_id in (None, event.change.query_id)
    )


def edits_from(events: Iterable[Event], event_id: int) -> tuple[Event, ...]:
    """This event and all later ones, without what moves nothing.

    That is done marks, and what models propose.
    """
    return tuple(
        event
        for event in events
        if event.event_id >= event_id
        and event.change.done is None
        and not event.change.kind.endswith("propose")
    )


def row_of(rows: Iterable[EventRow], event_id: int | None) -> EventRow | None:
    """The row of this event, None where it is not shown."""
    return next((row for row in rows if row.event_id == event_id), None)


def taken_back(events: Iterable[Event]) -> set[int]:
    """Batches an undo took back and no redo made again."""
    back: set[int] = set()
    undid: dict[int, int] = {}
    for event in sorted(events, key=lambda event: event.event_id):
        if event.inverse_of is None:
            continue
        if event.batch_kind == "undo":
            back.add(event.inverse_of)
            undid[event.batch_id] = event.inverse_of
        else:
            back.discard(undid.get(event.inverse_of, -1))
    return back


def standing(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events that still count: without edits taken back and what took them back."""
    gone = taken_back(events)
    listed = {event.batch_id for event in events}
    return tuple(
        event
        for event in events
        if event.batch_id not in gone
        and (event.inverse_of is None or event.inverse_of not in listed)
    )


def kind_of(change: Change) -> str:
    """The change's kind; one that keeps a question in other words has its own.

    Of a proposal, by rewording it, or of a retired one, by going back to a release.
    """
    before, after = change.before, change.after
    if change.kind != "reword" or before is None or after is None:
        return change.kind
    if before.state == "proposed":
        return "keep reworded"
    return "restore reworded" if before.state != after.state else change.kind


def what(kind: str) -> str:
    """``retired``, ``undone: retired``."""
    for prefix, said in (("undo ", "undone: "), ("redo ", "redone: ")):
        if kind.startswith(prefix):
            return said + what(kind.removeprefix(prefix))
    return WHAT.get(kind, kind)


def said(change: Change) -> str:
    """``retired``, ``undone: voted vital``; of a mark also what it says."""
    mark = change.mark
    if mark is None:
        return what(kind_of(change))
    # An undo's mark is the other way round.
    made = mark.inverted() if change.kind.startswith("undo ") else mark
    return what(change.kind[: -len(_base(change.kind))] + mark_words(made))


def mark_words(mark: Mark) -> str:
    """``voted vital``, ``changed vital to okay``, ``took back the vote vital``."""
    if isinstance(mark, Marked):
        done = "marked" if mark.after else "no longer marked"
        return f"{done} as an ideal answer"
    if isinstance(mark, Judged):
        return verdict_words(mark)
    if mark.after is None:
        return f"took back the vote {mark.before}"
    if mark.before is None:
        return f"voted {mark.after}"
    return f"changed the vote {mark.before} to {mark.after}"


def verdict_words(mark: Judged, length: int = 48) -> str:
    """``called right: “epidermis”``, ``took back the verdict wrong: “epidermis”``."""
    answer = f"“{words.shortened(mark.answer, length)}”"
    if mark.after is None:
        return f"took back the verdict {mark.before}: {answer}"
    if mark.before is None:
        return f"called {mark.after}: {answer}"
    return f"changed the verdict {mark.before} to {mark.after}: {answer}"


def quoted(change: Change, length: int = 48) -> str:
    """`` “How does the weather…”``; nothing for a mark on the query."""
    question = change.after or change.before
    if question is None:
        return ""
    return f" “{words.shortened(question.title, length)}”"


def _base(kind: str) -> str:
    return kind.rpartition(" ")[2]


def about(change: Change, bank: Bank | None) -> str:
    """The words of the question changed, voted on or answered, the passage marked."""
    question = change.after or change.before
    if isinstance(change.mark, Marked):
        return _place(change.mark.ideal)
    if isinstance(change.mark, Judged):
        return change.mark.question
    if isinstance(change.mark, Voted):
        question_id = change.mark.question_id
        try:
            question = bank.question(question_id) if bank else None
        except UnknownNameError:  # it was added, voted on, and its addition undone
            question = None
        return question.title if question else question_id
    return question.title if question else ""


def _place(ideal: Ideal) -> str:
    """``passage p1``, ``passage p1, characters 11–40``."""
    if (ideal.start, ideal.end) == (0, None):
        return f"passage {ideal.passage_id}"
    end = "the end" if ideal.end is None else f"{ideal.end}"
    return f"passage {ideal.passage_id}, characters {ideal.start + 1}–{end}"


def _reworded_from(change: Change) -> str:
    if change.before is None or change.after is None:
        return ""
    return change.before.title if change.before.text != change.after.text else ""
