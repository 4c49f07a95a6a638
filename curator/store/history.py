"""The history: every change to the bank and who made it.

A batch is what undoes as one; its events each hold a question before and after.
Nothing is ever taken out of the history, so any past bank can be rebuilt.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from sqlite3 import Connection
from typing import Any, Literal, TypedDict, Unpack

from curator.bank.edits import Change, apply_change
from curator.bank.edits.kinds import before_and_after, read_change
from curator.bank.questions import Bank
from curator.errors import EditError, UnknownNameError
from curator.results import Result
from curator.store import bank as store_bank
from curator.store import versions
from curator.store.connection import column, grouped, rows_in
from curator.store.digests import adding, changing
from curator.store.kept_grades import keep_grades

BatchKind = Literal["import", "edit", "undo", "redo"]


@dataclass(frozen=True, slots=True)
class Event:
    """One change as the history keeps it."""

    event_id: int
    batch_id: int
    at: str  # ISO 8601, UTC
    by: str
    batch_kind: BatchKind
    inverse_of: int | None
    shown: str | None
    change: Change
    seconds: float | None = None  # of the judge's, before the batch it is of

    @property
    def kind(self) -> str:
        """What was done: ``retire``, ``undo retire``."""
        return self.change.kind


@dataclass(frozen=True, slots=True)
class Batch(Result[tuple[int, Change]], table="curate.batch_table"):
    """What was written: a batch's number, its events' numbers, and its changes."""

    batch_id: int
    event_ids: tuple[int, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Trace:
    """An event without what it changed: who did what to which question when."""

    event_id: int
    batch_id: int
    at: str  # ISO 8601, UTC
    by: str
    batch_kind: BatchKind
    inverse_of: int | None
    kind: str
    query_id: str
    question_id: str | None
    seconds: float | None = None

    @property
    def when(self) -> datetime:
        """When it was saved."""
        when = datetime.fromisoformat(self.at)
        return when if when.tzinfo else when.replace(tzinfo=UTC)


class Saving(TypedDict, total=False):
    """What is kept with a batch, beside who made it.

    ``shown`` is what the judge could see, ``seconds`` how long they looked before;
    ``nonce`` the page's own name for this save.
    """

    shown: str | None
    nonce: str | None
    seconds: float | None


def record(
    connection: Connection,
    changes: Sequence[Change],
    *,
    by: str,
    kind: BatchKind,
    inverse_of: int | None = None,
    **saving: Unpack[Saving],
) -> Batch:
    """Carry out the changes and remember them as one batch.

    A question given another key keeps the grades that do not rest on it. One that comes
    back under its id counts its revisions on from the last that it ever had.
    """
    changes = _counted_on(connection, changes)
    at = now()
    with (
        adding(connection, "batch", "batch_id"),
        adding(connection, "event", "event_id"),
    ):
        cursor = connection.execute(
            "INSERT INTO batch (at, by, kind, inverse_of, shown, nonce, seconds) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (at, by, kind, inverse_of, *map(saving.get, ("shown", "nonce", "seconds"))),
        )
        batch_id = int(cursor.lastrowid or 0)
        event_ids = []
        for one in changes:
            cursor = connection.execute(
                "INSERT INTO event (batch_id, query_id, question_id, kind, before, "
                "after, reason) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *(batch_id, one.query_id, one.question_id, one.kind),
                    *before_and_after(one),
                    one.reason,
                ),
            )
            event_ids.append(int(cursor.lastrowid or 0))
    store_bank.write_questions(connection, [c.after for c in changes if c.after])
    keep_grades(connection, changes)
    for change in changes:
        if mark := change.mark:
            store_bank.write_mark(connection, change.query_id, mark, by=by, at=at)
        elif change.after is None:  # its addition was undone
            out = ("question", "question_id = ?", change.question_id)
            with changing(connection, *out):
                taken_out = "DELETE FROM question WHERE question_id = ?"
                connection.execute(taken_out, (change.question_id,))
    if kind != "import":
        _refuse_missing_subtopics(connection, changes)
    versions.bump(connection, (versions.bank(change.query_id) for change in changes))
    return Batch(batch_id, tuple(event_ids), tuple(changes))


def _refuse_missing_subtopics(
    connection: Connection, changes: Iterable[Change]
) -> None:
    """Raise EditError where a question goes back to a subtopic that was taken out."""
    rows = rows_in(
        connection,
        "SELECT query_id, subtopic_id FROM question LEFT JOIN subtopic "
        "USING (query_id, subtopic_id) WHERE subtopic_id IS NOT NULL "
        "AND subtopic.query_id IS NULL AND question_id IN ({})",
        [
            change.question_id
            for change in changes
            if change.after
            and not (
                change.before and change.before.subtopic_id == change.after.subtopic_id
            )
        ],
    )
    for query_id, subtopic_id in rows:
        raise EditError(
            f"Nothing was saved: subtopic '{subtopic_id}' of query '{query_id}' was "
            "taken out. Add it again first."
        )


def _counted_on(connection: Connection, changes: Sequence[Change]) -> list[Change]:
    """The changes, with later revisions where a question was in the bank before."""
    select = (
        "SELECT max(json_extract(coalesce(after, before), '$.revision')) FROM event "
        "WHERE question_id = ?"
    )
    missing: dict[str, int] = {}  # what is to be added, by question
    found = []
    for one in changes:
        if one.after and not one.before:
            (last,) = column(connection, select, one.after.question_id)
            by = max(0, (last or 0) + 1 - one.after.revision)
            missing[one.after.question_id] = by
        if by := missing.get(one.question_id or "", 0):
            before, after = (
                side and replace(side, revision=side.revision + by)
                for side in (one.before, one.after)
            )
            one = replace(one, before=before, after=after)
        found.append(one)
    return found


@dataclass(frozen=True, slots=True)
class DoneMark:
    """A judge's mark that a query is finished.

    ``changed_by`` are the others who have changed a question that counts since, in the
    order of their names.
    """

    judge: str
    at: str  # ISO 8601, UTC
    changed_by: tuple[str, ...]


def read_done_marks(connection: Connection) -> dict[str, tuple[DoneMark, ...]]:
    """Every mark that stands, by query, the first one first."""
    counting = json.dumps(("add", "keep", "reword", "key", "move", "retire", "restore"))
    last: defaultdict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for query_id, by, *latest in connection.execute(
        "SELECT query_id, by, coalesce(max(event_id) FILTER (WHERE event.kind IN "
        "('done', 'redo done', 'undo reopen')), 0), coalesce(max(event_id) FILTER "
        "(WHERE replace(replace(event.kind, 'undo ', ''), 'redo ', '') IN "
        "(SELECT value FROM json_each(?))), 0) FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import' AND query_id IN (SELECT query_id FROM done) "
        "GROUP BY query_id, by ORDER BY by",
        (counting,),
    ):
        last[query_id][by] = latest[0], latest[1]
    rows = connection.execute(
        "SELECT query_id, judge, at FROM done ORDER BY query_id, at, judge"
    )

    def mark(query_id: str, judge: str, at: str) -> DoneMark:
        here = last[query_id]
        marked, _ = here.get(judge, (0, 0))
        others = ((by, changed) for by, (_, changed) in here.items() if by != judge)
        return DoneMark(judge, at, tuple(by for by, at in others if at > marked))

    return {
        query_id: tuple(mark(query_id, *one) for one in many)
        for query_id, many in grouped(rows).items()
    }


def edited_queries(connection: Connection) -> list[str]:
    """The queries that somebody has edited here, the one edited last first."""
    return column(
        connection,
        "SELECT query_id FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import' GROUP BY query_id ORDER BY max(event_id) DESC",
    )


def batch_of_nonce(connection: Connection, nonce: str) -> Batch | None:
    """The batch that was saved under this nonce, None before it is.

    Ask within the write transaction that would save it: whoever sent the same nonce
    at the same time has then either saved it or waits for this one.
    """
    row = connection.execute(
        "SELECT batch_id FROM batch WHERE nonce = ?", (nonce,)
    ).fetchone()
    if row is None:
        return None
    events = read_events(connection, batch_id=row[0])[::-1]
    event_ids = tuple(event.event_id for event in events)
    return Batch(int(row[0]), event_ids, tuple(event.change for event in events))


EVENTS = (
    "SELECT event_id, batch_id, at, by, batch.kind, inverse_of, shown, event.kind, "
    "query_id, before, after, reason, seconds FROM event JOIN batch USING (batch_id) "
)


def events_of(connection: Connection, event_ids: Iterable[int]) -> tuple[Event, ...]:
    """The events of these numbers, the latest first."""
    select = EVENTS + "WHERE event_id IN ({}) ORDER BY event_id DESC"
    return _events(rows_in(connection, select, event_ids))


def proposed_ids(connection: Connection) -> list[tuple[str, str]]:
    """Read the (query id, question id) of all that was ever proposed."""
    return connection.execute(
        "SELECT query_id, question_id FROM event WHERE before IS NULL "
        "AND kind = 'propose'"
    ).fetchall()


def _events(rows: Iterable[tuple[Any, ...]]) -> tuple[Event, ...]:
    return tuple(Event(*(*row[:7], read_change(*row[7:12]), row[12])) for row in rows)


def read_events(
    connection: Connection,
    *,
    query_id: str | None = None,
    after: int = 0,
    until: int | None = None,
    limit: int | None = None,
    batch_id: int | None = None,
    imports: bool = True,
    besides: Iterable[str] = (),
) -> tuple[Event, ...]:
    """Events later than ``after``, up to ``until``, the latest first.

    Those of the kinds ``besides``, and their undos and redos, are left out.
    """
    # Said only where it is asked for, so that an index is used.
    within = {
        "event_id <= :until": until is not None,
        "query_id = :query": query_id is not None,
        "batch_id = :batch": batch_id is not None,
        "batch.kind <> 'import'": not imports,
    }
    rows = connection.execute(
        f"{EVENTS}WHERE event_id > :after "
        f"{''.join(f'AND {one} ' for one, asked in within.items() if asked)}"
        "AND replace(replace(event.kind, 'undo ', ''), 'redo ', '') NOT IN "
        "(SELECT value FROM json_each(:besides)) "
        "ORDER BY event_id DESC LIMIT :limit",
        {
            "after": after,
            "until": until,
            "query": query_id,
            "batch": batch_id,
            "besides": json.dumps(list(besides)),
            "limit": -1 if limit is None else limit,
        },
    )
    return _events(rows)


def read_traces(connection: Connection) -> list[Trace]:
    """Every event but those of imports, the first first."""
    rows = connection.execute(
        "SELECT event_id, batch_id, at, by, batch.kind, inverse_of, event.kind, "
        "query_id, question_id, seconds FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import' ORDER BY event_id"
    )
    return [Trace(*row) for row in rows]


def bank_at(connection: Connection, bank: Bank, event: int) -> Bank:
    """The bank as it was right after ``event``, rebuilt from the bank as it is now."""
    latest = last_event(connection)
    if not 0 <= event <= latest:
        raise UnknownNameError(
            f"No event {event}: the history has events 1 to {latest}; 0 is its start."
        )
    # A question was what the first event after this one found: later ones add nothing.
    later = connection.execute(
        f"{EVENTS}WHERE event_id > :after AND (question_id IS NULL OR event_id IN ("
        "SELECT min(event_id) FROM event WHERE event_id > :after GROUP BY question_id"
        ")) ORDER BY event_id DESC",
        {"after": event},
    )
    return _before(connection, bank, _events(later))


def banks_around(connection: Connection, bank: Bank, event: int) -> tuple[Bank, Bank]:
    """The banks right before and right after the batch of this event.

    They share every query that the batch did not touch, and with the bank as it is now
    every one without later events; the later is that very bank where nothing came
    after. Raises UnknownNameError.
    """
    select = "SELECT batch_id FROM event WHERE event_id IN ({})"
    batches = [one for (one,) in rows_in(connection, select, [event])]
    if not batches:
        raise UnknownNameError(
            f"No event {event}: the history has events 1 to {last_event(connection)}. "
            "`curator history WORKSPACE` lists them."
        )
    own = read_events(connection, batch_id=batches[0])
    after = bank_at(connection, bank, own[0].event_id)
    return _before(connection, after, own), after


def _before(connection: Connection, bank: Bank, events: Sequence[Event]) -> Bank:
    """The bank before these events, the latest first; itself where there are none."""
    changed = set()
    for later in events:
        bank = apply_change(bank, later.change.inverted(), judge=later.by)
        if later.change.mark is None:
            changed.add(later.change.query_id)
    if not changed:
        return bank
    # In the order they first came in; what is put back was appended.
    select = "SELECT min(event_id) FROM event WHERE question_id = ?"
    by_query = {
        query_id: tuple(
            sorted(
                bank.of_query(query_id),
                key=lambda one: column(connection, select, one.question_id),
            )
        )
        for query_id in changed
    }
    return replace(bank, by_query={**bank.by_query, **by_query})


def last_event(connection: Connection) -> int:
    """The number of the latest event, 0 before the first."""
    (latest,) = connection.execute("SELECT max(event_id) FROM event").fetchone()
    return int(latest or 0)


def latest_of(connection: Connection) -> tuple[int, int, str | None]:
    """The latest event of an import, the latest of all, and when that was saved."""
    imported, saved_at = connection.execute(
        "SELECT (SELECT event_id FROM batch JOIN event USING (batch_id) "
        "WHERE batch.kind = 'import' ORDER BY batch_id DESC, event_id DESC LIMIT 1), "
        "(SELECT at FROM batch ORDER BY batch_id DESC LIMIT 1)"
    ).fetchone()
    return int(imported or 0), last_event(connection), saved_at


def now() -> str:
    """The time in UTC, ISO 8601 to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
