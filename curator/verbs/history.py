"""``history``: people's changes, past versions of the bank, and boards over time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import TypeVar

from curator.bank.changes import MAX_NUMBER, AffectedBoards
from curator.bank.edits.kinds import KINDS, affected_boards, base_kind
from curator.bank.questions import Bank
from curator.errors import SettingError, UnknownNameError
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import measure_type
from curator.evaluation.settings import Settings
from curator.results import Result, Rows
from curator.snapshot.scoring import board
from curator.snapshot.settings import BoardChoice, OptionValue, settings_from
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store import edits as store_edits
from curator.store import history as store_history
from curator.store import releases as store_releases
from curator.store.history import DoneMark, Event, EventSummary, read_done_marks
from curator.store.question_history import (
    LatestChange,
    read_retirements,
    read_rewordings,
)

MAX_EVENTS = 5  # boards of edits; releases have theirs beside them
MAX_RELEASES = 5


@dataclass(frozen=True)
class Baselines(Result["Baselines"]):
    """Events to compare the bank with.

    ``edited`` is the last event of the viewer's latest batch that was not undone,
    ``last_edit`` the event before that batch; None without one. ``imported`` is the
    latest event of an import, ``latest`` the last event of all.
    """

    last_edit: int | None
    imported: int
    latest: int
    saved_at: str | None
    edited: int | None = None


def history(
    snapshot: Snapshot,
    *,
    query_id: str | None = None,
    after: int = 0,
    until: int | None = None,
    limit: int | None = None,
    by: str | None = None,
    kind: str | None = None,
    since: str | date | None = None,
    before: str | date | None = None,
    settings: Settings | None = None,
) -> Rows[Event]:
    """List people's changes, latest first, without imports.

    Of the events later than ``after``, up to ``until``; at most ``limit`` of those that
    the viewer may see. With ``settings`` only changes that can move their board, such
    as votes where the measure uses votes. Raises UnknownNameError.

    Args:
        by (NAME): Only changes by this judge.
        kind (KIND): Only changes of this kind, with undo and redo: retire, vote, …
        since (WHEN): Only changes since this day or time in UTC: 2026-03-14,
            2026-03-14T10:30.
        before (WHEN): Only changes before this day or time.
    """
    snapshot.query_ids(query_id)  # refuses an unknown query
    if kind is not None and base_kind(kind) not in KINDS:
        raise UnknownNameError(f"No kind '{kind}'. Available: {', '.join(KINDS)}.")
    if limit is not None and limit < 0:
        raise SettingError(f"The limit is {limit:,} events: expected 0 or more.")
    limit = None if limit is None else min(limit, MAX_NUMBER)
    times = parse_time(since), parse_time(before)
    matches = EventFilter(by, kind, query_id, *times).matches
    latest = store_history.last_event(snapshot.full.connection)
    until = latest if until is None else max(0, min(until, latest))
    after = max(0, min(after, latest))
    skipped_kinds: set[str] = set()  # kinds of events that cannot move the board
    if settings is not None:
        moving = board_moves(snapshot, settings)
        skipped_kinds = {
            name for name, kind in KINDS.items() if kind.affects not in moving
        }
    visible = (
        event
        for page in _pages(snapshot, query_id, after, until, limit, skipped_kinds)
        for event in snapshot.viewer.visible_events(filter(matches, page))
        if settings is None or affected_boards(event.change) in moving
    )
    return Rows(islice(visible, limit), "curate.history_table")


def _pages(
    snapshot: Snapshot,
    query_id: str | None,
    after: int,
    until: int,
    size: int | None,
    skipped_kinds: Collection[str],
) -> Iterator[Sequence[Event]]:
    """Read the events, latest first, in pages of doubling ``size``; hidden ones too."""
    while page := store_history.read_events(
        snapshot.connection,
        query_id=query_id,
        after=after,
        until=until,
        limit=size,
        imports=False,
        excluded_kinds=skipped_kinds,
    ):
        yield page
        until, size = page[-1].event_id - 1, size and 2 * size


@dataclass(frozen=True, slots=True)
class EventFilter:
    """A filter of events by judge, kind, query and time; None is no restriction."""

    by: str | None = None
    kind: str | None = None
    query_id: str | None = None
    since: datetime | None = None
    before: datetime | None = None

    def matches(self, event: Event | EventSummary) -> bool:
        return (
            self.by in (None, event.by)
            and self.query_id in (None, event.query_id)
            and self.kind in (None, event.kind, base_kind(event.kind))
            and (self.since is None or event.when >= self.since)
            and (self.before is None or event.when < self.before)
        )


NO_FILTER = EventFilter()


def traces(snapshot: Snapshot, choice: EventFilter = NO_FILTER) -> Rows[EventSummary]:
    """List the traces of the events that the viewer may see, latest first."""

    def visible() -> Rows[EventSummary]:
        all_traces = store_history.read_event_summaries(snapshot.connection)[::-1]
        viewer = snapshot.viewer
        uncertain = [t.event_id for t in all_traces if not viewer.surely_shows_event(t)]
        read = store_history.read_events_by_number(snapshot.connection, uncertain)
        hidden = {event.event_id for event in read if not viewer.shows_event(event)}
        return Rows(trace for trace in all_traces if trace.event_id not in hidden)

    visible_traces = snapshot.cached(("traces", snapshot.viewer.judge), visible)
    if choice == NO_FILTER:
        return visible_traces
    return Rows(filter(choice.matches, visible_traces))


def events(snapshot: Snapshot, event_ids: Iterable[int]) -> Rows[Event]:
    """Read these events as far as the viewer may see them, latest first."""
    read = store_history.read_events_by_number(snapshot.connection, event_ids)
    return Rows(snapshot.viewer.visible_events(read), "curate.history_table")


EventLike = TypeVar("EventLike", Event, EventSummary)


def undone_batches(events: Iterable[Event | EventSummary]) -> set[int]:
    """Return the batches that an undo took back and no redo made again."""
    undone: set[int] = set()
    inverses: dict[int, int] = {}
    for event in sorted(events, key=lambda event: event.event_id):
        if event.inverse_of is None:
            continue
        if event.batch_kind == "undo":
            undone.add(event.inverse_of)
            inverses[event.batch_id] = event.inverse_of
        else:
            undone.discard(inverses.get(event.inverse_of, -1))
    return undone


def effective_events(events: Sequence[EventLike]) -> tuple[EventLike, ...]:
    """Return the events without undone ones and the events that undid them."""
    undone = undone_batches(events)
    listed = {event.batch_id for event in events}
    return tuple(
        event
        for event in events
        if event.batch_id not in undone
        and (event.inverse_of is None or event.inverse_of not in listed)
    )


def parse_time(when: date | str | None) -> datetime | None:
    """Parse a time or the start of a day, by default UTC. Raises SettingError."""
    if when is None:
        return None
    try:
        return store_history.parse_utc(str(when))
    except ValueError:
        raise SettingError(
            f"'{when}' is neither a day nor a time; expected for example 2026-03-14 or "
            "2026-03-14T10:30."
        ) from None


def board_moves(
    snapshot: Snapshot, settings: Settings | None
) -> frozenset[AffectedBoards]:
    """Return the kinds of change that can move a board under these settings.

    Without settings, those that can move any board.
    """
    if settings is None:
        return frozenset({"board", "votes", "ideals"})
    measure = measure_type(settings.measure)
    kinds: set[AffectedBoards] = {"board"}
    if measure.needs == "votes":
        kinds.add("votes")
    if measure.based_on == "texts":
        kinds.add("ideals")
    elif settings.grader and snapshot.grader(settings.grader).derived:
        kinds.add("answers")
    return frozenset(kinds)


def retirements(snapshot: Snapshot, query_id: str) -> dict[str, LatestChange]:
    """Retirements of the query's retired questions, by question id."""
    return _visible(snapshot, query_id, read_retirements(snapshot.connection, query_id))


