"""Taking edits back, and making them again.

Undo appends the inverse of a batch, redo the inverse of an undo. Neither overrides
anyone: where a question was changed since, nothing is done and the question is named.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import replace

from curator.bank.marks import Ideal, Judged, Mark, Marked, Voted
from curator.bank.questions import Question
from curator.errors import UndoError, UnknownNameError
from curator.store import bank as store_bank
from curator.store.edit_codec import base_kind
from curator.store.history import (
    Batch,
    BatchKind,
    Event,
    inverted,
    read_events,
    record,
)
from curator.store.retirements import last_reason

# By (question id, judge) the vote, by (query id, (question's text, answer, judge)) the
# question id and the verdict, by (query id, ideal answer) whether it is marked.
MarkPlace = tuple[str, str | Ideal | tuple[str, str, str]]
Marks = dict[MarkPlace, object]

PAST: dict[str, str] = {"undo": "undone", "redo": "redone"}


def undo(
    connection: sqlite3.Connection,
    *,
    by: str,
    query_id: str | None = None,
    event: int | None = None,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Append the inverse of my latest batch in this query, or of an event's batch."""
    if event is not None:
        batch_id = _batch_of_event(connection, event)
        if batch_id in _taken_back(connection):
            raise UndoError(f"Event {event} has been taken back already.")
    else:
        done, _ = _stacks(connection, by=by, query_id=query_id)
        if not done:
            where = "" if query_id is None else f" in query '{query_id}'"
            raise UndoError(f"Nothing of yours to undo{where}, {by}.")
        batch_id = done[-1]
    return _inverse(connection, batch_id, by=by, kind="undo", shown=shown, nonce=nonce)


