"""Asking about every query, and again what came back without a list of questions."""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo
from typing import Any

import streamlit as st

from curator.collection.pools import Query
from curator.formats.templates import macro
from curator.store.generations import Generation
from curator.verbs.proposals.request import GenerateSummary, GenerationRequest
from curator.web.components import html, session, shell, words
from curator.web.pages.judge.proposals.request_form import NAMELESS
from curator.web.pages.settings.grading.jobs import jobs_section
from curator.workspace import Workspace

FEW = 5  # uncovered passages of a query, unless somebody says otherwise
MOST = 100
NARROW = 72  # pixels
LISTED = 20  # responses without a list
GLANCE = 90  # characters of a response that are seen before it is opened
LONGEST = 4_000  # characters of a response
TEMPLATE = "judge/proposals/asking.html"
GOING = "A job is asking this model already."
UNGRADED = "Which passages no question covers is known only when they are graded."


def why_not(saved: GenerationRequest, endpoint: bool) -> str:
    """Why nothing can be asked now, or ""."""
    if not endpoint:
        return "No model can be asked yet: the line on top says why."
    return "" if saved.model else "Name a model to be asked, and save it, first."


def every_query(workspace: Workspace, saved: GenerationRequest, why_not: str) -> None:
    """What asking about everything takes, its buttons, and the jobs that do it."""
    task = session.current().asked_all
    starting = session.service().is_running(task)
    result = session.service().result(task)
    jobs = [job for job in workspace.jobs() if job.kind == "generate"]
    queries = workspace.collection().queries
    if any(job.state == "running" and job.grader == saved.model for job in jobs):
        why_not = why_not or GOING
    with st.container(key="every_query", gap=None):
        found = counted(workspace, saved)
        st.html('<div class="c-listhead"><b>For every query</b></div>')
        with st.container(key="ask_all", horizontal=True, vertical_alignment="center"):
            st.html(f"<p>{html.text(total_words(found))}</p>")
            st.button(
                "Ask about all",
                key="ask_about_all",
                disabled=starting or bool(why_not) or not found.asked,
                help=why_not or "In a job beside this page; what has an answer is left",
                on_click=session.ask_all,
            )
        if not workspace.graders():
            why_not = why_not or UNGRADED
        uncovered(len(queries), starting, why_not)
        if starting:
            shell.line("Starting: what has no answer yet is counted.")
        elif result is not None and result.line:
            with st.container(key="refused", horizontal=True):
                shell.line(result.line, error=True)
                st.button("Dismiss", key="dismiss", on_click=dismiss)
    if jobs:
        with st.container(key="jobs", gap=None):
            jobs_section(jobs, {query.query_id: query.name for query in queries})


def counted(workspace: Workspace, saved: GenerationRequest) -> GenerateSummary:
    """What asking about everything comes to; counted again where anything changed."""
    request = replace(saved.about(), model=saved.model or NAMELESS)
    now = (workspace.version(), request)
    kept = session.current().counted_all
    if kept is None or kept[0] != now:
        found = replace(workspace.generate(request, dry_run=True), texts=())
        kept = session.current().counted_all = (now, found)
    return kept[1]


def uncovered(queries: int, starting: bool, why_not: str) -> None:
    """Asking about passages that no kept question covers, so many of each query."""
    with st.container(key="ask_passages", horizontal=True, vertical_alignment="center"):
        number = int(
            st.number_input(
                "Uncovered passages of each query",
                min_value=1,
                max_value=MOST,
                value=FEW,
                key="grounded",
                label_visibility="collapsed",
                width=NARROW,
                disabled=bool(why_not),
            )
        )
        st.html(
            f"<p>{'passage' if number == 1 else 'passages'} of each query that no "
            f"question covers: at most {words.count(queries * number, 'prompt')}.</p>"
        )
        st.button(
            "Ask about passages",
            key="ask_about_passages",
            disabled=starting or bool(why_not),
            help=why_not or "What they answer that no kept question asks",
            on_click=session.ask_all,
            kwargs={"grounded": number},
        )


