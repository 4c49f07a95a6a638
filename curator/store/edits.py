"""Saving edits, taking them back, and making them again.

What edits speak of is read under the write lock, then changed; they say themselves what
they change. Undo appends the inverse of a batch, redo the inverse of an undo. Neither
overrides anyone: where a question was changed since, nothing is done and the question
is named.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Unpack

from curator.bank.edits import Change, Edit, apply_change, apply_edits
from curator.bank.edits.kinds import base_kind, moves
from curator.bank.questions import Bank, Question
from curator.errors import StaleEditError, UndoError, UnknownNameError
from curator.store import bank as store_bank
from curator.store.connection import column
from curator.store.history import (
    Batch,
    BatchKind,
    Event,
    Saving,
    read_events,
    record,
)
from curator.store.question_history import forms, last_reason

PAST: dict[str, str] = {"undo": "undone", "redo": "redone"}


def apply(
    connection: sqlite3.Connection,
    edits: Sequence[Edit],
    *,
    by: str,
    **saving: Unpack[Saving],
) -> Batch:
    """Make the edits as one batch. Call within a write transaction."""
    bank = _bank_for(connection, edits)
    try:
        _, changes = apply_edits(bank, edits, judge=by)
    except StaleEditError as error:
        raise _with_history(connection, error, edits) from None
    return record(connection, changes, by=by, kind="edit", **saving)


def undo(
    connection: sqlite3.Connection,
    *,
    by: str,
    query_id: str | None = None,
    event: int | None = None,
    **saving: Unpack[Saving],
) -> Batch:
    """Append the inverse of my latest batch in this query, or of an event's batch."""
    if event is not None:
        batch_id = _batch_of_event(connection, event)
        if batch_id in _taken_back(connection):
            raise UndoError(f"Event {event} has been taken back already.")
    else:
        batch_id = _latest(_stacks(connection, by, query_id)[0], by, query_id, "undo")
    return _inverse(connection, batch_id, by, "undo", saving)


def redo(
    connection: sqlite3.Connection,
    *,
    by: str,
    query_id: str | None = None,
    **saving: Unpack[Saving],
) -> Batch:
    """Append the inverse of my latest undo (in this query)."""
    batch_id = _latest(_stacks(connection, by, query_id)[1], by, query_id, "redo")
    return _inverse(connection, batch_id, by, "redo", saving)


def _latest(batches: list[int], by: str, query_id: str | None, kind: BatchKind) -> int:
    if not batches:
        where = "" if query_id is None else f" in query '{query_id}'"
        raise UndoError(f"Nothing of yours to {kind}{where}, {by}.")
    return batches[-1]


def before_last_batch(
    connection: sqlite3.Connection, *, by: str, query_id: str | None = None
) -> int | None:
    """The event just before my latest batch that still stands, None without one.

    What moves no board, such as a done mark, is passed over.
    """
    for batch_id in reversed(_stacks(connection, by, query_id)[0]):
        events = read_events(connection, batch_id=batch_id)
        if any(moves(event.change) == "board" for event in events):
            return events[-1].event_id - 1
    return None


def _bank_for(connection: sqlite3.Connection, edits: Sequence[Edit]) -> Bank:
    """The part of the bank the edits speak of, read under the write lock."""
    query_ids: dict[str, None] = {}
    for edit in edits:
        query_id = getattr(edit, "query_id", None)
        if query_id is None:
            select = "SELECT query_id FROM question WHERE question_id = ?"
            found = column(connection, select, getattr(edit, "question_id", ""))
            if not found:
                continue  # added by this very batch, or refused where it is looked up
            query_id = found[0]
        elif not column(connection, "SELECT 1 FROM query WHERE query_id = ?", query_id):
            raise UnknownNameError(
                f"No query '{query_id}' in this workspace. "
                "`curator questions WORKSPACE` lists queries and their questions."
            )
        query_ids[query_id] = None
        _refuse_unknown_subtopic(connection, query_id, edit)
        # Their questions' ids can meet: those of "a" with subtopic "b", and of "a/b".
        query_ids |= dict.fromkeys(
            column(
                connection,
                "SELECT query_id FROM query "
                "WHERE substr(query_id, 1, length(?1) + 1) = ?1 || '/' "
                "OR substr(?1, 1, length(query_id) + 1) = query_id || '/'",
                query_id,
            )
        )
    return store_bank.read_queries(connection, Bank(), query_ids)