def redo(
    connection: sqlite3.Connection,
    *,
    by: str,
    query_id: str | None = None,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Append the inverse of my latest undo (in this query)."""
    _, undone = _stacks(connection, by=by, query_id=query_id)
    if not undone:
        where = "" if query_id is None else f" in query '{query_id}'"
        raise UndoError(f"Nothing of yours to redo{where}, {by}.")
    return _inverse(
        connection, undone[-1], by=by, kind="redo", shown=shown, nonce=nonce
    )


def before_last_batch(
    connection: sqlite3.Connection, *, by: str, query_id: str | None = None
) -> int | None:
    """The event just before my latest batch that still stands, None without one.

    A done mark or a verdict on an answer changes no number, so it is passed over.
    """
    done, _ = _stacks(connection, by=by, query_id=query_id)
    for batch_id in reversed(done):
        first, counting = connection.execute(
            "SELECT min(event_id), sum(kind NOT LIKE '%done' AND kind NOT LIKE "
            "'%reopen' AND kind NOT LIKE '%verdict') FROM event WHERE batch_id = ?",
            (batch_id,),
        ).fetchone()
        if counting:
            return int(first) - 1
    return None


def _inverse(
    connection: sqlite3.Connection,
    batch_id: int,
    *,
    by: str,
    kind: BatchKind,
    shown: str | None,
    nonce: str | None,
) -> Batch:
    events = read_events(connection, batch_id=batch_id)
    if events[0].batch_kind == "import":
        raise UndoError("An import is not undone; retire its questions instead.")
    changes = []
    # A batch may have changed a thing twice; each inverse starts where the last led.
    now_by_id: dict[str, Question | None] = {}
    marks = standing_marks(connection, {event.change.query_id for event in events})
    marked = {q for q, judge in store_bank.read_done(connection) if judge == by}
    for event in events:
        change = inverted(event.change)
        question_id = change.question_id
        if change.mark is not None:
            _refuse_other_mark(event, change.mark, marks, by=by, kind=kind)
            _refuse_vote_on_nothing(connection, change.mark, now_by_id, kind=kind)
        elif question_id is None:
            _refuse_mark(event, change.query_id in marked, by=by, kind=kind)
            marked ^= {change.query_id}
        else:
            if question_id not in now_by_id:
                now_by_id[question_id] = store_bank.read_question(
                    connection, question_id
                )
            current = now_by_id[question_id]
            _refuse_if_changed_since(connection, event, current, kind=kind)
            if change.after is None:
                _refuse_loss_of_votes(event, question_id, marks, kind=kind)
            change = replace(
                change, before=current, after=_later(change.after, than=current)
            )
            if change.after is not None and change.after.state == "retired":
                change = replace(change, reason=last_reason(connection, question_id))
            now_by_id[question_id] = change.after
        changes.append(replace(change, kind=f"{kind} {base_kind(event.change.kind)}"))
    first = min(event.event_id for event in events)
    _refuse_second_of_a_text(connection, now_by_id, first, kind=kind)
    return record(
        connection,
        changes,
        by=by,
        kind=kind,
        inverse_of=batch_id,
        shown=shown,
        nonce=nonce,
    )


def _later(question: Question | None, *, than: Question | None) -> Question | None:
    """The question under a new revision: a draft begun on an older one is stale."""
    if question is None:
        return None
    known = question.revision if than is None else max(question.revision, than.revision)
    return replace(question, revision=known + 1)


def _refuse_mark(event: Event, marked: bool, *, by: str, kind: BatchKind) -> None:
    """Refuse to take back another judge's mark, or one that has changed since."""
    if event.by != by:
        raise UndoError(f"Only {event.by} can take back that mark.")
    if marked != event.change.done:
        raise UndoError(
            f"Nothing was {PAST[kind]}: the mark on query '{event.change.query_id}' "
            "has changed since."
        )


def standing_marks(connection: sqlite3.Connection, query_ids: Iterable[str]) -> Marks:
    """The votes, verdicts and ideal answers that stand in these queries."""
    marks: Marks = {}
    for query_id in query_ids:
        for question_id, votes in store_bank.read_votes(connection, query_id).items():
            marks |= {(question_id, judge): vote for judge, vote in votes}
        ideals = store_bank.read_ideals(connection, query_id).get(query_id, ())
        marks |= {(query_id, ideal): True for ideal in ideals}
        for one in store_bank.read_verdicts(connection, query_id).get(query_id, ()):
            marks[query_id, (one.question, one.answer, one.judge)] = (
                one.question_id,
                one.value,
            )
    return marks


def _refuse_other_mark(
    event: Event, wanted: Mark, marks: Marks, *, by: str, kind: str
) -> None:
    """Refuse to take back what another judge said, or what has changed since.

    Else it is as good as done in ``marks``.
    """
    if event.by != by:
        raise UndoError(f"Only {event.by} can take that back.")
    place: MarkPlace
    before: object = wanted.before or None
    after: object = wanted.after or None
    match wanted:
        case Voted(question_id):
            place, what = (question_id, by), "vote"
        case Judged(question_id, question, answer):
            place, what = (event.change.query_id, (question, answer, by)), "verdict"
            before = before and (question_id, before)
            after = after and (question_id, after)
        case Marked(ideal):
            place, what = (event.change.query_id, ideal), "mark"
    if marks.get(place) != before:
        raise UndoError(f"Nothing was {PAST[kind]}: that {what} has changed since.")
    marks[place] = after


def _refuse_vote_on_nothing(
    connection: sqlite3.Connection,
    mark: Mark,
    now_by_id: Mapping[str, Question | None],
    *,
    kind: str,
) -> None:
    """Refuse a vote on a question that an undo has taken out since."""
    if not isinstance(mark, Voted) or mark.after is None:
        return
    if mark.question_id not in now_by_id and not store_bank.read_question(
        connection, mark.question_id
    ):
        raise UndoError(
            f"Nothing was {PAST[kind]}: the question voted on was taken out again."
        )


def _refuse_loss_of_votes(
    event: Event, question_id: str, marks: Marks, *, kind: str
) -> None:
    """Refuse to take a question out that people have voted on."""
    if any(vote for (what, _), vote in marks.items() if what == question_id):
        title = event.change.after.title if event.change.after else question_id
        # Not who: whoever has no vote on it is not to know.
        raise UndoError(
            f"Nothing was {PAST[kind]}: somebody has voted on '{title}' since. Retire "
            "it instead."
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
    question = current or event.change.after or event.change.before
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
    now_by_id: Mapping[str, Question | None],
    first: int,
    *,
    kind: BatchKind,
) -> None:
    """Refuse where another kept question of the query has come to have one's text.

    ``now_by_id`` are the questions as this whole batch leaves them: on its way it may
    take the text from one and give it to another, or swap two. One that had the text
    before ``first``, the batch's first event, came in so: a published bank may ask the
    same twice.
    """
    changed = [one for one in now_by_id.values() if one and one.state == "kept"]
    kept_by_text: dict[tuple[str, str | None], dict[str, Question]] = {}
    for query_id in dict.fromkeys(question.query_id for question in changed):
        stored = store_bank.read_questions(connection, query_id)
        now = {one.question_id: one for one in stored} | dict(now_by_id)
        for one in now.values():
            if one is not None and one.query_id == query_id and one.state == "kept":
                kept = kept_by_text.setdefault((query_id, one.text), {})
                kept[one.question_id] = one
    for question in changed:
        if question.text is None:
            continue
        twins = kept_by_text[question.query_id, question.text]
        for sibling_id, twin in twins.items():
            if sibling_id != question.question_id and not _stood_before(
                connection, twin, first
            ):
                raise UndoError(
                    f"Nothing was {PAST[kind]}: '{question.title}' stands in the query "
                    f"a second time since ({sibling_id})."
                )


def _stood_before(
    connection: sqlite3.Connection, question: Question, event: int
) -> bool:
    """Whether the question was kept, in these words, just before this event."""
    then: Question | None = question
    for later in read_events(connection, query_id=question.query_id, after=event - 1):
        change = later.change
        if change.question_id == question.question_id and change.mark is None:
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
    connection: sqlite3.Connection, *, by: str, query_id: str | None
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
