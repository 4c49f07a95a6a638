"""Changes to the bank, made and taken back, each in one transaction.

A page that had no answer sends its save again under the same nonce; what that nonce
saved is then the answer, and nothing is saved twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from sqlite3 import Connection
from typing import Unpack

from curator.bank.edits import Decide, Dismiss, Edit, apply_edits
from curator.engine.ideals import Span, marking
from curator.engine.opened import OpenWorkspace
from curator.errors import (
    EditError,
    RoleError,
    StaleEditError,
    TakenBackError,
    UndoError,
    UnknownNameError,
)
from curator.store import edits as store_edits
from curator.store import history, question_history
from curator.store.connection import exclusive
from curator.store.history import Batch, Event, Saving
from curator.verbs.history.history import refuse_hidden

__all__ = ["Batch", "apply", "explain", "mark_ideals", "redo", "undo"]


def apply(
    workspace: OpenWorkspace,
    edits: Edit | Iterable[Edit],
    *,
    by: str | None = None,
    shown: str | None = None,
    nonce: str | None = None,
    seconds: float | None = None,
) -> Batch:
    """Make the edits, all or none, as one batch that undoes as one.

    ``shown`` and ``seconds`` are kept with the events: what the judge could see, and
    how long they looked. ``nonce`` is the caller's own name for this save; sent again,
    it answers with the batch that it saved and saves nothing. Raises EditError,
    StaleEditError with both texts where a question changed since ``based_on``.
    """
    many = list(edits) if isinstance(edits, Iterable) else [edits]
    if not many:
        raise EditError("Nothing to change: no edit was given.")
    saving = Saving(shown=shown, nonce=nonce, seconds=seconds)
    if workspace.as_judge and by not in (None, workspace.judge):
        raise RoleError(f"{workspace.judge} cannot sign for {by}: edits are one's own.")
    by = by or workspace.judge
    save = partial(store_edits.apply, edits=many, by=by)
    looked_at = [one for one in many if isinstance(one, Dismiss | Decide)]
    if not looked_at:
        return _saved_once(workspace, "apply", saving, save, many)
    state = workspace.state()

    def as_seen(connection: Connection, **saving: Unpack[Saving]) -> Batch:
        for one in looked_at:
            state.query_ids(one.query_id)  # refuses an unknown query
        state.viewer.refuse(state.bank, looked_at)
        return save(connection, **saving)

    return _saved_once(workspace, "apply", saving, as_seen, many)


def mark_ideals(
    workspace: OpenWorkspace,
    query_id: str,
    passage_id: str,
    spans: Iterable[Span] = ((0, None),),
    *,
    marked: bool = True,
    grade: int | None = None,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Mark a passage, or spans of its text, as ideal answers, or take marks away.

    A span is (start, end) in characters, end exclusive; (0, None) is all of it. With a
    ``grade`` it is a highlight of whoever opened the workspace. ``shown`` and
    ``nonce`` as in ``apply``. Raises EditError, UnknownNameError.
    """
    with workspace.snapshot() as state:
        judge = "" if marked and grade is None else workspace.judge
        edits = marking(
            state,
            query_id,
            passage_id,
            spans,
            marked=marked,
            judge=judge,
            grade=grade,
        )
    return apply(workspace, edits, shown=shown, nonce=nonce)