def rewordings(snapshot: Snapshot, query_id: str) -> dict[str, LatestChange]:
    """Rewordings that are their question's latest event, by question id."""
    return _visible(snapshot, query_id, read_rewordings(snapshot.connection, query_id))


def _visible(
    snapshot: Snapshot, query_id: str, changes: dict[str, LatestChange]
) -> dict[str, LatestChange]:
    hidden = snapshot.viewer.hidden.get(query_id, ())
    return {id_: change for id_, change in changes.items() if id_ not in hidden}


@cached_in_snapshot
def done_marks(snapshot: Snapshot) -> dict[str, tuple[DoneMark, ...]]:
    """Marks of queries as done, with the judges who changed them later, by query id.

    Proposals, drops, votes and notes are no such changes.
    """
    return read_done_marks(snapshot.connection)


def baselines(
    snapshot: Snapshot, query_id: str | None = None, *, settings: Settings | None = None
) -> Baselines:
    """Find the events to compare with: before my last batch, and as imported.

    With ``settings`` my last batch is one that can move their board; verdicts and
    checks never count as edits.
    """
    connection = snapshot.connection
    imported, latest, saved_at = store_history.latest_events(snapshot.full.connection)
    by, moving = snapshot.viewer.judge, board_moves(snapshot, settings) - {"answers"}
    last = store_edits.last_batch(connection, by=by, query_id=query_id, moving=moving)
    if last is not None and not events(snapshot, last[1:]):
        last = None  # proposals of mine that are hidden from me now
    before, edited = (None, None) if last is None else (last[0] - 1, last[1])
    return Baselines(before, imported, latest, saved_at, edited)