def dismiss() -> None:
    """Say no more why nothing was started."""
    session.current().asked_all = None


def total_words(found: GenerateSummary) -> str:
    """``726 prompts, about 70,000 tokens; 40 prompts were asked before.``"""
    before = words.count(
        found.had, "prompt was asked before", "prompts were asked before"
    )
    if found.had and not (found.asked or found.elsewhere or found.without_title):
        return f"Nothing left to ask: {before}."
    nameless = words.count(found.without_title, "query is", "queries are")
    restricted = words.count(
        found.restricted, "restricted query is", "restricted queries are"
    )
    prompts = words.count(found.asked, "prompt")
    parts = {
        f"{prompts}, about {rounded(found.tokens_in or 0):,} tokens": found.asked,
        before: found.had,
        f"{words.count(found.elsewhere, 'is', 'are')} being asked": found.elsewhere,
        f"{nameless} known by id only and left out": found.without_title,
        f"{restricted} left out": found.restricted,
    }
    said = "; ".join(part for part, number in parts.items() if number)
    return f"{said or 'Nothing to ask'}."


def rounded(tokens: int) -> int:
    """An estimate to two digits: 69,510 as 70,000."""
    step = int(10 ** max(0, len(str(tokens)) - 2))
    return round(tokens / step) * step


def unread_list(workspace: Workspace, why_not: str) -> None:
    """What could not be read, its words folded, each with a button to ask again.

    ``why_not`` says why none can be asked. A row goes away when its asking brings
    something.
    """
    found = workspace.generations(unread=True)
    if not found:
        return
    queries = {query.query_id: query for query in workspace.collection().queries}
    with st.container(key="unread", gap=None):
        st.html(macro(TEMPLATE, "unread_head")(f"{len(found):,}"))
        for one in found[:LISTED]:
            task = session.current().asked_again.get(one.generation_id)
            running = session.service().is_running(task)
            result = session.service().result(task)
            refused = result.line if result is not None and not running else ""
            with st.container(key=f"unread_{one.generation_id}", horizontal=True):
                row = unread_row(one, queries.get(one.query_id), session.zone())
                st.html(macro(TEMPLATE, "unread")(row, refused))
                st.button(
                    "Asking…" if running else "Ask again",
                    key=f"again_{one.generation_id}",
                    disabled=running or bool(why_not),
                    help=why_not or "As it is saved above, whatever was asked then",
                    on_click=ask_again,
                    args=(one,),
                )
        if len(found) > LISTED:
            more = len(found) - LISTED
            st.html(f'<p class="c-note">and {more:,} more, asked earlier.</p>')


def ask_again(one: Generation) -> None:
    """Ask about the same once more."""
    session.current().asked_again[one.generation_id] = session.ask(
        one.query_id,
        subtopic_id=one.subtopic_id,
        passage_id=one.passage_id,
        again=True,
    )


def unread_row(
    one: Generation, query: Query | None, zone: tzinfo | None
) -> dict[str, Any]:
    """One response in words.

    ``raw`` is the response as it came, ``begins`` how it begins, on one line; ``more``
    counts characters that are left out.
    """
    subtopics = {s.subtopic_id: s.text for s in query.subtopics} if query else {}
    about = [subtopics.get(one.subtopic_id or "") or one.subtopic_id or ""]
    about += [f"passage {one.passage_id}"] if one.passage_id is not None else []
    more = len(one.raw) - LONGEST
    return {
        "query": query.name if query else one.query_id,
        "about": " · ".join(filter(None, about)),
        "asked": f"{one.model}, {words.day_and_time(one.at, zone)}",
        "error": one.error or "",
        "raw": one.raw[:LONGEST],
        "more": f"{more:,}" if more > 0 else "",
        "begins": words.shortened(one.raw[:LONGEST], GLANCE),
    }
