"""The history: every change to the bank and who made it.

A batch is undone as a whole; each of its events holds a question before and after.
Nothing is ever deleted from the history, so any past bank can be rebuilt.
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
from curator.bank.edits.kinds import read_change, stored_sides
from curator.bank.questions import Bank
from curator.errors import EditError, UnknownNameError
from curator.results import Result
from curator.store import bank as store_bank
from curator.store import versions
from curator.store.connection import column, insert, rows_in
from curator.store.grades import keep_grades

BatchKind = Literal["import", "edit", "undo", "redo"]


@dataclass(frozen=True, slots=True)
class Event:
    """A change in the history."""

    event_id: int
    batch_id: int
    at: str  # ISO 8601, UTC
    by: str
    batch_kind: BatchKind
    inverse_of: int | None
    shown: str | None
    change: Change
    seconds: float | None = None  # the judge's time before the event's batch

    @property
    def kind(self) -> str:
        """The change's kind, such as ``retire`` or ``undo retire``."""
        return self.change.kind

    @property
    def query_id(self) -> str:
        return self.change.query_id

    @property
    def when(self) -> datetime:
        return parse_utc(self.at)


@dataclass(frozen=True, slots=True)
class Batch(Result[tuple[int, Change]], table="curate.batch_table"):
    """A saved batch: its number, its events' numbers, and its changes."""

    batch_id: int
    event_ids: tuple[int, ...]
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class EventSummary:
    """An event without its content: who did what to which question when."""

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
        return parse_utc(self.at)


def parse_utc(text: str) -> datetime:
    """Parse a time, by default in UTC. Raises ValueError."""
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


