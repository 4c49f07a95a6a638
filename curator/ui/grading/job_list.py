"""The jobs of a workspace: those that go on, with their buttons, and those over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import streamlit as st

from curator.ui.grading import job_words
from curator.ui.grading.grader_table import bar_html
from curator.ui.grading.job_words import Act, JobRow, finished_words
from curator.ui.shared import events, html, session
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
        st.html(finished_html(job_words.job_rows(over, queries, session.zone())))


def job_list(rows: Sequence[JobRow]) -> None:
    """A line of words and its buttons for each; buttons stay while words change."""
    for row in rows:
        with st.container(
            key=f"job_{row.job_id}", horizontal=True, vertical_alignment="center"
        ):
            st.html(job_html(row))
            for act in row.acts:
                label, title = ACTS[act]
                st.button(
                    label,
                    key=f"{act}_{row.job_id}",
                    help=title,
                    on_click=events.change_job,
                    args=(act, row.job_id),
                )


def job_html(row: JobRow) -> str:
    """Who grades, how far it is over a bar, and what there is to know about it."""
    state = "" if row.state == "running" else f" · {html.text(row.state)}"
    pace = f" · {row.pace}" if row.pace else ""
    facts = "".join(f"<span>{html.text(fact)}</span>" for fact in row.facts)
    error = (
        f'<p class="c-line c-error" role="alert">{html.text(row.error)}</p>'
        if row.error
        else ""
    )
    return (
        f'<div class="g-job"><div><b title="{html.text(row.grader)}">'
        f"{html.text(row.label)}</b>"
        f"<span>{html.text(row.where)}</span>"
        f"<em>{row.counts}{pace}{state}</em></div>{bar_html(row.share)}"
        f"<div><span>started by {html.text(row.started)}</span>{facts}</div>"
        f"{error}</div>"
    )


def no_jobs_html(path: Path) -> str:
    """What to do where there was no job yet, and the command that does the same."""
    command = f"curator grade {path} --grader flan-t5-large --background"
    return (
        '<p class="c-note g-nothing">No job yet. Name a grader above, count what it '
        "would be asked, and start it; or on the command line:"
        f"<code>{html.text(command)}</code></p>"
    )


def finished_html(rows: Sequence[JobRow]) -> str:
    """What is over, folded."""
    lines = "".join(
        f"<li><b>{html.text(row.label)}</b> <span>{html.text(finished_words(row))}"
        f"</span> <em>{html.text(row.started)}</em></li>"
        for row in rows
    )
    return (
        f'<details class="g-over"><summary>{len(rows)} over</summary>'
        f"<ul>{lines}</ul></details>"
    )


def head_html(running: int, starting: str, *, refused: str) -> str:
    """The list's heading; a line for what is about to begin, or was refused."""
    lines = ""
    if starting:
        lines = (
            f'<p class="c-line" role="status">Starting {html.text(starting)}: its '
            "files are read, and what it lacks is counted.</p>"
        )
    elif refused:
        lines = (
            f'<p class="c-line c-error" role="alert">{html.text(refused)} '
            '<button type="button" data-pick="forget:begun">Dismiss</button></p>'
        )
    count = f"<span>{running} to look after</span>" if running else ""
    return f'<div class="c-listhead"><b>Jobs</b>{count}</div>{lines}'
