"""Proposals: how a model is asked for questions, what came of it, who decided what."""

from __future__ import annotations

import streamlit as st

from curator.formats.templates import macro
from curator.verbs.proposals.request import GenerationRequest
from curator.web.components import endpoint_trial, session, shell, words
from curator.web.components.shell import around, framed
from curator.web.pages.judge.proposals.asking import every_query, unread_list, why_not
from curator.web.pages.judge.proposals.decisions import decision_table
from curator.web.pages.judge.proposals.request_form import offered_first, prompt_preview
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import Endpoint

EVERY = 1.5  # seconds between two looks
TEMPLATE = "judge/proposals/page.html"
ABOUT = "what a model proposes counts for nothing until people keep it"
NO_ENDPOINT = (
    "No model can be asked yet: the organizer sets one on Settings. Everything else "
    "works: type, paste a list, import."
)


@st.fragment(run_every=EVERY)
def page() -> None:
    """All of it, looked at again and again; what is typed stays."""
    framed("Proposals", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """What is asked at the left of the exact words, what came of it beneath."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    around(workspace, columns)
    saved = offered_first(workspace)
    with columns.middle:
        shell.title("Proposals", ABOUT)
        shell.notes()
        cannot = why_not(saved, endpoint=who_is_asked(saved))
        endpoint_trial.draw()
        every_query(workspace, saved, session.why_not("start_generation") or cannot)
        unread_list(workspace, session.why_not("generate") or cannot)
        decision_table(workspace)
        writing_first(collection.human_first)
    with columns.right:
        prompt_preview(workspace, saved, None)
    session.settle("Proposals", id(collection))


def who_is_asked(saved: GenerationRequest) -> bool:
    """Which model, where and how, in a line; whether it could be asked."""
    host = ""
    if not session.endpoint(saved.endpoint):
        shell.line(NO_ENDPOINT)
    else:
        try:
            host = Endpoint.from_url(saved.endpoint).host
        except GradingError as error:
            shell.line(str(error), error=True)
    barred = session.why_not("try_endpoint")
    st.html(macro(TEMPLATE, "head")(saved, host, barred))
    return bool(host)


def writing_first(number: int) -> None:
    """How many questions a judge writes before proposals are shown.

    Set on Settings, as blind mode is: here a judge is not to switch it off.
    """
    questions = words.count(number, "question") if number else ""
    with st.container(key="writing_first", gap=None):
        st.html(macro(TEMPLATE, "writing_first")(questions))


page()
