"""Events as rows: who, when, what changed from what to what."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from curator.bank.edits import Change, kinds
from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.store.history import Event
from curator.ui.shared import words

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
            what=kinds.said(event.change, words.shortened),
            query=names.get(event.change.query_id, event.change.query_id),
            query_id=event.change.query_id,
            before=_reworded_from(event.change),
            after=kinds.about(event.change, bank or Bank()),
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
        if event.event_id >= event_id and kinds.moves(event.change) != "nothing"
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


def quoted(change: Change, length: int = 48) -> str:
    """`` “How does the weather…”``; nothing for a mark on the query."""
    if change.question is None:
        return ""
    return f" “{words.shortened(change.question.title, length)}”"


def _reworded_from(change: Change) -> str:
    if change.before is None or change.after is None:
        return ""
    return change.before.title if change.before.text != change.after.text else ""
