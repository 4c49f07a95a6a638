"""Apply, undo and redo changes of the bank, each in one transaction.

A page that got no response repeats its request with the same nonce; it gets the batch
saved before, and nothing is saved twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from curator.bank.edits import CheckPair, Edit, apply_change, apply_edits
from curator.bank.questions import Bank
from curator.errors import (
    CuratorError,
    EditError,
    InputFileError,
    NothingToChangeError,
    RemovedQuestionError,
    RoleError,
    StaleEditError,
    UnknownNameError,
)
from curator.formats.text.records import FileLocation, name_of
from curator.results import Result
from curator.snapshot.access import refuse_viewer
from curator.snapshot.ideals import Span, ideal_edits
from curator.snapshot.opened import OpenWorkspace
from curator.store import edits as store_edits
from curator.store import history, question_history
from curator.store.connection import write_transaction
from curator.store.history import Batch, BatchOptions, Event
from curator.verbs.history import refuse_hidden


def apply(
    workspace: OpenWorkspace,
    edits: Edit | Iterable[Edit],
    *,
    by: str | None = None,
    shown: str | None = None,
    nonce: str | None = None,
    seconds: float | None = None,
) -> Batch:
    """Make the edits, all or none, as one batch that is undone as one.

    ``shown`` (what the judge could see) and ``seconds`` (how long they looked) are
    stored with the events. ``nonce`` is the caller's id of this request; a repeated
    request returns the batch it saved and saves nothing. Raises EditError,
    StaleEditError with both texts where a question changed since ``based_on``.
    """
    edit_list = list(edits) if isinstance(edits, Iterable) else [edits]
    if not edit_list:
        raise EditError("Nothing to change: no edit was given.")
    saving = BatchOptions(shown=shown, nonce=nonce, seconds=seconds)
    if workspace.as_judge and by not in (None, workspace.judge):
        raise RoleError(f"{workspace.judge} cannot save edits in the name of {by}.")
    by = by or workspace.judge
    save = partial(store_edits.apply, edits=edit_list, by=by)
    return _save_once(workspace, "apply", saving, save, edit_list)


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
    """Mark a passage, or spans of its text, as ideal answers, or remove marks.

    A span is (start, end) in characters, end exclusive; (0, None) is the whole text.
    With a ``grade`` it is a highlight of the user who opened the workspace. ``shown``
    and ``nonce`` as in ``apply``. Raises EditError, UnknownNameError.
    """
    with workspace.snapshot() as snapshot:
        judge = "" if marked and grade is None else workspace.judge
        edits = ideal_edits(
            snapshot,
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
    """Undo the viewer's latest batch (in this query), or the batch of one event.

    Raises UndoError where there is none, or where someone has changed one of its
    questions since; then nothing is undone and the question is named; RoleError for
    another user's batch, which only organizers may undo. ``shown`` and ``nonce`` are as
    in ``apply``.

    Args:
        event (EVENT): Undo the edit of this event.
    """
    if event is not None:
        with workspace.snapshot() as snapshot:
            refuse_hidden(snapshot, event)
            events = history.read_events_by_number(snapshot.connection, [event])
            workspace.refuse_restricted(undone.change.query_id for undone in events)
        if any(undone.by != workspace.judge for undone in events):
            workspace.require("undo_of_another")
    place: dict[str, Any] = {"query_id": query_id, "event": event}
    undo_of = partial(store_edits.undo, by=workspace.judge, **place)
    saving = BatchOptions(shown=shown, nonce=nonce)
    return _save_once(workspace, "undo", saving, undo_of, **place)


def redo(
    workspace: OpenWorkspace,
    query_id: str | None = None,
    *,
    shown: str | None = None,
    nonce: str | None = None,
) -> Batch:
    """Redo the viewer's latest undo (in this query)."""
    redo_of = partial(store_edits.redo, by=workspace.judge, query_id=query_id)
    saving = BatchOptions(shown=shown, nonce=nonce)
    return _save_once(workspace, "redo", saving, redo_of, query_id=query_id)


def explain(workspace: OpenWorkspace, question_id: str, reason: str) -> None:
    """Save the viewer's reason for retiring or rewording a question; "" removes it.

    Changes only the reason of that event. Raises EditError unless it is the question's
    latest event and the viewer's.
    """
    with write_transaction(workspace.connection):
        workspace.require("explain")
        _refuse_unseen(workspace, [question_id])
        question_history.write_reason(
            workspace.connection, question_id, reason, by=workspace.judge
        )


def _refuse_unseen(
    workspace: OpenWorkspace, question_ids: Iterable[str | None]
) -> None:
    """Raise UnknownNameError for a question that this judge may not see yet.

    That is a hidden proposal, also an undone one. Raises RoleError for a question of a
    restricted query. Runs first because other refusals would quote the question.
    """
    if not workspace.as_judge:
        return
    snapshot = workspace.current_snapshot()
    ids = [question_id for question_id in question_ids if question_id is not None]
    workspace.refuse_restricted(
        query_id
        for query_id in snapshot.restricted
        for question_id in ids
        if snapshot.bank.find(query_id, question_id)
    )
    hidden = {*chain(*snapshot.viewer.hidden.values())}
    for question_id in hidden.intersection(ids):
        snapshot.bank.question(question_id)


