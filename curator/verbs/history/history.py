"""``history``: what people changed, and the bank as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curator.bank.edits.changes import Moves
from curator.bank.edits.kinds import moves
from curator.bank.questions import Bank
from curator.engine.state import State
from curator.evaluation.measures import measure_type
from curator.evaluation.settings import Settings
from curator.results import Result, Rows
from curator.store import edits as store_edits
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.history import Event
from curator.store.question_history import (
    Retirement,
    Rewording,
    read_retirements,
    read_rewordings,
)

__all__ = [
    "Baselines",
    "Event",
    "Retirement",
    "Rewording",
    "bank_at",
    "history",
    "retirements",
    "rewordings",
]


@dataclass(frozen=True)
class Baselines(Result["Baselines"]):
    """Events to compare the bank with.

    ``last_edit`` is the event just before my latest batch that still stands and
    ``edited`` that batch's last, None without one; ``imported`` the latest event of an
    import; ``latest`` the last event.
    """

    last_edit: int | None
    imported: int
    latest: int
    saved_at: str | None
    edited: int | None = None


def history(
    state: State,
    *,
    query_id: str | None = None,
    after: int = 0,
    until: int | None = None,
    limit: int | None = None,
    settings: Settings | None = None,
) -> Rows[Event]:
    """What people changed, by whom and when; the latest first, imports left out.

    Of the events later than ``after``, up to ``until``. With ``settings`` only what can
    move their board: a vote only one that rests on votes.
    """
    events: Iterable[Event] = store_history.read_events(
        state.connection,
        query_id=query_id,
        after=after,
        until=until,
        limit=limit,
        imports=False,
    )
    if settings is not None:
        moving = moving_of(state, settings)
        events = (one for one in events if moves(one.change) in moving)
    return Rows(filter(state.viewer.event, events), "history.history_table")


def moving_of(state: State, settings: Settings | None) -> frozenset[Moves]:
    """Which kinds of change can move a board under these settings.

    Without settings, whatever moves some board under a grader of the file's.
    """
    if settings is None:
        return frozenset({"board", "votes", "ideals"})
    measure = measure_type(settings.measure)
    found: set[Moves] = {"board"}
    if measure.needs == "votes":
        found.add("votes")
    if measure.rests_on == "texts":
        found.add("ideals")
    elif settings.grader and state.grader(settings.grader).derived:
        found.add("answers")
    return frozenset(found)


def retirements(state: State, query_id: str) -> dict[str, Retirement]:
    """Who retired the query's retired questions, when and why; by question id."""
    hidden = state.viewer.hidden.get(query_id, ())
    found = read_retirements(state.connection, query_id)
    return {one: what for one, what in found.items() if one not in hidden}


def rewordings(state: State, query_id: str) -> dict[str, Rewording]:
    """Who gave questions of the query the words they have, when and why; by id.

    Those that nothing else has happened to since.
    """
    hidden = state.viewer.hidden.get(query_id, ())
    found = read_rewordings(state.connection, query_id)
    return {one: what for one, what in found.items() if one not in hidden}


def baselines(
    state: State, query_id: str | None = None, settings: Settings | None = None
) -> Baselines:
    """Events to compare with: before my last batch, and as imported.

    With ``settings`` my last batch is one that can move their board; what people say
    of answers and passages is never an edit.
    """
    connection = state.connection
    imported, latest, saved_at = store_history.latest_of(connection)
    last = store_edits.last_batch(
        connection,
        by=state.viewer.judge,
        query_id=query_id,
        moving=moving_of(state, settings) - {"answers"},
    )
    before, edited = (None, None) if last is None else (last[0] - 1, last[1])
    return Baselines(before, imported, latest, saved_at, edited)


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
