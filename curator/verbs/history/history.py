"""``history``: what people changed, and the bank as it was."""

from __future__ import annotations

from dataclasses import dataclass

from curator.bank.questions import Bank
from curator.engine.state import State
from curator.results import Result, Rows
from curator.store import edits as store_edits
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.history import Event
from curator.store.question_history import Retirement, read_retirements

__all__ = ["Baselines", "Event", "Retirement", "bank_at", "history", "retirements"]


@dataclass(frozen=True)
class Baselines(Result["Baselines"]):
    """Events to compare the bank with.

    ``last_edit`` is the event just before my latest batch that still stands, None
    without one; ``imported`` the latest event of an import; ``latest`` the last event.
    """

    last_edit: int | None
    imported: int
    latest: int
    saved_at: str | None


def history(
    state: State, *, query_id: str | None = None, limit: int | None = None
) -> Rows[Event]:
    """What people changed, by whom and when; the latest first, imports left out."""
    events = store_history.read_events(
        state.connection, query_id=query_id, limit=limit, imports=False
    )
    return Rows(filter(state.viewer.event, events), "history.history_table")


def retirements(state: State, query_id: str) -> dict[str, Retirement]:
    """Who retired the query's retired questions, when and why; by question id."""
    hidden = state.viewer.hidden.get(query_id, ())
    found = read_retirements(state.connection, query_id)
    return {one: what for one, what in found.items() if one not in hidden}


def baselines(state: State, query_id: str | None = None) -> Baselines:
    """Events to compare with: before my last batch, and as imported."""
    connection = state.connection
    imported, latest, saved_at = store_history.latest_of(connection)
    last = store_edits.before_last_batch(
        connection, by=state.viewer.judge, query_id=query_id
    )
    return Baselines(last, imported, latest, saved_at)


def event_of(state: State, named: int | str) -> int:
    """The event meant by its number, or by the release that it is the latest of.

    Whatever looks like a number is one. Raises UnknownNameError.
    """
    return store_releases.event_of(state.connection, named)


def bank_at(state: State, event: int) -> Bank:
    """The bank as it was right after this event, as it may be shown; 0 is before all.

    Queries without later events are shared.
    """
    past = store_history.bank_at(state.connection, state.bank, event)
    return state.viewer.shown_past(past, state.bank)
