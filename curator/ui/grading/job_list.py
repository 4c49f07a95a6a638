"""The jobs of a workspace: those that go on, with their buttons, and those over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from markupsafe import Markup

from curator.ui.grading import job_words
from curator.ui.grading.graders import TEMPLATE
from curator.ui.grading.job_words import Act, JobRow
from curator.ui.shared import events, session
from curator.ui.shared.templates import macro
from curator.verbs.grading.jobs import Job

ACTS: dict[Act, tuple[str, str]] = {
    "pause": ("Pause", "It ends after what it is at; all that came is kept"),
    "resume": ("Resume", "Goes on with what is still missing"),
    "stop": ("Stop", "Ends it for good; all that came is kept"),
}


def jobs_section(jobs: Sequence[Job], queries: Mapping[str, str]) -> None:
    """Those to look after, then those over, folded; ``queries`` are names by id."""
    current = job_words.current(jobs)
    over = [job for job in jobs if job not in current]
    job_list(job_words.job_rows(current, queries, session.zone()))
    if over:
        rows = job_words.job_rows(over, queries, session.zone())
        st.html(macro(TEMPLATE, "finished")(rows))


def job_list(rows: Sequence[JobRow]) -> None:
    """A line of words and its buttons for each; buttons stay while words change."""
    for row in rows:
        with st.container(
            key=f"job_{row.job_id}", horizontal=True, vertical_alignment="center"
        ):
            st.html(macro(TEMPLATE, "job")(row))
            for act in row.acts:
                label, title = ACTS[act]
                st.button(
                    label,
                    key=f"{act}_{row.job_id}",
                    help=title,
                    on_click=events.change_job,
                    args=(act, row.job_id),
                )


def head_html(running: int, starting: str, *, refused: str) -> Markup:
    """The list's heading; a line for what is about to begin, or was refused."""
    return macro(TEMPLATE, "jobs_head")(running, starting, refused)
