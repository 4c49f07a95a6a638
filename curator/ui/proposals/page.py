"""Proposals: how a model is asked for questions, what came of it, who decided what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from curator.bank.questions import active, noun_of
from curator.formats.templates import macro
from curator.generation.prompts import PROMPTS
from curator.ui.proposals.asking import every_query, unread_list, why_not
from curator.ui.proposals.decisions import decision_table
from curator.ui.proposals.request_form import prompt_preview, request_form
from curator.ui.setup.steps import no_collection
from curator.ui.shared import session, shell, words
from curator.ui.shared.shell import around, framed
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import Endpoint

EVERY = 1.5  # seconds between two looks
TEMPLATE = "proposals/page.html"
ABOUT = "what a model proposes counts for nothing until people keep it"
NO_ENDPOINT = (
    "No model can be asked yet: set OPENAI_BASE_URL (and OPENAI_API_KEY) where "
    "`curator serve` is started, or in Streamlit's secrets; everything else works: "
    "type, paste a list, import."
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
    saved = workspace.default_request()
    noun = noun_of(active(workspace.bank(), "any"))
    if noun == "nugget" and not saved.model:
        saved = replace(saved, prompt=PROMPTS[noun])
    with columns.middle:
        shell.title("Proposals", ABOUT)
        shell.notes()
        refusal = why_not(saved, endpoint=model_form(saved, noun))
        every_query(workspace, saved, refusal)
        unread_list(workspace, refusal)
        decision_table(workspace)
        writing_first(collection.human_first, workspace.path)
    with columns.right:
        prompt_preview(workspace, saved)
    session.settle("Proposals", id(collection))


def model_form(saved: GenerationRequest, noun: str) -> bool:
    """The form; whether there is an endpoint that could be asked."""
    host = ""
    if not session.endpoint():
        shell.line(NO_ENDPOINT)
    else:
        try:
            host = Endpoint.given().host
        except GradingError as error:
            shell.line(str(error), error=True)
    st.html(macro(TEMPLATE, "head")(host))
    request_form(saved, noun)
    return bool(host)


def writing_first(number: int, path: Path) -> None:
    """How many questions a judge writes before proposals are shown.

    Set by the command line, as blind mode is: a judge is not to switch it off.
    """
    command = f"curator setup {path.name} --human-first {number or 3}"
    questions = words.count(number, "question") if number else ""
    with st.container(key="writing_first", gap=None):
        st.html(macro(TEMPLATE, "writing_first")(questions, command))


page()
