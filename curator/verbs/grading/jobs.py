"""Work that goes on beside the app: started, watched, paused, resumed.

Each run of a job is a process of its own (``curator.background.job_process``) in a
session of its own, so neither a click waits for it nor the end of the server ends it.
All that is known of it stands in the workspace. A job whose process has gone without
saying so is *stopped*: what it kept is kept, and resuming asks for what is missing.
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
from dataclasses import dataclass
from typing import Any

from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import JobError
from curator.results import Result, Rows
from curator.store import claims as store_claims
from curator.store import generations as store_generations
from curator.store import jobs as store_jobs
from curator.store.claims import has_ended
from curator.store.connection import exclusive
from curator.store.jobs import JobState, Kind, StoredJob
from curator.verbs.grading.missing import Wanted
from curator.verbs.grading.summary import Tally, expected_tokens
from curator.verbs.setup.settings import saved_endpoint
from curator.verbs.setup.status import engines
from grading.models.endpoint import shown_host
from grading.registry import is_local
from grading.responders import COMPUTED_ENGINES

SILENT_AFTER = 15.0  # seconds without a heartbeat; there is one a second


@dataclass(frozen=True)
class Job(Result["Job"], table="grading.job_table"):
    """A job as it stands: ``done`` of ``total`` grades (or prompts) are kept.

    ``grader`` is whose grades they are; of a job that asks for questions, the model.

    ``per_second`` and ``seconds_left`` are None where nothing is known of its pace
    yet, or it does not run. ``error`` is why it failed, in one line. ``gone`` says that
    it is stopped because its process ended, not because somebody stopped it.
    ``query_ids`` are the queries it is about where these are several. ``budget`` says
    what it grades where that is not all, "" where it is, ``engine`` whose models do.
    ``host`` is where an unfinished job sends texts, "" where they stay here.
    ``warning`` says what looks wrong while it runs. The others count what its model was
    asked over all runs, as ``Tally`` has them; tokens are None where the server did not
    report all of them.
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
    unfinished: int = 0
    refused: int = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    budget: str = ""
    engine: str = "local"
    warning: str = ""
    query_ids: tuple[str, ...] = ()
    host: str = ""

    @property
    def name(self) -> str:
        """Whose work it is; jobs of one name follow one another."""
        return self.grader if self.kind == "grade" else f"questions from {self.grader}"

    @property
    def unit(self) -> str:
        """What its numbers count, in the plural."""
        return "grades" if self.kind == "grade" else "prompts"

    @property
    def expected_tokens(self) -> int | None:
        """Tokens in all by the job's end, in and out, judged by the first answers.

        None before ``ENOUGH`` answers, where tokens are unknown and for what has ended.
        """
        if self.state != "running" or self.kind != "grade":
            return None
        return expected_tokens(
            self.prompts, self.tokens_in, self.tokens_out, self.total - self.done
        )

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
    known = done > done_before and elapsed > 0
    return (done - done_before) / elapsed if known else None


def time_in_words(seconds: float | None) -> str:
    """ "about 2 min": no more exact than a pace is; "" where there is none."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if minutes < 1:
        return "less than a minute"
    return f"about {minutes} min" if minutes < 90 else f"about {round(minutes / 60)} h"


def jobs(state: State) -> Rows[Job]:
    """The work beside the app and how far it is, the latest first."""
    rows = store_jobs.read_jobs(state.connection)
    jobs = (_job(row, _host(state, row)) for row in rows)
    return Rows(jobs, "grading.job_list")


def _host(state: State, row: StoredJob) -> str:
    """Host that the job's texts go to when it runs, "" where they go nowhere."""
    if row.state == "done":
        return ""
    if row.kind == "grade":
        records = state.gradebook.meant(row.spec["grader"])
        names = {engine for record in records for engine in engines(record)}
        if all(map(is_local, names - COMPUTED_ENGINES)):
            return ""
    return shown_host(row.spec.get("endpoint") or saved_endpoint(state.connection))


def current_jobs(jobs: Sequence[Job]) -> list[Job]:
    """The jobs somebody may want to do something about, the latest first.

    Those that run, and each grader's latest unless it is done.
    """
    latest = {job.name: job for job in reversed(jobs)}
    return [
        job
        for job in jobs
        if job.state == "running" or (job.state != "done" and latest[job.name] is job)
    ]


def latest_job(jobs: Iterable[Job], grader: str) -> Job | None:
    """The grader's latest job."""
    return next(
        (job for job in jobs if job.kind == "grade" and job.grader == grader), None
    )


def start(
    workspace: OpenWorkspace, kind: Kind, spec: Mapping[str, str], *, total: int
) -> Job:
    """The new job, its process started. Raises JobError for a second one at a time."""
    connection = workspace.connection
    with exclusive(connection):
        for other in map(_job, store_jobs.read_jobs(connection)):
            same = (other.kind, other.grader) == (kind, spec["grader"])
            # Somebody may still expect it to go on.
            if same and (other.state in ("running", "paused") or other.gone):
                raise JobError(_already(other))
        job_id = store_jobs.insert_job(
            connection, kind, spec, by=workspace.judge, total=total, at=time.time()
        )
    return _started(workspace, job_id)


