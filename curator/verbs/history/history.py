"""``history``: what people changed, and the bank as it was."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice

from curator.bank.edits.changes import LARGEST, Moves
from curator.bank.edits.kinds import KINDS, base_kind, moves
from curator.bank.questions import Bank
from curator.engine.state import State
from curator.errors import SettingError, UnknownNameError
from curator.evaluation.measures import measure_type
from curator.evaluation.settings import Settings
from curator.results import Result, Rows
from curator.store import edits as store_edits
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.history import DoneMark, Event, Trace, read_done_marks
from curator.store.question_history import (
    Retirement,
    Rewording,
    read_retirements,
    read_rewordings,
)

__all__ = [
    "Baselines",
    "DoneMark",
    "Event",
    "Retirement",
    "Rewording",
    "bank_at",
    "done_marks",
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
    by: str | None = None,
    kind: str | None = None,
    since: date | str | None = None,
    before: date | str | None = None,
    settings: Settings | None = None,
) -> Rows[Event]:
    """What people changed, by whom and when; the latest first, imports left out.

    Of the events later than ``after``, up to ``until``; at most ``limit``, of those
    that may be shown. Only what this judge did, of this ``kind`` (its undo and redo
    too), and from ``since`` on to right ``before``: a day, which begins at midnight
    UTC, or a time, also as ISO 8601. With ``settings`` only what can move their board:
    a vote only one that rests on votes. Raises UnknownNameError for an unknown query.
    """
    state.query_ids(query_id)  # refuses an unknown query
    if limit is not None and limit < 0:
        raise SettingError(f"The limit is {limit:,} events: expected 0 or more.")
    limit = None if limit is None else min(limit, LARGEST)
    choice = Choice(by, kind, query_id, instant(since), instant(before))
    latest = store_history.last_event(state.with_texts.connection)
    until = latest if until is None else max(0, min(until, latest))
    after = max(0, min(after, latest))
    still: set[str] = set()  # the kinds of events that move nothing
    if settings is not None:
        moving = moving_of(state, settings)
        still = {name for name, kind in KINDS.items() if kind.moves not in moving}
    pages = (
        _every_page(state, query_id, after, until, limit, still)
        if choice == Choice(query_id=query_id)
        else _chosen_pages(state, choice, after, until, limit, still)
    )
    found = (one for page in pages for one in state.viewer.events(page))
    if settings is not None:
        found = (one for one in found if moves(one.change) in moving)
    return Rows(islice(found, limit), "history.history_table")


def _every_page(
    state: State,
    query_id: str | None,
    after: int,
    until: int,
    size: int | None,
    still: Collection[str],
) -> Iterator[Sequence[Event]]:
    """The events, the latest first, in pages of at first ``size``; hidden ones too."""
    while page := store_history.read_events(
        state.connection,
        query_id=query_id,
        after=after,
        until=until,
        limit=size,
        imports=False,
        besides=still,
    ):
        yield page
        until, size = page[-1].event_id - 1, size and 2 * size


def _chosen_pages(
    state: State,
    choice: Choice,
    after: int,
    until: int,
    size: int | None,
    still: Collection[str],
) -> Iterator[Sequence[Event]]:
    """Those of them that are chosen."""
    found = traces(state, choice)
    ids = (
        one.event_id
        for one in found
        if after < one.event_id <= until and base_kind(one.kind) not in still
    )
    while some := list(islice(ids, size)):
        yield store_history.events_of(state.connection, some)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which events are meant: whose, of which kind and query, and from when to when.

    None is any.
    """

    by: str | None = None
    kind: str | None = None
    query_id: str | None = None
    since: datetime | None = None
    before: datetime | None = None

    def has(self, one: Trace) -> bool:
        """Whether the event of this trace is among them."""
        return (
            self.by in (None, one.by)
            and self.query_id in (None, one.query_id)
            and self.kind in (None, one.kind, base_kind(one.kind))
            and (self.since is None or one.when >= self.since)
            and (self.before is None or one.when < self.before)
        )


EVERYTHING = Choice()


def traces(state: State, choice: Choice = EVERYTHING) -> Rows[Trace]:
    """The traces of the events that may be shown, the latest first."""

    def seen() -> Rows[Trace]:
        every = store_history.read_traces(state.connection)[::-1]
        viewer = state.viewer
        open_still = [o.event_id for o in every if not viewer.surely_shows(o)]
        looked = store_history.events_of(state.connection, open_still)
        hidden = {one.event_id for one in looked if not viewer.event(one)}
        return Rows(one for one in every if one.event_id not in hidden)

    found = state.cached(("traces", state.viewer.judge), seen)
    return found if choice == EVERYTHING else Rows(filter(choice.has, found))


def events(state: State, event_ids: Iterable[int]) -> Rows[Event]:
    """These events as far as they may be shown, the latest first."""
    found = store_history.events_of(state.connection, event_ids)
    return Rows(state.viewer.events(found), "history.history_table")


def instant(when: date | str | None) -> datetime | None:
    """A time, or a day's first, in UTC where it names no zone. Raises SettingError."""
    if when is None:
        return None
    try:
        found = datetime.fromisoformat(str(when))
    except ValueError:
        raise SettingError(
            f"'{when}' is no day and no time: expected such as 2026-03-14, or "
            "2026-03-14T10:30."
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


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


def done_marks(state: State) -> dict[str, tuple[DoneMark, ...]]:
    """Who has marked a query done, when, and who has changed it since; by query id.

    What is proposed, dropped, voted or noted changes nothing that counts.
    """
    return state.cached(("done marks",), lambda: read_done_marks(state.connection))


def baselines(
    state: State, query_id: str | None = None, *, settings: Settings | None = None
) -> Baselines:
    """Events to compare with: before my last batch, and as imported.

    With ``settings`` my last batch is one that can move their board; what people say
    of answers and passages is never an edit.
    """
    connection = state.connection
    imported, latest, saved_at = store_history.latest_of(state.with_texts.connection)
    last = store_edits.last_batch(
        connection,
        by=state.viewer.judge,
        query_id=query_id,
        moving=moving_of(state, settings) - {"answers"},
    )
    if last is not None and not events(state, last[1:]):
        last = None  # proposals of mine that I am not to see now
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
    read = state.with_texts
    past = store_history.bank_at(read.connection, read.bank, event)
    past = state.without_words(past)
    return state.viewer.shown_past(past, state.bank)


def refuse_hidden(state: State, event: int) -> None:
    """Raise UnknownNameError for an event that may not be shown."""
    found = store_history.events_of(state.connection, [event])
    if not all(map(state.viewer.event, found)):
        raise UnknownNameError(f"No event {event} that you can see.")
