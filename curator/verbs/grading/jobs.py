"""Work that goes on beside the app: started, watched, paused, resumed.

Each run of a job is a process of its own (``curator.background.job_process``) in a
session of its own, so neither a click waits for it nor the end of the server ends it.
All that is known of it stands in the workspace. A job whose process has gone without
saying so is *stopped*: what it kept is kept, and resuming asks for what is missing.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import JobError
from curator.store import claims as store_claims
from curator.store import generations as store_generations
from curator.store import jobs as store_jobs
from curator.store.claims import has_ended
from curator.store.connection import exclusive
from curator.store.jobs import Kind, StoredJob

JobState = Literal["running", "paused", "stopped", "done", "failed"]

SILENT_AFTER = 15.0  # seconds without a heartbeat; there is one a second


@dataclass(frozen=True)
class Job:
    """A job as it stands: ``done`` of ``total`` grades (or prompts) are kept.

    ``grader`` is whose grades they are; of a job that asks for questions, the model.

    ``per_second`` and ``seconds_left`` are None where nothing is known of its pace
    yet, or it does not run. ``error`` is why it failed, in one line. ``gone`` says that
    it is stopped because its process ended, not because somebody stopped it. The
    others count what its model was asked over all runs: ``prompts``, of which ``cut``
    with a passage too long for it and ``unreadable`` answered without a rating, and
    tokens where the model counts them.
    """

    job_id: int
    kind: Kind
    grader: str
    state: JobState
    by: str
    started_at: str
    done: int
    total: int
    seconds_left: float | None = None
    error: str | None = None
    query_id: str | None = None
    per_second: float | None = None
    gone: bool = False
    prompts: int = 0
    cut: int = 0
    unreadable: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def name(self) -> str:
        """Whose work it is; jobs of one name follow one another."""
        return self.grader if self.kind == "grade" else f"questions from {self.grader}"

    @property
    def unit(self) -> str:
        """What its numbers count, in the plural."""
        return "grades" if self.kind == "grade" else "prompts"

    @property
    def in_words(self) -> str:
        """One line: what it does or why it does not, how far it is, what is left."""
        kept = f"{self.done:,} of {self.total:,} {self.unit}"
        held = "kept" if self.kind == "grade" else "asked"
        if self.state == "running":
            left = time_in_words(self.seconds_left)
            doing = "Grading" if self.kind == "grade" else "Asking"
            return f"{doing}: {kept}{f', {left} left' if left else ''}"
        if self.state == "done":
            return f"Done: {self.total:,} {self.unit}"
        if self.state == "failed":
            return f"Failed: {kept} {held}. {self.error}"
        if self.gone:
            return f"Stopped, its process has ended: {kept} {held}"
        return f"{self.state.capitalize()}: {kept} {held}"


def pace(*, done: int, done_before: int, elapsed: float) -> float | None:
    """Grades a second in this run; None before its first.

    ``done_before`` were there when the run began, ``elapsed`` seconds ago.
    """
    if done <= done_before or elapsed <= 0:
        return None
    return (done - done_before) / elapsed


def time_in_words(seconds: float | None) -> str:
    """ "about 2 min": no more exact than a pace is; "" where there is none."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    return f"about {minutes} min" if minutes < 90 else f"about {round(minutes / 60)} h"


def jobs(state: State) -> tuple[Job, ...]:
    """The work beside the app and how far it is, the latest first."""
    return all_jobs(state.connection)


def all_jobs(connection: sqlite3.Connection) -> tuple[Job, ...]:
    """Every job of the workspace, the latest first."""
    return tuple(_seen(row, time.time()) for row in store_jobs.read_jobs(connection))


def job(connection: sqlite3.Connection, job_id: int) -> Job:
    """The job of this number. Raises UnknownNameError."""
    return _seen(store_jobs.read_job(connection, job_id), time.time())


def start(
    workspace: OpenWorkspace, kind: Kind, spec: Mapping[str, str], *, total: int
) -> Job:
    """The new job, its process started. Raises JobError for a second one at a time."""
    connection = workspace.connection
    with exclusive(connection):
        for other in all_jobs(connection):
            same = (other.kind, other.grader) == (kind, spec["grader"])
            if same and _is_open(other):
                raise JobError(_already(other))
        job_id = store_jobs.insert_job(
            connection, kind, spec, by=workspace.judge, total=total, at=time.time()
        )
    _start_process(workspace, store_jobs.read_job(connection, job_id))
    return job(connection, job_id)


