"""The jobs of a workspace: those that go on, with their buttons, and those over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from typing import Any

import streamlit as st

from curator.formats.templates import macro
from curator.verbs.grading.jobs import Job, current_jobs, time_in_words
from curator.web.components import session, words
from curator.web.components.settings import without_folders
from curator.web.pages.settings.grading.grader_events import change_job

TEMPLATE = "settings/grading/grading.html"
BUTTONS = {
    "pause": ("Pause", "It ends after what it is at; all that came is kept"),
    "resume": ("Resume", "Goes on with what is still missing"),
    "stop": ("Stop", "Ends it for good; all that came is kept"),
}


def jobs_section(
    jobs: Sequence[Job],
    queries: Mapping[str, str],
    *,
    starting: str = "",
    refused: str = "",
) -> None:
    """Those to look after, then those over, folded; ``queries`` are names by id.

    Above them stands what is about to begin, or why it was refused.
    """
    current = current_jobs(jobs)
    st.html(macro(TEMPLATE, "jobs_head")(len(current), starting, refused))
    for job in current:
        with st.container(
            key=f"job_{job.job_id}", horizontal=True, vertical_alignment="center"
        ):
            row = job_row(job, queries, session.zone())
            st.html(macro(TEMPLATE, "job")(row))
            # They keep their keys, and so stay while the words change.
            for act in row["acts"]:
                label, title = BUTTONS[act]
                why_not = session.why_not(f"{act}_job")
                st.button(
                    label,
                    key=f"{act}_{job.job_id}",
                    disabled=bool(why_not),
                    help=why_not or title,
                    on_click=change_job,
                    args=(act, job.job_id),
                )
    if len(current) < len(jobs):
        over = [
            job_row(job, queries, session.zone()) for job in jobs if job not in current
        ]
        st.html(macro(TEMPLATE, "finished")(over))


def job_row(
    job: Job, queries: Mapping[str, str], zone: tzinfo | None
) -> dict[str, Any]:
    """The job in words. ``share`` of it is done, between 0 and 1; ``acts`` are offered.

    ``progress`` says how far it is and how fast, ``finished`` how it went.
    """
    where = "all queries"
    if job.query_id is not None:
        where = f"only “{words.shortened(queries.get(job.query_id, job.query_id))}”"
    if job.query_ids:
        where = f"{len(job.query_ids):,} queries"
    if job.budget:
        where += f", {job.budget}"
    if job.engine == "ray":
        where += ", on Ray"
    if job.host:
        where += f", at {job.host}"
    counts = f"{job.done:,} of {words.count(job.total, job.unit[:-1])}"
    if job.state == "done":
        counts = f"{job.total:,} {job.unit}"
    state = "stopped: its process has ended" if job.process_ended else job.state
    facts = _facts(job)
    pace = _pace(job)
    acts: tuple[str, ...] = ()
    if job.state == "running":
        acts = ("pause", "stop")
    elif job.state in ("paused", "failed") or job.process_ended:
        acts = ("resume", "stop")
    elif job.state == "stopped":
        acts = ("resume",)
    return {
        "name": job.name,
        "label": without_folders(job.name),
        "where": where,
        "progress": " · ".join(
            filter(None, (counts, pace, "" if job.state == "running" else state))
        ),
        "finished": " · ".join([f"{state} {counts}", where, *facts]),
        "share": job.done / job.total if job.total else float(job.state == "done"),
        "started": f"{job.by}, {words.day_and_time(job.started_at, zone)}",
        "facts": facts,
        "error": job.error or "",
        "warning": job.warning,
        "acts": acts,
    }


def _pace(job: Job) -> str:
    """``3.2 a second, about 2 min left``; ``starting`` before the first grade."""
    if job.state != "running":
        return ""
    if (speed := job.per_second) is None:
        return "starting"
    pace = f"{60 * speed:.0f} a minute"
    if speed >= 1:
        pace = f"{speed:,.0f} a second" if speed >= 10 else f"{speed:.1f} a second"
    left = time_in_words(job.seconds_left)
    return f"{pace}, {left} left" if left else pace


def _facts(job: Job) -> list[str]:
    facts = []
    if job.cut:
        asked = words.count(job.prompts, "passage was", "passages were")
        share = words.percent(job.cut / job.prompts) if job.prompts else ""
        facts.append(f"{job.cut:,} of {asked} cut to fit ({share})")
    if job.unreadable:
        facts.append(f"{job.unreadable:,} unreadable")
    if job.unfinished:
        facts.append(f"{job.unfinished:,} cut off at the limit of tokens")
    if job.refused:
        facts.append(f"{job.refused:,} refused")
    if job.prompts and job.tokens_in is None:
        facts.append("tokens not reported")
    elif job.tokens_in or job.tokens_out:
        facts.append(f"{job.tokens_in:,} tokens in, {job.tokens_out:,} out")
        if tokens := job.expected_tokens:
            facts.append(f"about {round(tokens, 2 - len(str(tokens))):,} in all")
    return facts
