"""Proposals: how a model is asked for questions, what came of it, who decided what."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from curator.errors import CuratorError
from curator.ui.grading import job_list, job_words
from curator.ui.proposals import order_words, unread_words
from curator.ui.proposals.decision_table import decision_table
from curator.ui.proposals.order_form import edited, order_form
from curator.ui.proposals.prompt_preview import prompt_preview
from curator.ui.proposals.unread_list import unread_list
from curator.ui.setup.steps import no_collection
from curator.ui.shared import html, session, shell, words
from curator.ui.shared.frame import around, framed
from curator.verbs.proposals.request import GenerateSummary, GenerationRequest
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import Endpoint

EVERY = 1.5  # seconds between two looks
FEW = 5  # uncovered passages of a query, unless somebody says otherwise
MOST = 100
NARROW = 72  # pixels
ABOUT = "what a model proposes counts for nothing until people keep it"
GOING = "A job is asking this model already."
UNGRADED = "Which passages no question covers is known only when they are graded."
FIRST = (
    "A judge who has not written as many there is shown no proposal. The organizer "
    "sets it:"
)
WHY_FIRST = (
    "So that a machine’s words do not come first, the organizer can have judges write "
    "some questions before:"
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
    with columns.middle:
        shell.title("Proposals", ABOUT)
        shell.notes()
        can_ask = asking(saved)
        why_not = order_words.why_not(saved, can_ask)
        every_query(workspace, saved, why_not)
        unread(workspace, why_not)
        decision_table(workspace)
        writing_first(collection.human_first, workspace.path)
    with columns.right:
        try:
            typed = edited(saved)
        except CuratorError as error:
            shell.line(str(error), error=True)
        else:
            prompt_preview(workspace, typed or saved, typed is not None)
    session.settle("Proposals", id(collection))


def asking(saved: GenerationRequest) -> bool:
    """The form; whether there is an endpoint that could be asked."""
    host = ""
    if not session.endpoint():
        shell.line(order_words.NO_ENDPOINT)
    else:
        try:
            host = Endpoint.given().host
        except GradingError as error:
            shell.line(str(error), error=True)
    at = f"<span>at {html.text(host)}</span>" if host else ""
    st.html(f'<div class="c-listhead o-head"><b>Ask a model</b>{at}</div>')
    order_form(saved)
    return bool(host)


def every_query(workspace: Workspace, saved: GenerationRequest, why_not: str) -> None:
    """What asking about everything takes, its buttons, and the jobs that do it."""
    errand = session.asked_all()
    starting = session.errands().going(errand)
    outcome = session.errands().outcome(errand)
    jobs = [job for job in workspace.jobs() if job.kind == "generate"]
    if any(job.state == "running" and job.grader == saved.model for job in jobs):
        why_not = why_not or GOING
    with st.container(key="every_query", gap=None):
        found = counted(workspace, saved)
        st.html('<div class="c-listhead"><b>For every query</b></div>')
        with st.container(key="ask_all", horizontal=True, vertical_alignment="center"):
            st.html(f"<p>{html.text(order_words.total_words(found))}</p>")
            st.button(
                "Ask about all",
                key="ask_about_all",
                disabled=starting or bool(why_not) or not found.asked,
                help=why_not or "In a job beside this page; what has an answer is left",
                on_click=ask_all,
            )
        uncovered(workspace, starting, why_not)
        if starting:
            shell.line("Starting: what has no answer yet is counted.")
        elif outcome is not None and outcome.line:
            with st.container(key="refused", horizontal=True):
                shell.line(outcome.line, error=True)
                st.button("Dismiss", key="dismiss", on_click=dismiss)
    if jobs:
        names = {query.query_id: query.name for query in workspace.collection().queries}
        with st.container(key="jobs", gap=None):
            count = len(job_words.current(jobs))
            st.html(job_list.head_html(count, "", refused=""))
            job_list.jobs_section(jobs, names)


def ask_all(grounded: int = 0) -> None:
    """Start the job that asks about everything, or about uncovered passages."""
    session.ask_all(grounded)


def counted(workspace: Workspace, saved: GenerationRequest) -> GenerateSummary:
    """What asking about everything comes to; counted again where anything changed."""
    order = order_words.counted(saved.about())
    now = (workspace.version(), order)
    if st.session_state.get("counted_all", (None,))[0] != now:
        found = replace(workspace.generate(order, dry_run=True), texts=())
        st.session_state.counted_all = (now, found)
    kept: GenerateSummary = st.session_state.counted_all[1]
    return kept


def uncovered(workspace: Workspace, starting: bool, why_not: str) -> None:
    """Asking about passages that no kept question covers, so many of each query."""
    if not workspace.graders():
        why_not = why_not or UNGRADED
    queries = workspace.collection().queries
    with st.container(key="ask_passages", horizontal=True, vertical_alignment="center"):
        number = st.number_input(
            "Uncovered passages of each query",
            min_value=1,
            max_value=MOST,
            value=FEW,
            key="grounded",
            label_visibility="collapsed",
            width=NARROW,
            disabled=bool(why_not),
        )
        st.html(f"<p>{order_words.passages_words(len(queries), int(number))}</p>")
        st.button(
            "Ask about passages",
            key="ask_about_passages",
            disabled=starting or bool(why_not),
            help=why_not or "What they answer that no kept question asks",
            on_click=ask_all,
            kwargs={"grounded": int(number)},
        )


def dismiss() -> None:
    """Say no more why nothing was started."""
    st.session_state.pop("asked_all", None)


def unread(workspace: Workspace, why_not: str) -> None:
    """What came and could not be read, where there is any."""
    found = workspace.generations(unread=True)
    if not found:
        return
    rows = unread_words.unread_rows(
        found, workspace.collection().queries, session.zone()
    )
    with st.container(key="unread", gap=None):
        unread_list(rows, len(found), why_not=why_not)


def writing_first(number: int, path: Path) -> None:
    """How many questions a judge writes before proposals are shown.

    Set by the command line, as blind mode is: a judge is not to switch it off.
    """
    said = (
        f"{words.count(number, 'question')} in every query. {FIRST}"
        if number
        else f"Not asked for: proposals are shown at once. {WHY_FIRST}"
    )
    command = f"curator setup {path.name} --human-first {number or 3}"
    with st.container(key="writing_first", gap=None):
        st.html(
            '<div class="c-listhead"><b>Writing first</b></div>'
            f'<p class="c-note">{html.text(said)} <code>{html.text(command)}</code></p>'
        )


page()
