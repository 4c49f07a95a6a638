"""Background jobs: start, watch, pause and resume.

Each run of a job is a process (``curator.background.job_process``) in its own session,
so no click waits for it and it survives the end of the server. The workspace holds its
state. A job whose process ended without a report is *stopped*: its results are kept,
and resuming it asks for the rest.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import sys
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from curator.collection.budgets import Budget
from curator.errors import JobError
from curator.results import HIDDEN, IF_ANY, Result, Rows, column, minute
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store import generations as store_generations
from curator.store import jobs as store_jobs
from curator.store.connection import write_transaction
from curator.store.jobs import JobKind, JobState, StoredJob, has_ended
from curator.verbs.grading.summary import MIN_ANSWERS, RunCounts
from curator.verbs.setup import engines, saved_endpoint
from grading.models.endpoint import shown_host
from grading.registry import is_local
from grading.responders import COMPUTED_ENGINES

HEARTBEAT_TIMEOUT = 15.0  # seconds without a heartbeat; one is written every second


@dataclass(frozen=True)
class Job(Result["Job"]):
    """The state of a job: ``done`` of ``total`` grades (or prompts) are stored.

    ``grader`` is the grader's name; for a job that generates questions, the model's.

    ``per_second`` and ``seconds_left`` are None before the pace is known, and while the
    job does not run. ``error`` is the reason of a failure, in one line.
    ``process_ended`` is True for a job that is stopped because its process ended, not
    by a user. ``query_ids`` are its queries where these are several. ``budget``
    describes a part of the grades, "" for all; ``engine`` names where the models run.
    ``host`` is where an unfinished job sends texts, "" where they stay here.
    ``warning`` describes a problem while it runs. The other fields are totals over all
    runs, as in ``RunCounts``; tokens are None where the server did not report all of
    them.
    """

    columns: ClassVar = "job_id of=name state=state_line by started_(UTC)=started_at"

    job_id: int = field(metadata=column(json="job"))
    kind: JobKind
    grader: str
    state: JobState
    by: str
    started_at: str = field(metadata=column(show=minute))
    done: int
    total: int
    seconds_left: float | None = None
    error: str | None = None
    query_id: str | None = field(default=None, metadata=column(json="query"))
    per_second: float | None = None
    process_ended: bool = field(default=False, metadata=HIDDEN)
    prompts: int = 0
    cut: int = 0
    unreadable: int = 0
    unfinished: int = 0
    refused: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    budget: str = field(default="", metadata=IF_ANY)
    engine: str = field(
        default="local", metadata=column(json_if=lambda engine: engine != "local")
    )
    warning: str = field(default="", metadata=IF_ANY)
    query_ids: tuple[str, ...] = field(
        default=(), metadata=column(json="queries", json_if=bool)
    )
    host: str = field(default="", metadata=IF_ANY)

    @property
    def name(self) -> str:
        """Subject of the job; jobs of the same name follow one another."""
        return self.grader if self.kind == "grade" else f"questions from {self.grader}"

    @property
    def unit(self) -> str:
        """Unit of the numbers, in the plural."""
        return "grades" if self.kind == "grade" else "prompts"

    @property
    def expected_tokens(self) -> int | None:
        """Estimate of all tokens at the job's end, in and out, from the first answers.

        None before ``MIN_ANSWERS``, where tokens are unknown, and for an ended job.
        """
        if self.state != "running" or self.kind != "grade":
            return None
        if self.prompts < MIN_ANSWERS or None in (self.tokens_in, self.tokens_out):
            return None
        tokens = (self.tokens_in or 0) + (self.tokens_out or 0)
        return round(tokens * (1 + (self.total - self.done) / self.prompts))

    @property
    def state_line(self) -> str:
        """Snapshot and progress in one line, with the time left or the error."""
        kept = f"{self.done:,} of {self.total:,} {self.unit}"
        stored_as = "kept" if self.kind == "grade" else "asked"
        if self.state == "running":
            remaining = time_in_words(self.seconds_left)
            doing = "Grading" if self.kind == "grade" else "Asking"
            return f"{doing}: {kept}{f', {remaining} left' if remaining else ''}"
        if self.state == "done":
            return f"Done: {self.total:,} {self.unit}"
        if self.state == "failed":
            return f"Failed: {kept} {stored_as}. {self.error}"
        if self.process_ended:
            return f"Stopped, its process has ended: {kept} {stored_as}"
        return f"{self.state.capitalize()}: {kept} {stored_as}"


def time_in_words(seconds: float | None) -> str:
    """Format a duration such as "about 2 min"; "" for None."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    return f"about {minutes} min" if minutes < 90 else f"about {round(minutes / 60)} h"


