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
    rows = []
    for event in events:
        change, before = event.change, ""
        if change.before and change.after and change.before.text != change.after.text:
            before = change.before.title
        rows.append(
            EventRow(
                event_id=event.event_id,
                when=words.day_and_time(event.at, zone),
                by=event.by.removeprefix(MODEL),
                what=kinds.described(change, words.shortened),
                query=names.get(change.query_id, change.query_id),
                before=before,
                after=kinds.about(change, bank or Bank()),
                reason=change.reason or "",
                undoable=event.batch_kind == "edit" and event.batch_id not in gone,
            )
        )
    return tuple(rows)


def edits_from(events: Iterable[Event], event_id: int) -> tuple[Event, ...]:
    """This event and all later ones, without what moves nothing.

    That is done marks, and what models propose.
    """
    return tuple(
        event
        for event in events
        if event.event_id >= event_id and kinds.moves(event.change) != "nothing"
    )


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


def current_events(events: Sequence[Event]) -> tuple[Event, ...]:
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
