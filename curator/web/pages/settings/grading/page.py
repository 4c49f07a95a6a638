"""Grading: who grades here, what each lacks, and the jobs that see to it."""

from __future__ import annotations

import streamlit as st

from curator.errors import UnknownNameError
from curator.formats.templates import macro
from curator.web.components import endpoint_trial, session, shell
from curator.web.components.shell import around, framed
from curator.web.pages.settings.first_screen import no_collection
from curator.web.pages.settings.grading import graders
from curator.web.pages.settings.grading.jobs import jobs_section
from curator.workspace import Workspace
from grading import ray_engine
from grading.registry import paid_prefixes

EVERY = 1.5  # seconds between two looks


def page() -> None:
    """What goes on in the middle, unreadable responses at the right if asked for."""
    framed("Grading", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    around(workspace, columns)
    with columns.middle:
        shell.title("Grading", "every grade is asked for once; edits ask for their own")
        going()
    if opened := session.current().unreadable_of:
        with columns.right:
            try:
                st.html(graders.unreadable_html(workspace, opened))
            except UnknownNameError as error:
                shell.line(str(error), error=True)
    session.settle("Grading", id(collection))


@st.fragment(run_every=EVERY)
def going() -> None:
    """Graders, the form, jobs: looked at again and again, and nothing else is drawn."""
    try:
        with session.drawing() as workspace:
            look(workspace)
    except session.EXPECTED as error:
        shell.line(str(error), error=True)


def look(workspace: Workspace) -> None:
    """Everything that moves by itself."""
    known = workspace.graders()
    service, now = session.service(), session.current()
    begun = now.begun
    grading = [job for job in workspace.jobs() if job.kind == "grade"]
    busy = {job.grader for job in grading if job.state == "running"}
    busy |= {one.name for one in known if session.starting(one.name)}
    shell.notes()
    rows = graders.grader_rows(known, busy)
    table, why_not = macro(graders.TEMPLATE, "graders"), session.why_not("grade")
    languages = workspace.languages()
    if languages.note:
        shell.note(languages.note)
    st.html(table(rows, now.unreadable_of, why_not, languages.english))
    with st.container(key="new_grader", gap=None):
        host = session.endpoint_host(workspace.default_request().endpoint)
        st.html(macro(graders.TEMPLATE, "new_head")(host))
        graders.FORM.draw(
            offered=graders.offered(),
            prompts=graders.prompts(),
            paid=paid_prefixes(),
            ray=ray_engine.describe_ray(),
            counting=service.is_running(now.counted),
        )
        endpoint_trial.draw()
        if (counted := now.counted) is not None:
            names = [one.name for one in workspace.graders()]
            st.html(
                graders.counted_html(counted, service.result(counted), names, why_not)
            )
    with st.container(key="jobs", gap=None):
        jobs_section(
            grading,
            {query.query_id: query.name for query in workspace.collection().queries},
            starting=begun.grader if begun and service.is_running(begun) else "",
            refused=getattr(service.result(begun), "line", ""),
        )
        if not grading:
            st.html(macro(graders.TEMPLATE, "no_jobs")())


page()
