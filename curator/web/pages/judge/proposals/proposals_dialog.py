"""Proposals: a dialog of Judge in which a model is asked for questions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

import streamlit as st

from curator.bank.questions import active, noun_of
from curator.collection.pools import Query
from curator.formats.templates import macro
from curator.store.generations import Generation
from curator.verbs.proposals.request import GenerateSummary, GenerationRequest
from curator.web.components import endpoint_trial, session, shell, words
from curator.web.components.channel import handles
from curator.web.components.downloads import table_download
from curator.web.components.html import table_html
from curator.web.pages.judge.proposals.request_form import (
    NAMELESS,
    offered_first,
    prompt_text,
)
from curator.web.pages.judge.proposing import result_line
from curator.web.pages.judge.rows import gate_words
from curator.web.pages.settings.grading.jobs import jobs_section
from curator.workspace import Workspace
from grading.errors import GradingError
from grading.models.endpoint import Endpoint

EVERY = 1.5  # seconds between two drawings
MOST = 100  # uncovered passages of each query
LISTED = 20  # responses without a list
LONGEST = 4_000  # characters of a response
GLANCE = 90  # characters of a response that are shown before it is opened
TEMPLATE = "judge/proposals/proposals.html"
HERE, EVERYWHERE, PASSAGES = "This query", "Every query", "Uncovered passages"
NO_ENDPOINT = "No model can be asked yet: the organizer sets one on Settings."
ALREADY = "A job is asking this model already."
UNGRADED = "Which passages no question covers is known once they are graded."


@dataclass(frozen=True)
class Counted:
    """A dry run of a request in a version of the workspace."""

    version: object
    request: GenerationRequest
    summary: GenerateSummary


@handles("proposals")
def open_dialog() -> None:
    """Open the dialog."""
    session.look(proposals=True)


def close_dialog() -> None:
    """Have the page drawn again without the dialog."""
    session.look(proposals=False)


@st.dialog("Proposals", width="medium", position="right", on_dismiss=close_dialog)
def proposals_dialog(query_id: str) -> None:
    """Draw the dialog over a query; it is drawn again until it is closed."""
    draw(query_id)


@st.fragment(run_every=EVERY)
def draw(query_id: str) -> None:
    """Draw who is asked, the form, jobs, unread responses and decisions."""
    if not session.view().proposals:
        session.redraw()  # without the dialog

    def draw_all(workspace: Workspace) -> None:
        queries = {query.query_id: query for query in workspace.collection().queries}
        saved = offered_first(workspace)
        cannot = draw_model(saved)
        draw_form(workspace, saved, queries[query_id], cannot)
        draw_unread(workspace, queries, session.why_not("generate") or cannot)
        draw_decisions(workspace)

    shell.draw_part(draw_all)


def draw_model(saved: GenerationRequest) -> str:
    """Draw which model is asked and where; return why none can be asked, or ""."""
    host, problem = "", NO_ENDPOINT
    if session.endpoint(saved.endpoint):
        problem = (
            "" if saved.model else "The organizer names a model on Settings first."
        )
        try:
            host = Endpoint.from_url(saved.endpoint).host
        except GradingError as error:
            problem = str(error)
    st.html(macro(TEMPLATE, "head")(saved, host, session.why_not("try_endpoint")))
    endpoint_trial.draw()
    if problem:
        shell.line(problem)
    return problem


def draw_form(
    workspace: Workspace, saved: GenerationRequest, query: Query, cannot: str
) -> None:
    """Draw what is asked about, how many prompts that takes, and the button."""
    query_id, request = query.query_id, replace(saved, model=saved.model or NAMELESS)
    gate = workspace.gate(query_id)
    if gate.closed:
        shell.line(gate_words(gate.remaining))
        return
    about = st.segmented_control(
        "Ask about", (HERE, EVERYWHERE, PASSAGES), default=HERE, key="ask_about"
    )
    many = about in (EVERYWHERE, PASSAGES)
    subtopic_id, number = None, 0
    if about == PASSAGES:
        number = int(
            st.number_input("Passages of each query", 1, MOST, 5, key="grounded")
        )
    elif not many and query.subtopics:
        subtopic_id = choose_subtopic(workspace, query) or None
    here = request.about(query_id, subtopic_id=subtopic_id)
    summary = counted(workspace, request.about() if about == EVERYWHERE else here)
    prompts = total_words(summary)
    if about == PASSAGES:
        prompts = f"At most {len(workspace.collection().queries) * number:,} prompts."
    jobs = [job for job in workspace.jobs() if job.kind == "generate"]
    task = session.current().asked_all if many else session.current().request
    running = session.service().is_running(task)
    again = bool(summary.had and not summary.asked)
    why_not = session.why_not("start_generation" if many else "generate") or cannot
    if many and any(job.state == "running" for job in jobs):
        why_not = why_not or ALREADY
    if about == PASSAGES and not workspace.graders():
        why_not = why_not or UNGRADED
    with st.container(key="ask", horizontal=True, vertical_alignment="center"):
        st.button(
            "Asking…" if running else "Ask again" if again and not many else "Ask",
            key="ask_now",
            type="primary",
            disabled=running or bool(why_not) or (about == EVERYWHERE and again),
            help=why_not or None,
            on_click=session.ask_all if many else ask_here,
            args=(number,) if many else (query_id, subtopic_id, again),
        )
        shell.note(prompts)
    result = result_line(session.service().result(task), saved.model)
    if result and not running:
        shell.line(result.line, error=result.error)
    with st.expander("Exact words"):
        prompt_text(workspace, here)
    if jobs:
        with st.container(key="jobs", gap=None):
            jobs_section(jobs, workspace.collection().names)


def ask_here(query_id: str, subtopic_id: str | None, again: bool) -> None:
    """Ask about the query and close the dialog: the page shows what arrives."""
    session.ask(query_id, subtopic_id=subtopic_id, again=again)
    close_dialog()


def choose_subtopic(workspace: Workspace, query: Query) -> str:
    """Return the subtopic to ask about, first one without questions; "" for all."""
    names = {sub.subtopic_id: sub.text or sub.subtopic_id for sub in query.subtopics}
    with_questions = {
        question.subtopic_id
        for question in workspace.bank().questions_of(query.query_id)
        if question.state != "retired"
    }
    without = [
        subtopic_id for subtopic_id in names if subtopic_id not in with_questions
    ]
    options = ["", *names]
    return st.selectbox(
        "Subtopic",
        options,
        index=options.index(without[0]) if without else 0,
        format_func=lambda subtopic_id: names.get(subtopic_id, "every subtopic"),
        key=f"ask_subtopic_{query.query_id}",
    )


def counted(workspace: Workspace, request: GenerationRequest) -> GenerateSummary:
    """Return a dry run of the request; the last one is kept until anything changes."""
    this, version = session.current(), workspace.version()
    kept: Counted | None = this.counted_request
    if kept is None or (kept.version, kept.request) != (version, request):
        summary = replace(workspace.generate(request, dry_run=True), texts=())
        kept = this.counted_request = Counted(version, request, summary)
    return kept.summary


def total_words(summary: GenerateSummary) -> str:
    """Return ``726 prompts, about 70,000 tokens; 40 asked before.``"""
    tokens = summary.tokens_in or 0
    step = 10 ** max(0, len(str(tokens)) - 2)
    prompts = words.count(summary.asked, "prompt")
    parts = {
        f"{prompts}, about {round(tokens / step) * step:,} tokens": summary.asked,
        f"{summary.had:,} asked before": summary.had,
        f"{summary.elsewhere:,} being asked": summary.elsewhere,
        f"{summary.without_title:,} without a title left out": summary.without_title,
        f"{summary.restricted:,} restricted left out": summary.restricted,
    }
    counts = "; ".join(part for part, number in parts.items() if number)
    return f"{counts or 'Nothing to ask'}."


def draw_unread(workspace: Workspace, queries: dict[str, Query], why_not: str) -> None:
    """Draw responses without a list of questions, each with a button to ask again."""
    unread = workspace.generations(unread=True)
    if not unread:
        return
    with st.container(key="unread", gap=None):
        st.html(macro(TEMPLATE, "unread_head")(f"{len(unread):,}"))
        for response in unread[:LISTED]:
            query_id, number = response.query_id, response.generation_id
            with st.container(key=f"unread_{number}", horizontal=True):
                row = unread_row(response, queries.get(query_id), session.zone())
                st.html(macro(TEMPLATE, "unread")(row))
                running = session.is_asked(query_id)
                st.button(
                    "Asking…" if running else "Ask again",
                    key=f"again_{number}",
                    disabled=running or bool(why_not),
                    help=why_not or None,
                    on_click=ask_again,
                    args=(response,),
                )


def ask_again(response: Generation) -> None:
    """Send the prompt of this response once more."""
    session.ask(
        response.query_id,
        subtopic_id=response.subtopic_id,
        passage_id=response.passage_id,
        again=True,
    )


def unread_row(
    response: Generation, query: Query | None, zone: tzinfo | None
) -> dict[str, Any]:
    """Describe a response: what it is about, who was asked when, and its text."""
    subtopics = {s.subtopic_id: s.text for s in query.subtopics} if query else {}
    about = [subtopics.get(response.subtopic_id or "") or response.subtopic_id or ""]
    about += [f"passage {response.passage_id}"] if response.passage_id else []
    return {
        "query": query.name if query else response.query_id,
        "about": " · ".join(filter(None, about)),
        "asked": f"{response.model}, {words.day_and_time(response.at, zone)}",
        "error": response.error or "",
        "raw": response.raw[:LONGEST],
        "more": max(0, len(response.raw) - LONGEST),
        "begins": words.shortened(response.raw[:LONGEST], GLANCE),
    }


def draw_decisions(workspace: Workspace) -> None:
    """Draw how many proposals each judge kept, reworded and dropped."""
    decisions = workspace.decisions()
    noun = noun_of(active(workspace.bank(), "any"))
    waiting = words.count(decisions.bank.undecided, "proposal")
    imported = words.count(decisions.bank.imported, noun)
    about = f"{waiting} undecided · {imported} imported"
    with st.container(key="decisions", gap=None):
        st.html(table_html(decisions, "Decisions", about))
        if decisions.judges:
            for note in decisions.notes:
                shell.note(note)
            # Called outside the session, where nobody is signed in.
            stem = f"{workspace.path.stem}-decisions"
            table_download("decisions", stem, lambda: decisions)