def jobs(snapshot: Snapshot) -> Rows[Job]:
    """List the jobs and their progress, the latest first."""
    rows = store_jobs.read_jobs(snapshot.connection)
    return Rows((_job(row, _host(snapshot, row)) for row in rows), "grading.job_list")


def _host(snapshot: Snapshot, row: StoredJob) -> str:
    """Host that the job's texts go to when it runs, "" where they go nowhere."""
    if row.state == "done":
        return ""
    if row.kind == "grade":
        records = snapshot.gradebook.match_graders(row.spec["grader"])
        names = {engine for record in records for engine in engines(record)}
        if all(map(is_local, names - COMPUTED_ENGINES)):
            return ""
    return shown_host(row.spec.get("endpoint") or saved_endpoint(snapshot.connection))


def current_jobs(jobs: Sequence[Job]) -> list[Job]:
    """List running jobs and each grader's latest unfinished one, latest first."""
    latest = {job.name: job for job in reversed(jobs)}
    return [
        job
        for job in jobs
        if job.state == "running" or (job.state != "done" and latest[job.name] is job)
    ]


def latest_job(jobs: Iterable[Job], grader: str) -> Job | None:
    grading = (job for job in jobs if (job.kind, job.grader) == ("grade", grader))
    return next(grading, None)


def start(
    workspace: OpenWorkspace, kind: JobKind, spec: Mapping[str, str], *, total: int
) -> Job:
    """Start a new job. Raises JobError where its grader has an unfinished one."""
    connection = workspace.connection
    with write_transaction(connection):
        for other in map(_job, store_jobs.read_jobs(connection)):
            is_same = (other.kind, other.grader) == (kind, spec["grader"])
            # A user may still expect that one to continue.
            continues = other.state in ("running", "paused") or other.process_ended
            if is_same and continues:
                raise JobError(_unfinished_message(other))
        job_id = store_jobs.insert_job(
            connection, kind, spec, by=workspace.judge, total=total, at=time.time()
        )
    return _start(workspace, job_id)


def pause_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Pause a job after its current batch. Raises JobError."""
    connection = workspace.connection
    with write_transaction(connection):
        _job_in_state(connection, job_id, "running")
        store_jobs.halt(connection, job_id, "paused")
    return _job_in_state(connection, job_id)


def stop_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Stop a job, so that another may start. Raises JobError."""
    connection = workspace.connection
    with write_transaction(connection):
        _job_in_state(connection, job_id, "running", "paused", "stopped", "failed")
        store_jobs.halt(connection, job_id, "stopped")
    return _job_in_state(connection, job_id)