def undo(
    workspace: OpenWorkspace,
    query_id: str | None = None,
    *,
    event: int | None = None,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Take back my latest batch (in this query), or the batch of one event.

    ``shown`` and ``nonce`` as in ``apply``. Raises UndoError where there is none, or
    where someone has changed one of its questions since; then nothing is undone and the
    question is named; RoleError for another's batch, which organizers alone take back.
    """
    if event is not None:
        with workspace.snapshot() as state:
            refuse_hidden(state, event)
            found = history.events_of(state.connection, [event])
            workspace.refuse_restricted(one.change.query_id for one in found)
        if any(one.by != workspace.judge for one in found):
            workspace.require("undo_of_another")
    undo_of = partial(
        store_edits.undo, by=workspace.judge, query_id=query_id, event=event
    )
    saving = Saving(shown=shown, nonce=nonce)
    return _saved_once(
        workspace, "undo", saving, undo_of, query_id=query_id, event=event
    )


def redo(
    workspace: OpenWorkspace,
    query_id: str | None = None,
    *,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Make again what my latest undo (in this query) took back."""
    redo_of = partial(store_edits.redo, by=workspace.judge, query_id=query_id)
    saving = Saving(shown=shown, nonce=nonce)
    return _saved_once(workspace, "redo", saving, redo_of, query_id=query_id)


def explain(workspace: OpenWorkspace, question_id: str, reason: str) -> None:
    """Say why I retired or reworded this question; "" takes the reason away.

    Changes neither bank nor history but the words of that event. Raises EditError
    unless that is the latest that happened to the question, and done by me.
    """
    with exclusive(workspace.connection):
        workspace.require("explain")
        _refuse_unseen(workspace, [question_id])
        question_history.explain(
            workspace.connection, question_id, reason, by=workspace.judge
        )


def _refuse_unseen(
    workspace: OpenWorkspace, question_ids: Iterable[str | None]
) -> None:
    """Raise UnknownNameError for a question that this judge may not see yet.

    That is a hidden proposal, also one that was taken back; RoleError for a question of
    a restricted query. Any other refusal would name it in its words.
    """
    if not workspace.as_judge:
        return
    state = workspace.state()
    ids = [question_id for question_id in question_ids if question_id is not None]
    workspace.refuse_restricted(
        query_id
        for query_id in state.restricted
        for question_id in ids
        if state.bank.find(query_id, question_id)
    )
    hidden = {*chain(*state.viewer.hidden.values())}
    for question_id in hidden.intersection(ids):
        state.bank.question(question_id)


def _refuse_hidden_events(
    workspace: OpenWorkspace, verb: str, events: Iterable[Event]
) -> None:
    """Raise UndoError where this judge may not see one of the events to be reversed."""
    if workspace.as_judge and not all(map(workspace.state().viewer.event, events)):
        raise UndoError(
            f"Nothing was {store_edits.PAST[verb]}: it is about a proposal that is "
            "hidden from you until you have written questions of your own."
        )


def _save_as_seen(
    workspace: OpenWorkspace, save: Callable[[], Batch], edits: Sequence[Edit]
) -> Batch:
    """Save edits, refused in words that name no hidden proposal.

    The questions of the edits themselves are known to be seen. Any other refusal that
    the bank as this judge sees it does not give is about a hidden proposal.
    """
    state = workspace.state()
    if not (workspace.as_judge and state.viewer.closed and edits):
        return save()
    of_own_question = StaleEditError, TakenBackError, UnknownNameError
    with suppress(*of_own_question):
        apply_edits(state.seen.bank, edits, judge=workspace.judge)
    try:
        return save()
    except of_own_question:
        raise
    except EditError:
        raise EditError(
            "Nothing was saved: a proposal that is hidden from you has these words. "
            "Use others, or write questions of your own first."
        ) from None


def _saved_once(
    workspace: OpenWorkspace,
    verb: str,
    saving: Saving,
    save: Callable[..., Batch],
    edits: Sequence[Edit] = (),
    query_id: str | None = None,
    event: int | None = None,
) -> Batch:
    """What ``save`` saves, or what this nonce saved before, if it is theirs to do."""
    connection = workspace.connection
    with exclusive(connection):
        workspace.require(verb, edits)
        _refuse_unseen(workspace, [getattr(one, "question_id", None) for one in edits])
        about = {query_id, *(getattr(one, "query_id", None) for one in edits)}
        nonce = saving.get("nonce")
        saved = None if nonce is None else history.batch_of_nonce(connection, nonce)
        events: tuple[Event, ...] = ()
        if verb in store_edits.PAST:
            events = (
                history.events_of(connection, saved.event_ids)
                if saved
                else store_edits.events_to_reverse(
                    connection, verb, workspace.judge, query_id, event
                )
            )
        about |= {reversed_event.change.query_id for reversed_event in events}
        workspace.refuse_restricted(filter(None, about))
        _refuse_hidden_events(workspace, verb, events)
        batch = saved or _save_as_seen(
            workspace, partial(save, connection, **saving), edits
        )
        workspace.refuse_restricted(one.query_id for one in batch.changes)
    if not any(one.kind.endswith("dismiss") for one in batch.changes):
        return batch
    with workspace.snapshot() as state:
        return replace(batch, changes=tuple(map(state.viewer.change, batch.changes)))