def pause_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Let a job end after the portion that it is at. Raises JobError."""
    with exclusive(workspace.connection):
        _job_in(workspace.connection, job_id, "running")
        store_jobs.halt(workspace.connection, job_id, "paused")
    return _job_in(workspace.connection, job_id)


def stop_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Let a job end and stand in no other's way. Raises JobError."""
    with exclusive(workspace.connection):
        _job_in(workspace.connection, job_id, "running", "paused", "stopped", "failed")
        store_jobs.halt(workspace.connection, job_id, "stopped")
    return _job_in(workspace.connection, job_id)


def resume_job(workspace: OpenWorkspace, job_id: int) -> Job:
    """Let a paused, stopped or failed job go on from where it was. Raises JobError."""
    connection = workspace.connection
    with exclusive(connection):
        found = _job_in(connection, job_id, "paused", "stopped", "failed")
        for other in map(_job, store_jobs.read_jobs(connection)):
            if other.name == found.name and other.state == "running":
                raise JobError(_already(other))
        row = store_jobs.read_job(connection, job_id)
        if found.gone and row.host is not None and row.pid is not None:
            # It may be asleep rather than dead, and would be waited for.
            store_claims.give_up_process(connection, row.host, row.pid)
            store_generations.release(connection, f"{row.host}:{row.pid}:")
        store_jobs.next_run(connection, job_id, at=time.time())
    return _started(workspace, job_id)


def _already(other: Job) -> str:
    if other.state == "running":
        doing = "grading with" if other.kind == "grade" else "asking"
        return f"Job {other.job_id} is {doing} {other.grader} already."
    return (
        f"Job {other.job_id} for {other.name} is {other.state} at {other.done:,} of "
        f"{other.total:,} {other.unit}; "
        f"`curator jobs WORKSPACE --resume {other.job_id}` goes on with it."
    )


def _job_in(connection: sqlite3.Connection, job_id: int, *states: JobState) -> Job:
    """The job, in one of these states if any are given.

    Raises JobError for another state, UnknownNameError for a number of no job.
    """
    found = _job(store_jobs.read_job(connection, job_id))
    if states and found.state not in states:
        raise JobError(f"Job {job_id} is {found.state}, not {' or '.join(states)}.")
    return found


def _job(row: StoredJob, host: str = "") -> Job:
    """The job as the row and its process say now."""
    gone = row.state == "running" and (
        time.time() - row.heartbeat > SILENT_AFTER
        # The row names a process of this machine that is no more.
        or (row.pid is not None and has_ended(row.host or "", row.pid))
    )
    speed = None
    if row.state == "running" and not gone:
        # Until the last heartbeat: the done that is known is of then.
        elapsed = row.heartbeat - row.run_began
        speed = pace(done=row.done, done_before=row.run_done, elapsed=elapsed)
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
        budget=_budget(row),
        engine=row.spec.get("engine", "local"),
        query_ids=tuple(json.loads(row.spec.get("queries", "[]"))),
        host=host,
        warning=row.warning if row.state == "running" and not gone else "",
        **Tally(**row.counted).reported,
    )


def options_of(spec: Mapping[str, str]) -> dict[str, Any]:
    """What ``Wanted.spec`` wrote, as options of ``grade``."""
    numbers = ("depth", "sample", "seed", "max_tokens")
    flags = ("again", "same_budget", "without_judged")
    return {
        "query_id": json.loads(spec["queries"])
        if "queries" in spec
        else spec.get("query"),
        **{flag: flag in spec for flag in flags},
        **{name: int(spec[name]) for name in numbers if name in spec},
    }


def engine_of(spec: Mapping[str, str]) -> dict[str, Any]:
    """Which models a job asks, as options of ``grade``."""
    found: dict[str, Any] = {n: spec[n] for n in ("engine", "address") if n in spec}
    return found | ({"workers": int(spec["workers"])} if "workers" in spec else {})


def _budget(row: StoredJob) -> str:
    if row.kind != "grade":
        return ""
    wanted = Wanted.of(**options_of(row.spec))
    if wanted.same_budget:
        return "the budget of last time"
    return wanted.budget.in_words if wanted.budget else ""


def _started(workspace: OpenWorkspace, job_id: int) -> Job:
    _start_process(workspace, store_jobs.read_job(workspace.connection, job_id))
    return _job_in(workspace.connection, job_id)


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
        why = f"Its process could not be started: {error.strerror}."
        with exclusive(connection):
            store_jobs.fail(connection, *run, why)
        return
    # One that ends while we live is taken off the process list at once.
    threading.Thread(target=process.wait, daemon=True).start()
    # It says so itself, but one that ends before it can is known by this.
    with exclusive(connection):
        store_jobs.set_process(connection, *run, host=platform.node(), pid=process.pid)