def resume_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Resume a paused, stopped or failed job. Raises JobError."""
    connection = workspace.connection
    with write_transaction(connection):
        job = _job_in_state(connection, job_id, "paused", "stopped", "failed")
        for other in map(_job, store_jobs.read_jobs(connection)):
            if other.name == job.name and other.state == "running":
                raise JobError(_unfinished_message(other))
        row = store_jobs.read_job(connection, job_id)
        older = row.spec.keys() - {"grader", "opened_by", "options"}
        if row.kind == "grade" and older:
            raise JobError(
                f"Job {job_id} was started by an older Curator: stop it, and grade "
                "again. Its grades are kept."
            )
        if job.process_ended and row.host is not None and row.pid is not None:
            # A suspended process would keep its claims, and others wait for them.
            store_jobs.release_process(connection, row.host, row.pid)
            store_generations.delete_unanswered(connection, f"{row.host}:{row.pid}:")
        store_jobs.next_run(connection, job_id, at=time.time())
    return _start(workspace, job_id)


def _unfinished_message(other: Job) -> str:
    if other.state == "running":
        doing = "grading with" if other.kind == "grade" else "asking"
        return f"Job {other.job_id} is {doing} {other.grader} already."
    return (
        f"Job {other.job_id} for {other.name} is {other.state} at {other.done:,} of "
        f"{other.total:,} {other.unit}; `curator jobs WORKSPACE --resume "
        f"{other.job_id}` continues it."
    )


def _job_in_state(
    connection: sqlite3.Connection, job_id: int, *states: JobState
) -> Job:
    """Read the job. Raises JobError unless it is in one of the states, if given."""
    job = _job(store_jobs.read_job(connection, job_id))
    if states and job.state not in states:
        raise JobError(f"Job {job_id} is {job.state}, not {' or '.join(states)}.")
    return job


def _job(row: StoredJob, host: str = "") -> Job:
    """Build the job from its row, with the state of its process."""
    process_ended = row.state == "running" and (
        time.time() - row.heartbeat > HEARTBEAT_TIMEOUT
        # The row names a process of this machine that has ended.
        or (row.pid is not None and has_ended(row.host or "", row.pid))
    )
    options, speed = grade_options(row.spec), None
    query_id = options.get("query_id", row.spec.get("query"))
    if row.state == "running" and not process_ended:
        # The number done is that at the last heartbeat.
        done, elapsed = row.done - row.run_done, row.heartbeat - row.run_began
        speed = done / elapsed if done > 0 and elapsed > 0 else None
    return Job(
        job_id=row.job_id,
        kind=row.kind,
        grader=row.spec["grader"],
        state="stopped" if process_ended else row.state,
        by=row.by,
        started_at=row.started_at,
        done=row.done,
        total=row.total,
        seconds_left=None if speed is None else (row.total - row.done) / speed,
        error=row.error,
        query_id=query_id if isinstance(query_id, str) else None,
        per_second=speed,
        process_ended=process_ended,
        budget=_budget(options),
        engine=options.get("engine", "local"),
        query_ids=tuple(query_id) if isinstance(query_id, list) else (),
        host=host,
        warning=row.warning if row.state == "running" and not process_ended else "",
        **RunCounts(**row.counters).reported,
    )


def grade_options(spec: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of ``grade`` that a job was started with."""
    options: dict[str, Any] = json.loads(spec.get("options", "{}"))
    return options


def _budget(options: Mapping[str, Any]) -> str:
    if options.get("same_budget"):
        return "the same budget as last"
    limits = map(options.get, ("depth", "sample", "seed"))
    budget = Budget.from_options(*limits, judged="without_judged" not in options)
    return budget.description if budget else ""


def _start(workspace: OpenWorkspace, job_id: int) -> Job:
    _start_process(workspace, store_jobs.read_job(workspace.connection, job_id))
    return _job_in_state(workspace.connection, job_id)


def _start_process(workspace: OpenWorkspace, row: StoredJob) -> None:
    import subprocess  # most commands start no job

    connection, run = workspace.connection, (row.job_id, row.run)
    command = [sys.executable, "-m", "curator.background.job_process"]
    command += [str(workspace.path.resolve()), *map(str, run)]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"TOKENIZERS_PARALLELISM": "false"},
            start_new_session=True,
        )
    except OSError as error:
        reason = f"Its process could not be started: {error.strerror}."
        with write_transaction(connection):
            store_jobs.update_run(connection, *run, state="failed", error=reason)
        return
    # Reap the process when it ends while this one lives.
    threading.Thread(target=process.wait, daemon=True).start()
    # The process stores its own id too, but may end before it can.
    host = platform.node()
    with write_transaction(connection):
        store_jobs.update_run(connection, *run, host=host, pid=process.pid)
