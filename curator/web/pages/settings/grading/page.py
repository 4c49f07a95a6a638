"""Grading: graders with their grades, a form for another one, and jobs."""

from __future__ import annotations

import streamlit as st

from curator.errors import UnknownNameError
from curator.formats.templates import macro
from curator.web.components import endpoint_trial, events, session, shell
from curator.web.components.settings import grader_labels
from curator.web.components.shell import around
from curator.web.pages.frame import draw_page
from curator.web.pages.settings.grading import graders
from curator.web.pages.settings.grading.answers import answers_section
from curator.web.pages.settings.grading.graders import TEMPLATE
from curator.web.pages.settings.grading.jobs import jobs_section
from curator.workspace import Workspace
from grading import ray_engine

EVERY = 1.5  # seconds between two drawings
ACTIONS = {
    "first": ("Grade with embedding", "In a minute or two", events.grade),
    "grade": ("Grade", "Asks for the missing grades", events.grade),
    "count": ("Count", "Before anything is paid", events.count),
    "again": ("Ask again", "For unreadable responses", events.grade_again),
}


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw what changes by itself, and unreadable responses at the right if asked."""
    around(workspace, columns)
    with columns.middle:
        shell.title("Grading", "every grade is asked for once; edits ask for their own")
        progress()
        answers_section()
    if grader := session.current().unreadable_of:
        with columns.right:
            try:
                st.html(graders.unreadable_html(workspace, grader))
            except UnknownNameError as error:
                shell.line(str(error), error=True)
    session.settle("Grading", id(workspace.collection()))


@st.fragment(run_every=EVERY)
def progress() -> None:
    """Draw graders, the form and jobs again and again, and nothing else."""
    shell.draw_part(draw_progress)


def draw_progress(workspace: Workspace) -> None:
    """Draw everything that changes while jobs run."""
    service, begun = session.service(), session.current().begun
    all_graders, languages = workspace.graders(), workspace.languages()
    jobs = [job for job in workspace.jobs() if job.kind == "grade"]
    queries = workspace.collection().names
    why_not = session.why_not("grade")
    shell.notes()
    if languages.note:
        shell.note(languages.note)
    with st.container(key="graders", gap=None):
        st.html(macro(TEMPLATE, "graders_head")(len(all_graders)))
        if not all_graders and languages.english:
            action_button("first", "embedding", 0, why_not)
        labels = grader_labels(all_graders)
        grading = {job.grader for job in jobs if job.state == "running"}
        for number, grader in enumerate(all_graders):
            busy = grader.name in grading or session.starting(grader.name)
            state, action = graders.state_and_action(grader, busy=busy)
            with st.container(
                key=f"grader_{number}", horizontal=True, vertical_alignment="center"
            ):
                st.html(graders.grader_html(grader, labels[grader.name], state))
                if action:
                    action_button(action, grader.name, number, why_not)
    with st.container(key="new_grader", gap=None):
        host = session.endpoint_host(workspace.default_request().endpoint)
        st.html(macro(TEMPLATE, "new_head")(host))
        grader_form(why_not)
        endpoint_trial.draw()
        if (counted := session.current().counted) is not None:
            result = service.result(counted)
            st.html(graders.counted_html(counted, result, labels, why_not))
    with st.container(key="jobs", gap=None):
        starting = begun.grader if begun and service.is_running(begun) else ""
        refused = getattr(service.result(begun), "line", "")
        if jobs or starting or refused:
            jobs_section(jobs, queries, starting=starting, refused=refused)


def action_button(action: str, grader: str, number: int, why_not: str) -> None:
    """Draw the button that sends an event about a grader."""
    label, about, handler = ACTIONS[action]
    key, about = f"{action}_{number}", why_not or about
    if st.button(label, key=key, disabled=bool(why_not), help=about):
        handler(name=grader)


def grader_form(why_not: str) -> None:
    """Draw the form that names a grader, with its budget; counting asks no model."""
    with st.form("grader_form", border=False):
        with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
            name = st.text_input(
                "Grader",
                key="grader_name",
                placeholder="such as flan-t5-large or chat:gpt-4o-mini",
            ).strip()
            closed, help_text = bool(why_not), why_not or None
            count = st.form_submit_button("Count", help=help_text, disabled=closed)
            try_it = st.form_submit_button("Try it", help=help_text, disabled=closed)
        with st.expander("Budget and prices"), st.container(horizontal=True):
            depth = st.number_input("depth", 1, value=None, help="Ranks of each system")
            judged = st.checkbox("judged passages at any depth", True)
            sample = st.number_input("sample", 1, value=None, help="Other passages")
            seed = st.number_input("seed of the sample", 0)
            price_in = st.number_input("$ per million tokens in", 0.0)
            price_out = st.number_input("$ per million tokens out", 0.0)
            ray = ray_engine.describe_ray()
            on_ray = bool(ray) and st.checkbox("on Ray", help=ray)
        with st.expander("Graders and prompts"):
            st.html(macro(TEMPLATE, "names")(graders.grader_list()))
    if count and name:
        options = {
            "depth": str(depth) if depth else None,
            "sample": str(sample) if sample else None,
            "seed": str(seed) if sample and seed else None,
            "without-judged": "" if depth and not judged else None,
            "engine": "ray" if on_ray else None,
        }
        prices = f"{price_in:g},{price_out:g}" if price_in or price_out else ""
        session.send("count", name, prices, **options)
    elif try_it and name:
        endpoint_trial.try_endpoint(name=name)


draw_page("Grading", draw)