class BatchOptions(TypedDict, total=False):
    """Optional values of a batch.

    ``shown`` is what the judge could see, ``seconds`` the time they took; ``nonce`` the
    page's own name for this save.
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
    **saving: Unpack[BatchOptions],
) -> Batch:
    """Apply the changes and record them as one batch.

    A question with a new answer key keeps the grades that do not depend on it. The
    revisions of a question that comes back under its id continue from its last one.
    """
    changes = _with_later_revisions(connection, changes)
    at = now()
    batch_id = insert(
        connection, "batch", at=at, by=by, kind=kind, inverse_of=inverse_of, **saving
    )
    event_ids = []
    for saved_change in changes:
        before, after = stored_sides(saved_change)
        event_id = insert(
            connection,
            "event",
            batch_id=batch_id,
            query_id=saved_change.query_id,
            question_id=saved_change.question_id,
            kind=saved_change.kind,
            before=before,
            after=after,
            reason=saved_change.reason,
        )
        event_ids.append(event_id)
    store_bank.write_questions(
        connection, [change.after for change in changes if change.after]
    )
    keep_grades(connection, changes)
    for change in changes:
        if mark := change.mark:
            store_bank.write_mark(connection, change.query_id, mark, by=by, at=at)
        elif change.after is None:  # its addition was undone
            delete = "DELETE FROM question WHERE question_id = ?"
            connection.execute(delete, (change.question_id,))
    if kind != "import":
        _refuse_missing_subtopics(connection, changes)
    versions.bump(
        connection, (versions.bank_scope(change.query_id) for change in changes)
    )
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
            "removed. Add it again first."
        )


def _with_later_revisions(
    connection: Connection, changes: Sequence[Change]
) -> list[Change]:
    """Return the changes with later revisions for questions that come back."""
    select = (
        "SELECT max(json_extract(coalesce(after, before), '$.revision')) FROM event "
        "WHERE question_id = ?"
    )
    missing: dict[str, int] = {}  # increase of the revision, by question
    revised = []
    for change in changes:
        if change.after and not change.before:
            (last,) = column(connection, select, change.after.question_id)
            increase = max(0, (last or 0) + 1 - change.after.revision)
            missing[change.after.question_id] = increase
        if increase := missing.get(change.question_id or "", 0):
            before, after = (
                side and replace(side, revision=side.revision + increase)
                for side in (change.before, change.after)
            )
            change = replace(change, before=before, after=after)
        revised.append(change)
    return revised


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
    """Return every current done mark, by query, the first one first."""
    counted_kinds = ("add", "keep", "reword", "key", "move", "retire", "restore")
    rows = connection.execute(
        "WITH done AS (SELECT query_id, judge, at, (SELECT max(event_id) FROM event "
        "JOIN batch USING (batch_id) WHERE event.query_id = mark.query_id "
        "AND by = judge AND event.kind IN ('done', 'redo done', 'undo reopen')) "
        "AS since FROM mark WHERE kind = 'done') "
        "SELECT query_id, judge, at, (SELECT json_group_array(DISTINCT by) FROM event "
        "JOIN batch USING (batch_id) WHERE event.query_id = done.query_id "
        "AND by <> judge AND event_id > since AND batch.kind <> 'import' AND "
        "replace(replace(event.kind, 'undo ', ''), 'redo ', '') IN "
        f"{counted_kinds}) FROM done ORDER BY query_id, at, judge"
    )
    done_marks: defaultdict[str, list[DoneMark]] = defaultdict(list)
    for query_id, judge, at, others in rows:
        mark = DoneMark(judge, at, tuple(sorted(json.loads(others))))
        done_marks[query_id].append(mark)
    return {query_id: tuple(marks) for query_id, marks in done_marks.items()}


def edited_queries(connection: Connection) -> list[str]:
    """Return the queries edited here, the most recently edited first."""
    return column(
        connection,
        "SELECT query_id FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import' GROUP BY query_id ORDER BY max(event_id) DESC",
    )


def batch_of_nonce(connection: Connection, nonce: str) -> Batch | None:
    """Return the batch that was saved under this nonce, or None.

    Call within the write transaction that would save it: a concurrent request with the
    same nonce has then either saved it or waits.
    """
    row = connection.execute(
        "SELECT batch_id FROM batch WHERE nonce = ?", (nonce,)
    ).fetchone()
    if row is None:
        return None
    events = read_events(connection, batch_id=row[0])[::-1]
    event_ids = tuple(event.event_id for event in events)
    return Batch(int(row[0]), event_ids, tuple(event.change for event in events))


_SELECT_EVENTS = (
    "SELECT event_id, batch_id, at, by, batch.kind, inverse_of, shown, event.kind, "
    "query_id, before, after, reason, seconds FROM event JOIN batch USING (batch_id) "
)


def read_events_by_number(
    connection: Connection, event_ids: Iterable[int]
) -> tuple[Event, ...]:
    """Return the events with these numbers, the latest first."""
    select = _SELECT_EVENTS + "WHERE event_id IN ({}) ORDER BY event_id DESC"
    return _events(rows_in(connection, select, event_ids))


def proposed_ids(connection: Connection) -> list[tuple[str, str]]:
    """Return the (query id, question id) of all questions ever proposed."""
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
    excluded_kinds: Iterable[str] = (),
) -> tuple[Event, ...]:
    """Return events later than ``after``, up to ``until``, the latest first.

    Those of ``excluded_kinds``, and their undos and redos, are left out.
    """
    # Only the conditions in use, so that an index applies.
    conditions = {
        "event_id <= :until": until is not None,
        "query_id = :query": query_id is not None,
        "batch_id = :batch": batch_id is not None,
        "batch.kind <> 'import'": not imports,
    }
    rows = connection.execute(
        f"{_SELECT_EVENTS}WHERE event_id > :after "
        f"{''.join(f'AND {sql} ' for sql, used in conditions.items() if used)}"
        "AND replace(replace(event.kind, 'undo ', ''), 'redo ', '') NOT IN "
        "(SELECT value FROM json_each(:excluded)) "
        "ORDER BY event_id DESC LIMIT :limit",
        {
            "after": after,
            "until": until,
            "query": query_id,
            "batch": batch_id,
            "excluded": json.dumps(list(excluded_kinds)),
            "limit": -1 if limit is None else limit,
        },
    )
    return _events(rows)


def read_event_summaries(connection: Connection) -> list[EventSummary]:
    """Return every event but those of imports, the oldest first."""
    rows = connection.execute(
        "SELECT event_id, batch_id, at, by, batch.kind, inverse_of, event.kind, "
        "query_id, question_id, seconds FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import' ORDER BY event_id"
    )
    return [EventSummary(*row) for row in rows]


def bank_at(connection: Connection, bank: Bank, event: int) -> Bank:
    """Return the bank right after ``event``, rebuilt from the current bank."""
    latest = last_event(connection)
    if not 0 <= event <= latest:
        raise UnknownNameError(
            f"No event {event}: the history has events 1 to {latest}; 0 is its start."
        )
    # A question's state is what the first later event found.
    rows = connection.execute(
        f"{_SELECT_EVENTS}WHERE event_id > :after AND (question_id IS NULL OR event_id "
        "IN (SELECT min(event_id) FROM event WHERE event_id > :after GROUP BY "
        "question_id)) ORDER BY event_id DESC",
        {"after": event},
    )
    return _bank_before(connection, bank, _events(rows))


def banks_around(connection: Connection, bank: Bank, event: int) -> tuple[Bank, Bank]:
    """Return the banks right before and right after the batch of this event.

    They share every query that the batch did not change, and with the current bank
    every query without later events; the second is the current bank if nothing came
    after. Raises UnknownNameError.
    """
    select = "SELECT batch_id FROM event WHERE event_id IN ({})"
    batches = [batch_id for (batch_id,) in rows_in(connection, select, [event])]
    if not batches:
        raise UnknownNameError(
            f"No event {event}: the history has events 1 to {last_event(connection)}. "
            "`curator history WORKSPACE` lists them."
        )
    events = read_events(connection, batch_id=batches[0])
    after = bank_at(connection, bank, events[0].event_id)
    return _bank_before(connection, after, events), after


def _bank_before(connection: Connection, bank: Bank, events: Sequence[Event]) -> Bank:
    """Return the bank before these events, which are given latest first."""
    changed = set()
    for event in events:
        bank = apply_change(bank, event.change.inverted(), judge=event.by)
        if event.change.mark is None:
            changed.add(event.change.query_id)
    if not changed:
        return bank
    # In order of arrival; restored questions were appended.
    select = "SELECT min(event_id) FROM event WHERE question_id = ?"
    by_query = {
        query_id: tuple(
            sorted(
                bank.questions_of(query_id),
                key=lambda question: column(connection, select, question.question_id),
            )
        )
        for query_id in changed
    }
    return replace(bank, by_query={**bank.by_query, **by_query})


def last_event(connection: Connection) -> int:
    """Return the number of the latest event, 0 if there is none."""
    (latest,) = connection.execute("SELECT max(event_id) FROM event").fetchone()
    return int(latest or 0)


def latest_events(connection: Connection) -> tuple[int, int, str | None]:
    """Return the latest event of an import, the latest of all, and its time."""
    imported, saved_at = connection.execute(
        "SELECT (SELECT event_id FROM batch JOIN event USING (batch_id) "
        "WHERE batch.kind = 'import' ORDER BY batch_id DESC, event_id DESC LIMIT 1), "
        "(SELECT at FROM batch ORDER BY batch_id DESC LIMIT 1)"
    ).fetchone()
    return int(imported or 0), last_event(connection), saved_at


def now() -> str:
    """Return the time in UTC, ISO 8601 to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