def _refuse_hidden_events(
    workspace: OpenWorkspace, verb: str, events: Iterable[Event]
) -> None:
    """Raise UndoError where this judge may not see one of the events to reverse."""
    viewer = workspace.current_snapshot().viewer
    if workspace.as_judge and not all(map(viewer.shows_event, events)):
        raise store_edits.reversal_error(
            verb,
            "it is about a proposal that is hidden from you until you have written "
            "questions of your own",
        )


def _save_for_viewer(
    workspace: OpenWorkspace, save: Callable[[], Batch], edits: Sequence[Edit]
) -> Batch:
    """Save edits without naming anything hidden in an error.

    The judge may see the questions of the edits themselves. An error that occurs with
    the bank as the judge sees it is shown; any other is about a hidden proposal.
    """
    if not (workspace.as_judge and edits):
        return save()
    snapshot = workspace.current_snapshot()
    snapshot.query_ids([*filter(None, (getattr(e, "query_id", None) for e in edits))])
    question_errors = StaleEditError, RemovedQuestionError, UnknownNameError
    with suppress(*question_errors):
        apply_edits(snapshot.bank, edits, judge=workspace.judge)
    try:
        return save()
    except question_errors:
        raise
    except EditError:
        if not snapshot.viewer.closed:
            raise
        raise EditError(
            "Nothing was saved: a proposal that is hidden from you has these words. "
            "Use others, or write questions of your own first."
        ) from None


def _save_once(
    workspace: OpenWorkspace,
    verb: str,
    saving: BatchOptions,
    save: Callable[..., Batch],
    edits: Sequence[Edit] = (),
    query_id: str | None = None,
    event: int | None = None,
) -> Batch:
    """Return what ``save`` saves, or the batch of this nonce; checks permissions."""
    connection = workspace.connection
    with write_transaction(connection):
        workspace.require(verb, edits)
        _refuse_unseen(
            workspace, [getattr(edit, "question_id", None) for edit in edits]
        )
        query_ids = {query_id, *(getattr(edit, "query_id", None) for edit in edits)}
        nonce = saving.get("nonce")
        saved = None if nonce is None else history.batch_of_nonce(connection, nonce)
        events: tuple[Event, ...] = ()
        if verb in store_edits.PAST_PARTICIPLES and saved:
            events = history.read_events_by_number(connection, saved.event_ids)
        elif verb in store_edits.PAST_PARTICIPLES:
            events = store_edits.events_to_reverse(
                connection, verb, workspace.judge, query_id, event
            )
        query_ids |= {reversed_event.change.query_id for reversed_event in events}
        workspace.refuse_restricted(filter(None, query_ids))
        _refuse_hidden_events(workspace, verb, events)
        batch = saved or _save_for_viewer(
            workspace, partial(save, connection, **saving), edits
        )
        workspace.refuse_restricted(change.query_id for change in batch.changes)
    if not any(change.mark and change.mark.is_shared for change in batch.changes):
        return batch
    with workspace.snapshot() as snapshot:
        visible = map(snapshot.viewer.visible_change, batch.changes)
        return replace(batch, changes=tuple(visible))


Row = TypeVar("Row")


@dataclass(frozen=True)
class Recorded(Result["Recorded"]):
    """Counts of the rows saved and of those ``unchanged``, and the judges saved for."""

    recorded: int
    unchanged: int
    judges: tuple[str, ...]


def judge_of(workspace: OpenWorkspace, place: FileLocation, name: object) -> str:
    """Return the judge of a row, that of the workspace where it names none.

    Raises RoleError for a listed viewer, InputFileError for what is no name.
    """
    judge = workspace.judge if name is None else name_of(place, name, "judge")
    if workspace.refuse_viewers is not False:
        remedy = "name another judge in the row or by --judge, or give --force"
        refuse_viewer(workspace.connection, judge, "apply", remedy)
    return judge


def record_edits(
    workspace: OpenWorkspace,
    bank: Bank,
    rows: Iterable[tuple[FileLocation, object, Row]],
    edits_of: Callable[[Bank, Row, str], Sequence[Edit]],
) -> Recorded:
    """Save the edits of rows, given with places and names. Within a transaction.

    ``edits_of`` reads a row of a judge, given the bank as the rows before leave it.
    Raises InputFileError, which names the line.
    """
    edits: defaultdict[str, list[Edit]] = defaultdict(list)
    recorded = unchanged = 0
    for place, name, row in rows:
        try:
            judge = judge_of(workspace, place, name)
            edits_read = edits_of(bank, row, judge)
            for edit in edits_read:
                bank = apply_change(bank, edit.change(bank, judge), judge=judge)
        except NothingToChangeError:
            unchanged += 1
        except InputFileError:
            raise
        except CuratorError as error:
            raise place.error(str(error)) from None
        else:
            edits[judge] += edits_read
            recorded += 1
    for judge, judge_edits in edits.items():
        checks = [edit for edit in judge_edits if isinstance(edit, CheckPair)]
        times = [check.seconds for check in checks if check.seconds is not None]
        seconds = sum(times) if times else None
        store_edits.apply(workspace.connection, judge_edits, by=judge, seconds=seconds)
    return Recorded(recorded, unchanged, tuple(sorted(edits)))
