"""Jobs as rows: how far each is, how fast, who started it, what went wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Literal

from curator.ui.shared import words
from curator.ui.shared.settings import without_folders
from curator.verbs.grading.jobs import Job, time_in_words

Act = Literal["pause", "resume", "stop"]


@dataclass(frozen=True, slots=True)
class JobRow:
    """One job in words. ``share`` is how much of it is done, between 0 and 1.

    ``label`` is its grader's name without folders, ``facts`` stand beneath its bar,
    ``error`` is why it failed.
    """

    job_id: int
    grader: str
    label: str
    where: str
    state: str
    counts: str
    pace: str
    share: float
    started: str
    facts: tuple[str, ...]
    error: str
    acts: tuple[Act, ...]

    @property
    def progress(self) -> str:
        """How far it is, how fast, and what it does if it does not run."""
        state = "" if self.state == "running" else self.state
        return " · ".join(filter(None, (self.counts, self.pace, state)))

    @property
    def finished(self) -> str:
        """``done 9,300 grades`` and how it went, for the list of what is over."""
        return " · ".join([f"{self.state} {self.counts}", self.where, *self.facts])


def job_rows(
    jobs: Iterable[Job], queries: Mapping[str, str], zone: tzinfo | None
) -> tuple[JobRow, ...]:
    """The jobs in words; ``queries`` maps query ids to their names."""
    return tuple(_row(job, queries, zone) for job in jobs)


def current(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """The jobs somebody may want to do something about, the latest first.

    Those that run, and each grader's latest unless it is done.
    """
    latest: dict[str, int] = {}
    for job in jobs:
        latest.setdefault(job.name, job.job_id)
    return tuple(
        job
        for job in jobs
        if job.state == "running"
        or (job.state != "done" and latest[job.name] == job.job_id)
    )


def latest_of(jobs: Sequence[Job], grader: str) -> Job | None:
    """The grader's latest job."""
    return next(
        (job for job in jobs if job.kind == "grade" and job.grader == grader), None
    )


def _row(job: Job, queries: Mapping[str, str], zone: tzinfo | None) -> JobRow:
    where = "all queries"
    if job.query_id is not None:
        where = f"only “{words.shortened(queries.get(job.query_id, job.query_id))}”"
    counts = f"{job.done:,} of {words.count(job.total, job.unit[:-1])}"
    return JobRow(
        job_id=job.job_id,
        grader=job.name,
        label=without_folders(job.name),
        where=where,
        state=_state(job),
        counts=f"{job.total:,} {job.unit}" if job.state == "done" else counts,
        pace=_pace(job),
        share=job.done / job.total if job.total else float(job.state == "done"),
        started=f"{job.by}, {words.day_and_time(job.started_at, zone)}",
        facts=_facts(job),
        error=job.error or "",
        acts=_acts(job),
    )


def _state(job: Job) -> str:
    if job.gone:
        return "stopped: its process has ended"
    return job.state


def _pace(job: Job) -> str:
    """``3.2 a second, about 2 min left``; ``loading the model`` before the first."""
    if job.state != "running":
        return ""
    if job.per_second is None:
        return "starting"
    left = time_in_words(job.seconds_left)
    return f"{_rate(job.per_second)}{f', {left} left' if left else ''}"


def _rate(per_second: float) -> str:
    if per_second >= 10:
        return f"{per_second:,.0f} a second"
    if per_second >= 1:
        return f"{per_second:.1f} a second"
    return f"{60 * per_second:.0f} a minute"


def _facts(job: Job) -> tuple[str, ...]:
    facts = []
    if job.cut:
        asked = words.count(job.prompts, "passage was", "passages were")
        share = words.percent(job.cut / job.prompts) if job.prompts else ""
        facts.append(f"{job.cut:,} of {asked} cut to fit ({share})")
    if job.unreadable:
        facts.append(f"{job.unreadable:,} unreadable")
    if job.tokens_in or job.tokens_out:
        facts.append(f"{job.tokens_in:,} tokens in, {job.tokens_out:,} out")
    return tuple(facts)


def _acts(job: Job) -> tuple[Act, ...]:
    if job.state == "running":
        return ("pause", "stop")
    if job.state in ("paused", "failed") or job.gone:
        return ("resume", "stop")
    return ("resume",) if job.state == "stopped" else ()
