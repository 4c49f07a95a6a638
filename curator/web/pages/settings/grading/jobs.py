"""Jobs of a workspace: current ones with their buttons, and those that are over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from curator.formats.templates import macro
from curator.verbs.grading.jobs import Job, current_jobs
from curator.web.components import session, words
from curator.web.components.events import change_job
from curator.web.components.settings import without_folders

TEMPLATE = "settings/grading/grading.html"
BUTTONS = {
    "pause": ("Pause", "It ends after its current batch; all grades are kept"),
    "resume": ("Resume", "Goes on with what is still missing"),
    "stop": ("Stop", "Ends it for good; all grades are kept"),
}


def jobs_section(
    jobs: Sequence[Job],
    queries: Mapping[str, str],
    *,
    starting: str = "",
    refused: str = "",
) -> None:
    """Draw current jobs, then those that are over; ``queries`` are names by id.

    Above them stands the grader that is ``starting``, or why one was ``refused``.
    """
    current = current_jobs(jobs)
    st.html(macro(TEMPLATE, "jobs_head")(len(current), starting, refused))
    for job in current:
        with st.container(
            key=f"job_{job.job_id}", horizontal=True, vertical_alignment="center"
        ):
            st.html(macro(TEMPLATE, "job")(*_job(job, queries)))
            for action in job_actions(job):
                label, about = BUTTONS[action]
                why_not = session.why_not(f"{action}_job")
                st.button(
                    label,
                    key=f"{action}_{job.job_id}",
                    disabled=bool(why_not),
                    help=why_not or about,
                    on_click=change_job,
                    args=(action, str(job.job_id)),
                )
    if over := [_job(job, queries) for job in jobs if job not in current]:
        st.html(macro(TEMPLATE, "finished")(over))


def _job(job: Job, queries: Mapping[str, str]) -> tuple[Job, str, str, list[str]]:
    started = words.day_and_time(job.started_at, session.zone())
    return job, without_folders(job.name), started, job_facts(job, queries)


def job_actions(job: Job) -> tuple[str, ...]:
    """Return what can be done with a job."""
    if job.state == "running":
        return ("pause", "stop")
    if job.state in ("paused", "failed") or job.process_ended:
        return ("resume", "stop")
    return ("resume",) if job.state == "stopped" else ()


def job_facts(job: Job, queries: Mapping[str, str]) -> list[str]:
    """List what a job is about, its speed, and what came of its prompts."""
    scope = "all queries"
    if job.query_id is not None:
        scope = f"only “{words.shortened(queries.get(job.query_id, job.query_id))}”"
    elif job.query_ids:
        scope = f"{len(job.query_ids):,} queries"
    tokens = expected = job.expected_tokens or 0
    if tokens:
        expected = round(tokens, 2 - len(str(tokens)))
    used = job.tokens_in or job.tokens_out
    share = words.percent(job.cut / job.prompts) if job.prompts else ""
    facts = {
        scope: True,
        job.budget: job.budget,
        "on Ray": job.engine == "ray",
        f"at {job.host}": job.host,
        f"{job.per_second or 0:,.1f} a second": job.per_second,
        f"{job.cut:,} of {job.prompts:,} passages cut to fit ({share})": job.cut,
        f"{job.unreadable:,} unreadable": job.unreadable,
        f"{job.unfinished:,} cut off at the limit of tokens": job.unfinished,
        f"{job.refused:,} refused": job.refused,
        "tokens not reported": job.prompts and job.tokens_in is None,
        f"{job.tokens_in or 0:,} tokens in, {job.tokens_out or 0:,} out": used,
        f"about {expected:,} in all": used and tokens,
    }
    return [fact for fact, holds in facts.items() if holds]
