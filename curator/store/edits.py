"""Saving, undoing and redoing edits.

The questions concerned are read under the write lock, then changed; each edit
determines its changes. Undo appends the inverse of a batch, redo the inverse of an
undo. Neither overwrites other people's changes: if a question was changed since,
nothing is done and the error names the question.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from sqlite3 import Connection
from typing import Literal, Unpack

from curator.bank.changes import AffectedBoards
from curator.bank.edits import AddSubtopic, Change, Edit, apply_change, apply_edits
from curator.bank.edits.kinds import KINDS, affected_boards, base_kind
from curator.bank.questions import Bank, Question
from curator.edit_words import RETIRE
from curator.errors import StaleEditError, UndoError, UnknownNameError
from curator.store import bank as store_bank
from curator.store.connection import column, rows_in
from curator.store.history import (
    Batch,
    BatchKind,
    BatchOptions,
    Event,
    read_events,
    record,
)
from curator.store.question_history import (
    last_reason,
    question_states,
    undone_addition_error,
)

PAST_PARTICIPLES: dict[str, str] = {"undo": "undone", "redo": "redone"}

KINDS_WITHOUT_UNDO = tuple(
    name for name, kind in KINDS.items() if kind.mark and kind.mark.no_undo
)


def reversal_error(kind: str, reason: str) -> UndoError:
    return UndoError(f"Nothing was {PAST_PARTICIPLES[kind]}: {reason}.")


def apply(
    connection: Connection,
    edits: Sequence[Edit],
    *,
    by: str,
    **saving: Unpack[BatchOptions],
) -> Batch:
    """Apply the edits as one batch. Call within a write transaction."""
    bank = _affected_bank(connection, edits)
    try:
        _, changes = apply_edits(bank, edits, judge=by)
    except StaleEditError as error:
        # Only the history knows who saved last, and the text the edit began from.
        ids = [getattr(edit, "question_id", None) for edit in edits]
        based_on = getattr(edits[ids.index(error.question_id)], "based_on", None)
        for question, saved_by in question_states(connection, error.question_id):
            error.theirs_by = saved_by
            if question.revision == based_on:
                error.base = question.text
        raise
    except UnknownNameError:
        for edit in edits:
            if removal := undone_addition_error(
                connection, getattr(edit, "question_id", None)
            ):
                raise removal from None
        raise
    return record(connection, changes, by=by, kind="edit", **saving)


def undo(
    connection: Connection,
    *,
    by: str,
    query_id: str | None = None,
    event: int | None = None,
    **saving: Unpack[BatchOptions],
) -> Batch:
    """Append the inverse of the judge's latest batch, or of an event's batch.

    Of the latest batch in this query, if given.
    """
    if event is None:
        latest = next(_undoable(connection, by, query_id), None)
    else:
        latest = _batch_of_event(connection, event)
    return _apply_inverse(connection, latest, "undo", by, query_id, saving)


def redo(
    connection: Connection,
    *,
    by: str,
    query_id: str | None = None,
    **saving: Unpack[BatchOptions],
) -> Batch:
    """Append the inverse of the judge's latest undo (in this query)."""
    latest = next(_redoable(connection, by, query_id), None)
    return _apply_inverse(connection, latest, "redo", by, query_id, saving)


def events_to_reverse(
    connection: Connection,
    kind: str,
    by: str,
    query_id: str | None = None,
    event: int | None = None,
) -> tuple[Event, ...]:
    """Return the events that an undo or redo would reverse, none if it is refused.

    Chosen as by ``undo`` and ``redo``: the judge's latest batch (in this query), or
    that of an event.
    """
    list_batches = _undoable if kind == "undo" else _redoable
    select = "SELECT batch_id FROM event WHERE event_id IN ({})"
    batches = list_batches(connection, by, query_id)
    if event is not None:
        batches = (batch_id for (batch_id,) in rows_in(connection, select, [event]))
    latest = next(batches, None)
    return () if latest is None else read_events(connection, batch_id=latest)


def last_batch(
    connection: Connection,
    *,
    by: str,
    query_id: str | None = None,
    moving: Collection[AffectedBoards],
) -> tuple[int, int] | None:
    """Return the first and last event of the judge's latest valid batch, or None.

    Batches that do none of ``moving``, such as a done mark, are skipped.
    """
    for batch_id in _undoable(connection, by, query_id):
        events = read_events(connection, batch_id=batch_id)
        if any(affected_boards(event.change) in moving for event in events):
            return events[-1].event_id, events[0].event_id
    return None