def _refuse_unknown_subtopic(
    connection: sqlite3.Connection, query_id: str, edit: Edit
) -> None:
    subtopic_id = getattr(edit, "subtopic_id", None)
    if subtopic_id is None:
        return
    known = column(
        connection,
        "SELECT subtopic_id FROM subtopic WHERE query_id = ? ORDER BY position",
        query_id,
    )
    if subtopic_id not in known:
        raise UnknownNameError(
            f"Query '{query_id}' has no subtopic '{subtopic_id}'. It has: "
            f"{', '.join(known) or 'none'}."
        )


def _with_history(
    connection: sqlite3.Connection, error: StaleEditError, edits: Sequence[Edit]
) -> StaleEditError:
    """The error with what only the history knows: who saved, and the text before."""
    based_on = [
        getattr(edit, "based_on", None)
        for edit in edits
        if getattr(edit, "question_id", None) == error.question_id
    ][:1]
    kept = list(forms(connection, error.question_id or ""))
    bases = [question.text for question, _ in kept if question.revision in based_on]
    return StaleEditError(
        str(error),
        question_id=error.question_id,
        mine=error.mine,
        theirs=error.theirs,
        base=bases[-1] if bases else None,
        theirs_revision=error.theirs_revision,
        theirs_by=kept[-1][1] if kept else None,
    )


def _inverse(
    connection: sqlite3.Connection,
    batch_id: int,
    by: str,
    kind: BatchKind,
    saving: Saving,
) -> Batch:
    events = read_events(connection, batch_id=batch_id)
    if events[0].batch_kind == "import":
        raise UndoError("An import is not undone; retire its questions instead.")
    query_ids = dict.fromkeys(event.change.query_id for event in events)
    bank = store_bank.read_queries(connection, Bank(), query_ids)
    changes = []
    # A batch may have changed a thing twice; each inverse starts where the last led.
    now_by_id: dict[str, Question | None] = {}
    for event in events:
        change = event.change.inverted()
        question_id = change.question_id
        if question_id is None:
            _refuse_other_mark(event, change, bank, by, kind)
        else:
            if question_id not in now_by_id:
                now_by_id[question_id] = store_bank.read_question(
                    connection, question_id
                )
            current = now_by_id[question_id]
            _refuse_if_changed_since(connection, event, current, kind=kind)
            if change.after is None:
                _refuse_loss_of_votes(event, bank, kind)
            change = replace(
                change, before=current, after=_later(change.after, than=current)
            )
            if change.after is not None and change.after.state == "retired":
                change = replace(change, reason=last_reason(connection, question_id))
            now_by_id[question_id] = change.after
        bank = apply_change(bank, change, judge=by)
        changes.append(replace(change, kind=f"{kind} {base_kind(event.change.kind)}"))
    first = min(event.event_id for event in events)
    kept = [one for one in now_by_id.values() if one and one.state == "kept"]
    _refuse_second_of_a_text(connection, bank, kept, first, kind)
    return record(connection, changes, by=by, kind=kind, inverse_of=batch_id, **saving)


def _later(question: Question | None, *, than: Question | None) -> Question | None:
    """The question under a new revision: a draft begun on an older one is stale."""
    if question is None:
        return None
    known = question.revision if than is None else max(question.revision, than.revision)
    return replace(question, revision=known + 1)


def _refuse_other_mark(
    event: Event, change: Change, bank: Bank, by: str, kind: BatchKind
) -> None:
    """Refuse to take back another judge's mark, or one that has changed since."""
    mark, query_id = change.mark, change.query_id
    assert mark is not None  # a change without a question is a mark
    if event.by != by:
        raise UndoError(f"Only {event.by} can {mark.take_back}.")
    if not mark.stands(bank, query_id, by):
        called = mark.called(query_id)
        raise UndoError(f"Nothing was {PAST[kind]}: {called} has changed since.")
    if gone := mark.gone(bank, query_id):
        raise UndoError(f"Nothing was {PAST[kind]}: {gone} was taken out again.")


def _refuse_loss_of_votes(event: Event, bank: Bank, kind: BatchKind) -> None:
    """Refuse to take a question out that people have voted on."""
    for question in bank.of_query(event.change.query_id):
        if question.question_id == event.change.question_id and question.votes:
            # Not who: whoever has no vote on it is not to know.
            raise UndoError(
                f"Nothing was {PAST[kind]}: somebody has voted on '{question.title}' "
                "since. Retire it instead."
            )