def pause_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Let a job end after the portion that it is at. Raises JobError."""
    connection = workspace.connection
    with exclusive(connection):
        _refuse_unless(job(connection, job_id), "running")
        store_jobs.pause_job(connection, job_id)
    return job(connection, job_id)


def stop_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Let a job end and stand in no other's way. Raises JobError."""
    connection = workspace.connection
    with exclusive(connection):
        states: tuple[JobState, ...] = ("running", "paused", "stopped", "failed")
        _refuse_unless(job(connection, job_id), *states)
        store_jobs.stop_job(connection, job_id)
    return job(connection, job_id)


def resume_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Let a paused, stopped or failed job go on from where it was. Raises JobError."""
    connection = workspace.connection
    with exclusive(connection):
        found = job(connection, job_id)
        _refuse_unless(found, "paused", "stopped", "failed")
        for other in all_jobs(connection):
            if other.name == found.name and other.state == "running":
                raise JobError(_already(other))
        row = store_jobs.read_job(connection, job_id)
        if found.gone and row.host is not None and row.pid is not None:
            # It may be asleep rather than dead, and would be waited for.
            store_claims.give_up_process(connection, row.host, row.pid)
            store_generations.release(connection, f"{row.host}:{row.pid}:")
        store_jobs.next_run(connection, job_id, at=time.time())
    _start_process(workspace, store_jobs.read_job(connection, job_id))
    return job(connection, job_id)


def _already(other: Job) -> str:
    if other.state == "running":
        doing = "grading with" if other.kind == "grade" else "asking"
        return f"Job {other.job_id} is {doing} {other.grader} already."
    return (
        f"Job {other.job_id} for {other.name} is {other.state} at {other.done:,} of "
        f"{other.total:,} {other.unit}; "
        f"`curator jobs WORKSPACE --resume {other.job_id}` goes on with it."
    )


def _refuse_unless(found: Job, *states: JobState) -> None:
    if found.state not in states:
        raise JobError(
            f"Job {found.job_id} is {found.state}, not {' or '.join(states)}."
        )


def _is_open(one: Job) -> bool:
    """Whether somebody may still expect it to go on."""
    return one.state in ("running", "paused") or one.gone


def _seen(row: StoredJob, now: float) -> Job:
    """The job as the row and its process say at this time."""
    gone = row.state == "running" and (_gone(row) or now - row.heartbeat > SILENT_AFTER)
    speed = None
    if row.state == "running" and not gone:
        speed = pace(
            done=row.done,
            done_before=row.run_done,
            # Until the last heartbeat: the done that is known is of then.
            elapsed=row.heartbeat - row.run_began,
        )
    return Job(
        job_id=row.job_id,
        kind=row.kind,
        grader=row.spec["grader"],
        state="stopped" if gone else row.state,
        by=row.by,
        started_at=row.started_at,
        done=row.done,
        total=row.total,
        seconds_left=None if speed is None else (row.total - row.done) / speed,
        error=row.error,
        query_id=row.spec.get("query"),
        per_second=speed,
        gone=gone,
        **row.counted,
    )


def _gone(row: StoredJob) -> bool:
    """Whether the row names a process of this machine that is no more."""
    return row.pid is not None and has_ended(row.host or "", row.pid)


def _start_process(workspace: OpenWorkspace, row: StoredJob) -> None:
    import subprocess  # most commands start no job

    command = [sys.executable, "-m", "curator.background.job_process"]
    command += [str(workspace.path.resolve()), str(row.job_id), str(row.run)]
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
        with exclusive(workspace.connection):
            store_jobs.fail(
                workspace.connection,
                row.job_id,
                row.run,
                f"Its process could not be started: {error.strerror}.",
            )
        return
    # One that ends while we live is taken off the process list at once.
    threading.Thread(target=process.wait, daemon=True).start()
    # It says so itself, but one that ends before it can is known by this.
    with exclusive(workspace.connection):
        store_jobs.set_process(
            workspace.connection,
            row.job_id,
            row.run,
            host=platform.node(),
            pid=process.pid,
        )