def _affected_bank(connection: Connection, edits: Sequence[Edit]) -> Bank:
    """Return the part of the bank that the edits concern, read under the write lock."""
    query_ids: dict[str, None] = {}
    added = {
        (edit.query_id, edit.subtopic_id)
        for edit in edits
        if isinstance(edit, AddSubtopic)
    }
    for edit in edits:
        query_id = getattr(edit, "query_id", None)
        if query_id is None:
            select = "SELECT query_id FROM question WHERE question_id = ?"
            rows = column(connection, select, getattr(edit, "question_id", ""))
            if not rows:
                continue  # added by this very batch, or refused later
            query_id = rows[0]
        # Question ids can collide: those of "a" with subtopic "b", and those of "a/b".
        related = column(
            connection,
            "SELECT query_id FROM query WHERE query_id = ?1 "
            "OR substr(query_id, 1, length(?1) + 1) = ?1 || '/' "
            "OR substr(?1, 1, length(query_id) + 1) = query_id || '/'",
            query_id,
        )
        if query_id not in related:
            raise UnknownNameError(
                f"No query '{query_id}' in this workspace. "
                "`curator questions WORKSPACE` lists queries and their questions."
            )
        query_ids |= dict.fromkeys((query_id, *related))
        subtopic_id = getattr(edit, "subtopic_id", None)
        if subtopic_id is None or (query_id, subtopic_id) in added:
            continue
        select = "SELECT subtopic_id FROM subtopic WHERE query_id = ? ORDER BY position"
        existing = column(connection, select, query_id)
        if subtopic_id not in existing:
            raise UnknownNameError(
                f"Query '{query_id}' has no subtopic '{subtopic_id}'. It has: "
                f"{', '.join(existing) or 'none'}."
            )
    return store_bank.reread_queries(connection, Bank(), query_ids)


def _apply_inverse(
    connection: Connection,
    batch_id: int | None,
    kind: Literal["undo", "redo"],
    by: str,
    query_id: str | None,
    saving: BatchOptions,
) -> Batch:
    """Append the inverse of this batch. Raises UndoError if it is None."""
    if batch_id is None:
        where = "" if query_id is None else f" in query '{query_id}'"
        raise UndoError(f"{by} has nothing to {kind}{where}.")
    events = read_events(connection, batch_id=batch_id)
    query_ids = dict.fromkeys(event.change.query_id for event in events)
    bank = store_bank.reread_queries(connection, Bank(), query_ids)
    changes = []
    # A batch may have changed a question twice; each inverse starts from the last.
    now_by_id: dict[str, Question | None] = {}
    for event in events:
        change = event.change.inverted()
        question_id = change.question_id
        if question_id is None:
            _require_own_unchanged_mark(event, change, bank, by, kind)
        else:
            in_bank = bank.find(change.query_id, question_id)
            current = now_by_id.setdefault(
                question_id, in_bank and replace(in_bank, votes=())
            )
            _require_unchanged_question(connection, event, current, kind=kind)
            if change.after is None and in_bank and in_bank.votes:
                # The judge is not named: votes may be hidden from this one.
                raise reversal_error(
                    kind,
                    f"somebody has voted on '{in_bank.title}' since. "
                    f"{RETIRE.base.capitalize()} it instead",
                )
            after = change.after
            if after is not None:
                # Under a new revision, so that a draft of an older one is stale.
                last_revision = max(after.revision, current.revision if current else 0)
                after = replace(after, revision=last_revision + 1)
            change = replace(change, before=current, after=after)
            if after is not None and after.state == "retired":
                change = replace(change, reason=last_reason(connection, question_id))
            now_by_id[question_id] = after
        bank = apply_change(bank, change, judge=by)
        changes.append(replace(change, kind=f"{kind} {base_kind(event.change.kind)}"))
    first_event = min(event.event_id for event in events)
    kept = [
        question
        for question in now_by_id.values()
        if question and question.state == "kept"
    ]
    _refuse_duplicate_texts(connection, bank, kept, first_event, kind)
    return record(connection, changes, by=by, kind=kind, inverse_of=batch_id, **saving)


def _require_own_unchanged_mark(
    event: Event, change: Change, bank: Bank, by: str, kind: BatchKind
) -> None:
    """Refuse to undo another judge's mark, or one that has changed since."""
    mark, query_id = change.mark, change.query_id
    assert mark is not None  # a change without a question is a mark
    if mark.no_undo:
        raise UndoError(
            f"A {mark.noun} cannot be {PAST_PARTICIPLES[kind]}. {mark.no_undo}"
        )
    if mark.personal and event.by != by:
        raise UndoError(f"Only {event.by} can undo that {mark.noun}.")
    if not mark.matches_bank(bank, query_id, by):
        raise reversal_error(kind, f"that {mark.noun} has changed since")
    if missing := mark.missing_target(bank, query_id):
        raise reversal_error(kind, f"{missing} was removed again")


def _require_unchanged_question(
    connection: Connection,
    event: Event,
    current: Question | None,
    *,
    kind: BatchKind,
) -> None:
    """Raise UndoError if the question was changed after this event."""
    question = current or event.change.question
    assert question is not None  # an event of a question has one side at least
    later = connection.execute(
        "SELECT by, at FROM event JOIN batch USING (batch_id) "
        "WHERE question_id = ? AND event_id > ? AND batch_id <> ? "
        # A change and its undo cancel out.
        "AND batch.kind IN ('edit', 'import') "
        f"AND NOT {_is_undone_sql('batch.batch_id')} ORDER BY event_id LIMIT 1",
        (question.question_id, event.event_id, event.batch_id),
    ).fetchone()
    if later is not None:
        by, at = later
        raise reversal_error(
            kind,
            f"{by} changed '{question.title}' since ({at[:16].replace('T', ' ')} UTC). "
            "To undo an earlier edit, choose its event in the history",
        )
    # After undos and redos by several people the texts can still differ.
    expected = event.change.after
    if (current and replace(current, revision=1)) != (
        expected and replace(expected, revision=1)
    ):
        raise reversal_error(kind, f"'{question.title}' has changed since")


