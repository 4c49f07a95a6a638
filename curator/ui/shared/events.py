"""What the page's controls do: each callback saves before anything is drawn."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import parse_qsl

import streamlit as st

from curator.bank.edits import Change
from curator.bank.edits.vote import Voted
from curator.bank.wording import shortened
from curator.errors import AlreadyAskedError, NothingToChangeError, StaleEditError
from curator.store.history import Batch
from curator.ui.compare import page_state
from curator.ui.curate.proposal_rows import gate_words
from curator.ui.files import page_state as exporting
from curator.ui.passages import ideals
from curator.ui.shared import intents, query_rows, session
from curator.ui.shared.intents import Answer, Conflict, Intent
from curator.workspace import Workspace

LIST = "question_list"  # the component's key
VOTES = "vote_list"  # that of the Judges page
UNREADABLE = "The page sent what this server does not understand: reload the page."
ELSEWHERE = "An edit was meant for another workspace or judge; it was not saved."
UNEXPECTED = "Not saved: something unexpected happened; the server's log says what."


def picked() -> None:
    """A row or a choice on the page was clicked: look at that."""
    family, _, name = session.take_pick().partition(":")
    if page_state.heard(family, name) or exporting.heard(family, name):
        return
    if family == "query":
        open_query(name)
    elif family == "passage":
        session.look(passage=name)
    elif family == "event" and name.isdigit():
        session.look(event=int(name))
    elif family == "solo":
        alone = not session.view().solo or session.view().question != name
        session.look(question=name, solo=alone)
    elif family == "set":
        session.choose(*name.split("=", 1))
    elif family in ("pause", "resume") and name.isdigit():
        change_job(family, int(name))
    elif family == "grade":
        session.send("start", name)
        st.session_state.pop("counted", None)  # it is not what is missing any more
    elif family == "count":
        session.send("count", name)
        st.session_state.go_to = "Grading"
    elif family == "again":
        session.send("again", name)
    elif family == "unreadable":
        st.session_state.unreadable_of = name
        st.session_state.go_to = "Grading"
    elif family == "forget" and name in ("begun", "asked"):
        st.session_state.pop(name, None)
    elif family == "at":
        _open_at(name)
    elif family == "browse":
        st.session_state.browse = name
    elif family == "goto":
        st.session_state.go_to = name
    elif family == "page":
        # Among all of the pool: a filter might leave out the very one.
        session.look(passage=name, question=None, show="all", system=None)
        st.session_state.go_to = "Passages"
    elif family == "ballot":
        _open_ballot(name)
    elif family == "guidelines":
        st.session_state.guidelines = True


def selected(key: str = LIST) -> None:
    """A question was selected in the list."""
    name = st.session_state[key].selected
    if isinstance(name, str):
        # Heard late, it must not end what was asked of this question meanwhile.
        alone = session.view().solo and session.view().question == name
        session.look(question=name, solo=alone)


def intended(key: str = LIST) -> None:
    """The question list wants something changed; it hears what became of it."""
    value = st.session_state[key].intent
    nonce = intents.nonce_of(value)
    # One that was answered has an answer under way; a refusal is not tried again.
    if nonce is None or any(answer.nonce == nonce for answer in session.answers()):
        return
    intent = intents.read_intent(value)
    if intent is None:
        session.answer(Answer(nonce, False, line=UNREADABLE))
    elif intent.workspace != session.workspace_id():
        session.answer(Answer(nonce, False, line=ELSEWHERE))
    else:
        session.answer(answered(intent))


def answered(intent: Intent) -> Answer:
    """What became of an intent, whatever happens: without an answer it comes again."""
    try:
        return carry_out(intent)
    except Exception:
        logging.getLogger(__name__).exception("an intent was not carried out")
        return Answer(intent.nonce, False, line=UNEXPECTED)


def carry_out(intent: Intent) -> Answer:
    """Save what an intent asks for. Never raises what a judge can cause."""
    if intent.kind == "ask":
        return ask(intent)
    try:
        with session.workspace() as workspace:
            batch = _change(workspace, intent)
            # The judge may have gone on by the time it arrives.
            if intent.kind == "done" and session.view().query == intent.query_id:
                _open_next(workspace, intent.query_id)
    except StaleEditError as error:
        if intent.kind != "reword":
            who = error.theirs_by or "Somebody"
            which = shortened(error.theirs or "")
            line = f"{who} has changed '{which}' meanwhile: look at it as it is now."
            return Answer(intent.nonce, False, line=line)
        same = error.theirs is not None and error.theirs.strip() == error.mine
        conflict = None if same else _conflict(intent, error)
        return Answer(intent.nonce, same, conflict=conflict)
    except AlreadyAskedError as error:
        return Answer(intent.nonce, False, line=str(error))
    except NothingToChangeError:
        return Answer(intent.nonce, True)  # it is as it was wished to be
    except session.EXPECTED as error:
        return Answer(intent.nonce, False, line=str(error))
    _follow(intent, batch)
    changes = batch.changes if batch else ()
    return Answer(
        intent.nonce,
        True,
        question=changes[0].question_id if changes else None,
        revisions=tuple(
            (one.after.question_id, one.before.revision, one.after.revision)
            for one in changes
            if one.before is not None and one.after is not None
        ),
    )


def ask(intent: Intent) -> Answer:
    """Have a model asked beside the page; what comes of it is seen there."""
    try:
        with session.workspace() as workspace:
            gate = workspace.gate(intent.query_id)
    except session.EXPECTED as error:
        return Answer(intent.nonce, False, line=str(error))
    if gate.closed:
        return Answer(intent.nonce, False, line=gate_words(gate.left))
    session.ask(
        intent.query_id,
        subtopic_id=intent.subtopic_id,
        passage_id=intent.passage_id,
        again=intent.again,
    )
    return Answer(intent.nonce, True)


def open_query(query_id: str) -> None:
    """Open a query from its top."""
    session.look(query=query_id, question=None, passage=None, solo=False)


def undo_event(event_id: int) -> None:
    """Take back the batch of one event."""
    _attempt(lambda workspace: workspace.undo(event=event_id))


def _change(workspace: Workspace, intent: Intent) -> Batch | None:
    shown = session.shown()
    if intent.kind == "undo":
        return workspace.undo(intent.query_id, nonce=intent.nonce, shown=shown)
    if intent.kind == "redo":
        return workspace.redo(intent.query_id, nonce=intent.nonce, shown=shown)
    if intent.kind == "reason":
        workspace.explain(intent.question_id, intent.reason)
        return None
    if intent.kind == "ideal":
        return _mark(workspace, intent, shown)
    return workspace.apply(
        intents.edits_of(intent),
        nonce=intent.nonce,
        shown=shown,
        seconds=intent.seconds,
    )


def _mark(workspace: Workspace, intent: Intent, shown: str | None) -> Batch:
    """Mark what was selected in a passage as an ideal answer, or unmark it."""
    passage_id = intent.passage_id or ""
    spans = intent.spans
    if intent.marked and intent.words and len(spans) == 1:
        text = workspace.passage_texts([passage_id]).get(passage_id, "")
        spans = (ideals.located(text, spans[0], intent.words),)
    return workspace.mark_ideals(
        intent.query_id,
        passage_id,
        spans,
        marked=intent.marked,
        nonce=intent.nonce,
        shown=shown,
    )


def _follow(intent: Intent, batch: Batch | None) -> None:
    """Look at what was changed, and have new text graded."""
    if batch is None or intent.kind in ("done", "reopen"):
        return
    voted = [one.mark for one in batch.changes if isinstance(one.mark, Voted)]
    if voted and session.view().query in (None, intent.query_id):
        session.look(question=intent.next_id or voted[0].question_id)
    changed = [change for change in batch.changes if change.question_id]
    if not changed:
        return
    first = changed[0]
    if session.view().query in (None, intent.query_id):
        gone = first.after is None  # an addition taken back
        question_id = None if gone else first.question_id
        following = intent.next_id or question_id
        session.look(question=following, passage=None, solo=False)
    if any(_new_text(change) for change in changed):
        st.session_state.to_grade = first.query_id


def _new_text(change: Change) -> bool:
    """Whether a grader may be asked for something it was not asked for before."""
    before = change.before.text if change.before else None
    return change.after is not None and change.after.text != before


def _conflict(intent: Intent, error: StaleEditError) -> Conflict:
    return Conflict(
        mine="\n".join(intent.texts) or (error.theirs or ""),
        theirs=error.theirs or "",
        base=error.base,
        revision=error.theirs_revision,
        by=error.theirs_by or "Someone",
    )


def _open_next(workspace: Workspace, query_id: str) -> None:
    rows = query_rows.query_rows(
        workspace.collection(), workspace.bank(), workspace.judge, query_id
    )
    following = query_rows.next_to_do(rows, query_id)
    if following is not None:
        open_query(following)


def change_job(what: str, job_id: int) -> None:
    """Pause, resume or stop a job; why it cannot be is noted in one line."""
    try:
        with session.workspace() as workspace:
            change = {
                "pause": workspace.pause_job,
                "resume": workspace.resume_job,
                "stop": workspace.stop_job,
            }[what]
            change(job_id)
    except session.EXPECTED as error:
        session.note(str(error), error=True)


def _open_at(place: str) -> None:
    """Open a passage under a question of any query, on the Passages page."""
    found = dict(parse_qsl(place))
    session.look(
        query=found.get("query"),
        question=found.get("question"),
        passage=found.get("passage"),
        solo=False,
        show="all",
        system=None,
    )
    st.session_state.go_to = "Passages"


def _open_ballot(place: str) -> None:
    """Open a question of any query where it is voted on."""
    found = dict(parse_qsl(place))
    question = found.get("question")
    session.look(query=found.get("query"), question=question, passage=None, solo=False)


def _attempt(change: Callable[[Workspace], Batch]) -> Batch | None:
    """The batch written, or None with the reason noted in one line."""
    try:
        with session.workspace() as workspace:
            return change(workspace)
    except session.EXPECTED as error:
        session.note(str(error), error=True)
        return None
