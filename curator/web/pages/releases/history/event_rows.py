"""Events as rows: who, when, what changed from what to what."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, tzinfo
from typing import TypeVar
from urllib.parse import urlencode

from curator.bank.edits import Change, kinds
from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.store.history import Event, EventSummary
from curator.web.components import words

MODEL = "chat:"  # how a model signs what it proposes


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event. ``before`` is shown only where the text itself changed.

    ``places`` are what it is about and where that is, as a click sends it; the query
    first.
    """

    event_id: int
    when: str
    by: str
    what: str
    query: str
    before: str
    after: str
    reason: str
    undoable: bool
    places: tuple[tuple[str, str], ...] = ()

    @property
    def day(self) -> str:
        """``2026-03-14``."""
        return self.when.partition(" ")[0]

    @property
    def weekday(self) -> str:
        """``Saturday``."""
        return f"{date.fromisoformat(self.day):%A}"

    @property
    def clock(self) -> str:
        """``10:42``."""
        return self.when.partition(" ")[2]


def event_rows(
    events: Sequence[Event],
    collection: Collection,
    zone: tzinfo | None,
    *,
    every: Sequence[Event | EventSummary] | None = None,
    bank: Bank | None = None,
    judge: str | None = None,
    numbers: Callable[[str], Mapping[str, int]] = lambda query_id: {},
) -> tuple[EventRow, ...]:
    """The events in the order given; edits nobody has taken back can be undone.

    ``every`` are all events where ``events`` are only some of them; ``bank`` has the
    words of the questions voted on. A ``judge`` undoes no mark of another's.
    ``numbers`` gives a query's questions their numbers.
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
                what=kinds.describe(change, words.shortened),
                query=names.get(change.query_id, change.query_id),
                before=before,
                after=kinds.subject(change, bank or Bank()),
                reason=change.reason or "",
                undoable=event.batch_kind == "edit"
                and event.batch_id not in gone
                and (
                    change.mark is None
                    or not change.mark.personal
                    or judge in (None, event.by)
                ),
                places=places(change, bank or Bank(), names, numbers),
            )
        )
    return tuple(rows)


def places(
    change: Change,
    bank: Bank,
    names: Mapping[str, str],
    numbers: Callable[[str], Mapping[str, int]],
) -> tuple[tuple[str, str], ...]:
    """The query, the question while there is one, and the passage; each on its page."""
    query_id, mark = change.query_id, change.mark
    found: list[tuple[str, str, dict[str, str]]] = [
        (names.get(query_id, query_id), "Judge", {})
    ]
    question_id = change.subject_id
    if question_id and bank.find(query_id, question_id):
        number = numbers(query_id).get(question_id, "")
        found.append(
            (f"question {number}".rstrip(), "Judge", {"question": question_id})
        )
    passage_id = mark.fields().get("passage_id") if mark else None
    if passage_id is not None:
        found.append((f"passage {passage_id}", "Passages", {"passage": passage_id}))
    return tuple(
        (name, f"visit:{page}?{urlencode({'query': query_id} | given)}")
        for name, page, given in found
    )


EventLike = TypeVar("EventLike", Event, EventSummary)


def taken_back(events: Iterable[Event | EventSummary]) -> set[int]:
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


def current_events(events: Sequence[EventLike]) -> tuple[EventLike, ...]:
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