def event_of(snapshot: Snapshot, named: int | str) -> int:
    """Return the event of this number, or the latest of a release of this name.

    A number is never taken for a name. Raises UnknownNameError.
    """
    return store_releases.event_of(snapshot.connection, named)


def bank_at(snapshot: Snapshot, event: int) -> Bank:
    """Return the bank right after an event, as the viewer may see it; 0 is the start.

    Queries without later events are shared.
    """
    full = snapshot.full
    return snapshot.visible_bank(
        store_history.bank_at(full.connection, full.bank, event)
    )


def refuse_hidden(snapshot: Snapshot, event: int) -> None:
    events = store_history.read_events_by_number(snapshot.connection, [event])
    if not all(map(snapshot.viewer.shows_event, events)):
        raise UnknownNameError(f"No event {event} that you can see.")


@dataclass(frozen=True, slots=True)
class PastBoard:
    """A board by the bank right after an event, with the grades of now.

    ``label`` is the name of a release, the event's number as ``#12``, or "imported".
    """

    event_id: int
    label: str
    board: Leaderboard


def board_history(
    snapshot: Snapshot, /, settings: BoardChoice | None = None, **options: OptionValue
) -> Rows[PastBoard]:
    """Compute the board as imported, after edits that may move it, and at releases.

    Edits are up to MAX_EVENTS at even distances, the latest among them; releases the
    latest MAX_RELEASES. Empty without such edits.
    """
    return _board_history(snapshot, settings_from(snapshot, options, settings))


@cached_in_snapshot
def _board_history(snapshot: Snapshot, settings: Settings) -> Rows[PastBoard]:
    moving = board_moves(snapshot, settings)
    still = {name for name, kind in KINDS.items() if kind.affects not in moving}
    edited = [
        trace
        for trace in traces(snapshot)[::-1]
        if trace.batch_kind != "import" and base_kind(trace.kind) not in still
    ]
    if not edited:
        return Rows()
    ends = list({trace.batch_id: trace.event_id for trace in edited}.values())
    last, number = len(ends) - 1, min(len(ends), MAX_EVENTS)
    spread = {ends[last - last * place // number] for place in range(number)}
    labels = {event_id: f"#{event_id}" for event_id in spread}
    releases = store_releases.read_releases(snapshot.connection)[:MAX_RELEASES]
    labels |= {release.event_id: release.name for release in releases}
    labels[edited[0].event_id - 1] = "imported"
    past_boards = (
        PastBoard(
            event_id, label, board(snapshot, settings, bank_at(snapshot, event_id))
        )
        for event_id, label in sorted(labels.items())
    )
    return Rows(past_boards, "curate.board_history_table")
