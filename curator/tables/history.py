"""The history as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.bank.edits import kinds
from curator.bank.wording import shortened
from curator.results import minute
from curator.tables.leaderboard import rank_cells
from curator.tables.table import Column, Table, columns, record

if TYPE_CHECKING:
    from curator.results import Rows
    from curator.store.history import Event
    from curator.verbs.history import PastBoard


def history_table(
    events: Sequence[Event], texts: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """A line per event; "shown" is what the judge could see, where that is kept.

    ``texts`` are the questions' by id, for events that hold the id alone: votes.
    """
    layout = [
        Column("event", "event_id"),
        Column("at (UTC)", lambda event: minute(event.at), "at"),
        *columns("by change.kind change.query_id"),
        Column("text", lambda event: kinds.summary(event.change, texts)),
        Column("reason", "change.reason"),
        Column("shown", lambda event: event.shown and shortened(event.shown, 40)),
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
    return Table(layout, events, value=value)


def board_history_table(past_boards: Rows[PastBoard]) -> Table:
    """Make a table of the boards over time, with a column of ranks for each system."""
    ranks = {past.event_id: rank_cells(past.board) for past in past_boards}
    systems = dict.fromkeys(system for cells in ranks.values() for system in cells)

    def rank_of(system: str) -> Callable[[PastBoard], int | str | None]:
        return lambda past: ranks[past.event_id].get(system)

    by_system = [Column(system, rank_of(system)) for system in systems]
    return Table([*columns("event_id label"), *by_system], past_boards)
