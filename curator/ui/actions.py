"""What buttons do: each callback is one edit, saved before anything is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from curator.bank.edits import Add, Done, Edit, Restore, Retire, Reword
from curator.errors import NothingToChangeError, StaleEditError
from curator.store.history import Batch
from curator.ui import session
from curator.ui.present import queries
from curator.workspace import Workspace


@dataclass(frozen=True)
class Conflict:
    """A save that was refused: both texts, and what they began from."""

    question_id: str
    mine: str
    theirs: str
    base: str | None
    theirs_revision: int
    theirs_by: str


@dataclass(frozen=True)
class Editing:
    """The one question being reworded, at the revision its editor began from."""

    question_id: str
    revision: int
    query_id: str | None  # where the editor is in sight


def picked() -> None:
    """A row was clicked: open its query, question or passage."""
    family, _, name = str(st.session_state.picker.pick or "").partition(":")
    if family == "query":
        open_query(name)
    elif family == "question":
        shown = session.view().question
        session.look(question=None if name == shown else name)
    elif family == "passage":
        session.look(passage=name)
    elif family == "event" and name.isdigit():
        session.look(event=int(name))


def open_query(query_id: str) -> None:
    """Open a query from its top, unless a text is being written in this one."""
    editing: Editing | None = st.session_state.get("editing")
    if editing is not None and editing.query_id == session.view().query != query_id:
        session.note("Save or cancel the open text first; it stays here.", error=True)
        return
    session.look(query=query_id, question=None, passage=None)


def retire(question_id: str, revision: int) -> None:
    """Take the question out of every measure."""
    _save(Retire(question_id, based_on=revision), question_id)


def restore(question_id: str, revision: int) -> None:
    """Keep a retired question again."""
    _save(Restore(question_id, based_on=revision), question_id)


def start_rewording(question_id: str, revision: int, text: str) -> None:
    """Open the editor on this question."""
    st.session_state.editing = Editing(question_id, revision, session.view().query)
    st.session_state[text_key(question_id)] = text
    st.session_state.pop("conflict", None)


def cancel_rewording() -> None:
    """Close the editor without saving."""
    st.session_state.pop("editing", None)
    st.session_state.pop("conflict", None)


def save_rewording() -> None:
    """Save the text in the editor, unless someone has changed the question since."""
    editing: Editing = st.session_state.editing
    text = str(st.session_state[text_key(editing.question_id)])
    _reword(editing.question_id, text, editing.revision)


def keep_mine() -> None:
    """Save my text over theirs, now that I have seen it."""
    conflict: Conflict = st.session_state.conflict
    _reword(conflict.question_id, conflict.mine, conflict.theirs_revision)


def keep_theirs() -> None:
    """Leave their text; mine is given up because I said so."""
    cancel_rewording()


def edit_mine() -> None:
    """Go back to writing, with my text, on top of theirs."""
    conflict: Conflict = st.session_state.conflict
    start_rewording(conflict.question_id, conflict.theirs_revision, conflict.mine)


def add(query_id: str) -> None:
    """Add the question in the form; the text stays there if it is refused."""
    text = str(st.session_state.add_text)
    subtopic = st.session_state.get("add_subtopic")
    batch = _save(Add(query_id, text, subtopic_id=subtopic), None)
    if batch is not None:
        st.session_state.add_text = ""
        session.look(question=batch.changes[0].question_id)
        st.session_state.to_grade = query_id


def undo(query_id: str) -> None:
    """Take back my latest batch in this query."""
    _attempt(lambda workspace: workspace.undo(query_id))


def redo(query_id: str) -> None:
    """Make again what my latest undo took back."""
    _attempt(lambda workspace: workspace.redo(query_id))


def undo_event(event_id: int) -> None:
    """Take back the batch of one event."""
    _attempt(lambda workspace: workspace.undo(event=event_id))


def mark(query_id: str, done: bool) -> None:
    """Tick the query and go to the next one without a tick, or take the tick away."""

    def tick(workspace: Workspace) -> Batch:
        batch = workspace.apply(Done(query_id, done))
        if done:
            rows = queries.query_rows(
                workspace.collection(), workspace.bank(), workspace.judge, query_id
            )
            following = queries.next_to_do(rows, query_id)
            if following is not None:
                open_query(following)
        return batch

    _attempt(tick)


def text_key(question_id: str) -> str:
    """The session key of a question's editor."""
    return f"reword_text_{question_id}"


def _reword(question_id: str, text: str, revision: int) -> None:
    try:
        with session.workspace() as workspace:
            batch = workspace.apply(Reword(question_id, text, based_on=revision))
    except NothingToChangeError:
        cancel_rewording()
    except StaleEditError as error:
        st.session_state.conflict = Conflict(
            question_id=question_id,
            mine=text,
            theirs=error.theirs or "",
            base=error.base,
            theirs_revision=error.theirs_revision,
            theirs_by=error.theirs_by or "Someone",
        )
    except session.EXPECTED as error:
        session.note(str(error), error=True)
    else:
        cancel_rewording()
        st.session_state.to_grade = batch.changes[0].query_id


def _save(edit: Edit, question_id: str | None) -> Batch | None:
    if question_id is not None:
        session.look(question=question_id)
    return _attempt(lambda workspace: workspace.apply(edit))


def _attempt(change: Callable[[Workspace], Batch]) -> Batch | None:
    """The batch written, or None with the reason noted in one line."""
    try:
        with session.workspace() as workspace:
            return change(workspace)
    except session.EXPECTED as error:
        session.note(str(error), error=True)
        return None