def _refuse_if_changed_since(
    connection: sqlite3.Connection,
    event: Event,
    current: Question | None,
    *,
    kind: BatchKind,
) -> None:
    """Refuse where someone changed the question after this event."""
    question_id = event.change.question_id
    taken_back = _taken_back(connection)
    later = connection.execute(
        "SELECT batch_id, by, at, batch.kind FROM event JOIN batch USING (batch_id) "
        "WHERE question_id = ? AND event_id > ? AND batch_id <> ? ORDER BY event_id",
        (question_id, event.event_id, event.batch_id),
    ).fetchall()
    question = current or event.change.question
    title = question.title if question else question_id
    for batch_id, by, at, later_kind in later:
        # A change and what took it back leave nothing behind.
        if batch_id not in taken_back and later_kind in ("edit", "import"):
            raise UndoError(
                f"Nothing was {PAST[kind]}: {by} changed '{title}' since "
                f"({at[:16].replace('T', ' ')} UTC). Edits before it are undone by "
                "their event, in the history."
            )
    # Undone and redone by several people in turn, the same words can come apart.
    expected = event.change.after
    if (current and replace(current, revision=1)) != (
        expected and replace(expected, revision=1)
    ):
        raise UndoError(f"Nothing was {PAST[kind]}: '{title}' has changed since.")


def _refuse_second_of_a_text(
    connection: sqlite3.Connection,
    bank: Bank,
    changed: Iterable[Question],
    first: int,
    kind: BatchKind,
) -> None:
    """Refuse where another kept question of the query has come to have one's text.

    ``bank`` is as this whole batch leaves it: on its way it may take the text from one
    and give it to another, or swap two. One that had the text before ``first``, the
    batch's first event, came in so: a published bank may ask the same twice.
    """
    for question in changed:
        for other in bank.of_query(question.query_id):
            if (
                question.text is not None
                and other.text == question.text
                and other.state == "kept"
                and other.question_id != question.question_id
                and not _stood_before(connection, other, first)
            ):
                raise UndoError(
                    f"Nothing was {PAST[kind]}: '{question.title}' stands in the query "
                    f"a second time since ({other.question_id})."
                )


def _stood_before(
    connection: sqlite3.Connection, question: Question, event: int
) -> bool:
    """Whether the question was kept, in these words, just before this event."""
    then: Question | None = question
    for later in read_events(connection, query_id=question.query_id, after=event - 1):
        change = later.change
        if change.question_id == question.question_id:
            then = change.before
    return then is not None and (then.state, then.text) == ("kept", question.text)


def _taken_back(connection: sqlite3.Connection) -> set[int]:
    """The batches of edits that an undo took back and no redo made again."""
    back: set[int] = set()
    undid: dict[int, int] = {}
    for batch_id, inverse_of, kind in connection.execute(
        "SELECT batch_id, inverse_of, kind FROM batch WHERE inverse_of IS NOT NULL "
        "ORDER BY batch_id"
    ):
        if kind == "undo":
            back.add(inverse_of)
            undid[batch_id] = inverse_of
        else:
            back.discard(undid[inverse_of])
    return back


def _stacks(
    connection: sqlite3.Connection, by: str, query_id: str | None
) -> tuple[list[int], list[int]]:
    """My batches that can be undone, and my undos that can be redone, oldest first."""
    done: list[int] = []
    undone: list[int] = []
    undid: dict[int, int] = {}
    rows = connection.execute(
        "SELECT batch_id, kind, inverse_of FROM batch WHERE by = :by "
        "AND kind <> 'import' AND (:query IS NULL OR EXISTS (SELECT 1 FROM event "
        "WHERE event.batch_id = batch.batch_id AND query_id = :query)) "
        "ORDER BY batch_id",
        {"by": by, "query": query_id},
    )
    for batch_id, kind, inverse_of in rows:
        if kind == "edit":
            done.append(batch_id)
            undone.clear()
        elif kind == "undo":
            undid[batch_id] = inverse_of
            if inverse_of in done:
                done.remove(inverse_of)
            undone.append(batch_id)
        else:
            # An edit in another query may have cleared it; in its own it was redone.
            if inverse_of in undone:
                undone.remove(inverse_of)
            done.append(undid[inverse_of])
    # Someone may have taken back a batch of mine by its event.
    taken_back = _taken_back(connection)
    return [batch for batch in done if batch not in taken_back], undone


def _batch_of_event(connection: sqlite3.Connection, event: int) -> int:
    row = connection.execute(
        "SELECT batch_id, kind FROM batch WHERE batch_id = "
        "(SELECT batch_id FROM event WHERE event_id = ?)",
        (event,),
    ).fetchone()
    if row is None:
        raise UnknownNameError(
            f"No event {event}. `curator history WORKSPACE` lists them."
        )
    if row[1] != "edit":
        raise UndoError(
            f"Event {event} is part of an {row[1]}; only edits are undone by their "
            "event."
        )
    return int(row[0])
