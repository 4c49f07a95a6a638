"""The history as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.bank.edits import kinds
from curator.bank.wording import shortened
from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.store.history import Event


def history_table(
    events: Sequence[Event], texts: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """A line per event; "shown" is what the judge could see, where that is kept.

    ``texts`` are the questions' by id, for events that hold the id alone: votes.
    """

    columns = [
        Column("event", "event_id"),
        Column("at (UTC)", lambda event: event.at[:16].replace("T", " "), "at"),
        *(Column("by"), Column("kind", "change.kind")),
        Column("query", "change.query_id"),
        Column("text", lambda event: kinds.summary(event.change, texts)),
        Column("reason", "change.reason"),
        Column("shown", lambda one: one.shown and shortened(one.shown, 40)),
    ]
    value = [
        {
            "event": event.event_id,
            "batch": event.batch_id,
            **record(event, "at", "by"),
            "kind": event.change.kind,
            "query_id": event.change.query_id,
            "question_id": event.change.subject_id,
            **kinds.difference(event.change),
            "reason": event.change.reason,
            **record(event, "shown", "seconds"),
        }
        for event in events
    ]
    return Table(columns, events, value=value)