def _refuse_duplicate_texts(
    connection: Connection,
    bank: Bank,
    changed: Iterable[Question],
    first: int,
    kind: BatchKind,
) -> None:
    """Refuse if another kept question of the query has the same text now.

    ``bank`` is the state after the whole batch, which may move a text from one question
    to another, or swap two. A question that had the text before ``first``, the batch's
    first event, is allowed: an imported bank may contain duplicates.
    """
    for question in changed:
        for other in bank.questions_of(question.query_id):
            if (
                question.text is None
                or (other.state, other.text) != ("kept", question.text)
                or other.question_id == question.question_id
            ):
                continue
            before = connection.execute(
                "SELECT json_extract(before, '$.state'), "
                "json_extract(before, '$.text') FROM event "
                "WHERE question_id = ? AND event_id >= ? ORDER BY event_id",
                (other.question_id, first),
            ).fetchone()
            if before not in (None, ("kept", other.text)):
                raise reversal_error(
                    kind,
                    f"the query has '{question.title}' a second time since "
                    f"({other.question_id})",
                )


def _is_undone_sql(batch_id: str) -> str:
    """Return the SQL condition that this batch was undone and not redone since."""
    return (
        "('undo' IS (SELECT later.kind FROM batch AS later "
        f"WHERE later.inverse_of = {batch_id} OR later.inverse_of IN "
        f"(SELECT undo.batch_id FROM batch AS undo WHERE undo.inverse_of = {batch_id}) "
        "ORDER BY later.batch_id DESC LIMIT 1))"
    )


def _batches_by(
    connection: Connection, by: str, query_id: str | None
) -> Iterator[tuple[int, str, int | None, int, int]]:
    """Yield the judge's batches, latest first.

    Rows of (batch, kind, inverse of, edit, undone). The edit is the batch itself or the
    one that a redo restored; undone is always 0 for undos. Lazy, since a history may be
    long.
    """
    edit = "coalesce(undid.inverse_of, batch.batch_id)"
    event_join = "FROM event CROSS JOIN batch ON batch.batch_id = event.batch_id "
    last = None
    for row in connection.execute(
        "SELECT batch.batch_id, batch.kind, batch.inverse_of, "
        f"{edit}, iif(batch.kind = 'undo', 0, {_is_undone_sql(edit)}) "
        f"{'FROM batch ' if query_id is None else event_join}"
        "LEFT JOIN batch AS undid ON undid.batch_id = batch.inverse_of "
        "WHERE batch.by = :by AND batch.kind <> 'import' "
        f"AND NOT EXISTS (SELECT 1 FROM event AS final WHERE final.batch_id = "
        f"batch.batch_id AND final.kind IN {KINDS_WITHOUT_UNDO}) "
        f"{'' if query_id is None else 'AND event.query_id = :query '}"
        f"ORDER BY {'batch.batch_id' if query_id is None else 'event.event_id'} DESC",
        {"by": by, "query": query_id},
    ):
        if row[0] != last:
            last = row[0]
            yield row


def _undoable(connection: Connection, by: str, query_id: str | None) -> Iterator[int]:
    """Yield the judge's valid batches of edits, the latest done or redone first."""
    for _, kind, _, edit, undone in _batches_by(connection, by, query_id):
        # Someone else may have undone a batch of this judge, by its event.
        if kind != "undo" and not undone:
            yield edit


def _redoable(connection: Connection, by: str, query_id: str | None) -> Iterator[int]:
    """Yield the judge's undos since the latest edit that were not redone.

    The latest comes first.
    """
    redone: set[int | None] = set()
    for batch_id, kind, inverse_of, *_ in _batches_by(connection, by, query_id):
        if kind == "edit":
            return
        if kind == "redo":
            redone.add(inverse_of)
        elif batch_id not in redone:
            yield batch_id


def _batch_of_event(connection: Connection, event: int) -> int:
    select = (
        f"SELECT batch_id, batch.kind, {_is_undone_sql('batch.batch_id')} "
        "FROM batch JOIN event USING (batch_id) "
        "WHERE event_id IN ({})"
    )
    row = next(rows_in(connection, select, [event]), None)
    if row is None:
        raise UnknownNameError(
            f"No event {event}. `curator history WORKSPACE` lists them."
        )
    if row[1] != "edit":
        raise UndoError(
            f"Event {event} ({row[1]}) cannot be undone: only edits can be undone by "
            "their event."
        )
    if row[2]:
        raise UndoError(f"Event {event} is undone already.")
    return int(row[0])
