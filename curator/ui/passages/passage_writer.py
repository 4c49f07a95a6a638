"""Beneath the selected passage: a question written from it, marks, the way to Curate.

The same component hears the page's filters, so that one listener serves them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import cast, get_args

import streamlit as st
from streamlit.components.v2 import component

from curator.bank.edits import Add
from curator.bank.questions import Kind
from curator.bank.wording import MAX_TEXT
from curator.collection.queries import Query
from curator.errors import UnknownNameError
from curator.ui.curate import asking_words
from curator.ui.curate.proposal_rows import gate_words
from curator.ui.shared import events, scripts, session
from curator.ui.shared.settings import settings_for
from curator.verbs.passages.pool_rows import Show
from curator.workspace import Workspace

WRITER = "passage_writer"  # the component's key

_mount = component(
    "curator_passage_writer",
    js=scripts.module(
        "shared/elements",
        "shared/drafts",
        "shared/conflict",
        "shared/drawn",
        "shared/intents",
        "passages/ideals",
        "answers/verdicts",
        "passages/passage_writer",
    ),
    isolate_styles=False,
)


@dataclass(frozen=True)
class Heard:
    """The latest question the page sent, by its nonce, and what came of it.

    ``question_id`` is the question added, from ``passage_id``; ``line`` says why
    nothing was.
    """

    nonce: str
    question_id: str | None = None
    passage_id: str | None = None
    line: str = ""


def heard() -> Heard:
    """What was heard last."""
    found: Heard = st.session_state.get("passages_heard", Heard(""))
    return found


def passage_writer(
    query: Query,
    passage_id: str | None,
    said: str,
    *,
    noun: str = "question",
    ideal: bool = False,
) -> None:
    """The buttons and the form; nothing but the listener without a passage.

    ``noun`` is what is written here: a question, or a nugget; ``ideal`` says whether
    the passage, or words in it, are marked as an ideal answer.
    """
    last, view = heard(), session.view()
    _mount(
        key=WRITER,
        data={
            "workspace": session.workspace_id(),
            "query": query.query_id,
            "passage": passage_id,
            "noun": noun,
            "subtopics": [
                [s.subtopic_id, s.text or s.subtopic_id] for s in query.subtopics
            ],
            "longest": MAX_TEXT,
            "heard": [last.nonce, st.session_state.get("passages_sent", "")],
            "ok": not last.line,
            "said": last.line or said,
            "sight": [passage_id, view.page, view.show, view.question, view.system],
            "ideal": ideal,
            "answers": [asdict(answer) for answer in session.answers()],
        },
        on_intent_change=partial(events.intended, WRITER),
        on_sent_change=sent,
        on_added_change=added,
    )


def added() -> None:
    """Save the question that was written, once."""
    told = _told("added")
    if told["nonce"] and told["nonce"] != heard().nonce:
        st.session_state.passages_heard = add(told)


def sent() -> None:
    """Do what the page asks for, once; what cannot be understood changes nothing."""
    told = _told("sent")
    if not told["nonce"] or told["nonce"] == st.session_state.get("passages_sent"):
        return
    st.session_state.passages_sent = told["nonce"]
    match told.get("name"):
        case "filter":
            choose(*told.get("filter", "").partition(":")[::2])
        case "open":
            session.look(passage=told.get("passage"))
            st.session_state.go_to = "Curate"
        case "propose":
            propose(told.get("query", ""), told.get("passage", ""))


def propose(query_id: str, passage_id: str) -> None:
    """Have the model ask what this passage answers; where none can be, say why."""
    try:
        with session.drawing() as workspace:
            model = workspace.default_request().model
            gate = workspace.gate(query_id)
            if passage_id not in workspace.collection().pools[query_id].passage_ids:
                return
    except (*session.EXPECTED, KeyError):
        return  # the page itself says what is wrong
    wanting = gate_words(gate.left) if gate.closed else ""
    wanting = wanting or asking_words.wanting(model=model, endpoint=session.endpoint())
    if wanting:
        session.note(wanting, error=True)
    else:
        session.ask(query_id, passage_id=passage_id)


def _told(trigger: str) -> dict[str, str]:
    """What the page sent, as far as it is text; the nonce is there, if only as ""."""
    value = st.session_state[WRITER][trigger]
    said = value.items() if isinstance(value, Mapping) else ()
    return {"nonce": ""} | {str(n): v for n, v in said if isinstance(v, str)}


def choose(name: str, value: str) -> None:
    """Take one filter, from its first page on; a question chosen again is let go."""
    view = session.view()
    if name == "show" and value in get_args(Show):
        session.look(show=cast("Show", value), page=1, passage=None)
    elif name == "question":
        again = value == view.question
        session.look(question=None if again else value, page=1, passage=None)
    elif name == "system":
        session.look(system=value or None, page=1, passage=None)


def add(told: Mapping[str, str]) -> Heard:
    """Save a question written from a passage, as this judge's edit."""
    nonce, query_id = told["nonce"], told.get("query", "")
    try:
        with session.workspace() as workspace:
            if query_id not in workspace.collection().pools:
                raise UnknownNameError(f"No query '{query_id}' in this workspace.")
            edit = Add(
                query_id,
                told.get("text", ""),
                kind=_kind(workspace),
                subtopic_id=told.get("subtopic") or None,
            )
            batch = workspace.apply(edit, nonce=nonce, shown=session.shown())
    except session.EXPECTED as error:
        return Heard(nonce, line=str(error))
    st.session_state.to_grade = query_id
    return Heard(nonce, batch.changes[0].question_id, told.get("passage"))


def _kind(workspace: Workspace) -> Kind:
    """What the selected grader grades: a nugget for nuggets, else a question."""
    settings = settings_for(workspace, session.view(), [])
    kinds = {grader.name: grader.item_kind for grader in workspace.graders()}
    if settings is not None and kinds[settings.grader] == "nugget":
        return "nugget"
    return "question"
