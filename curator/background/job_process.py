"""A run of a job: ``python -m curator.background.job_process WORKSPACE JOB RUN``.

Started by ``curator.verbs.grading.jobs``. Its output is not read, so messages go to the
job's row. Another thread sends a heartbeat every second and reads whether the run
was cancelled, so that a long portion does not look like a dead process. If the process
is killed, the portions graded so far stay stored.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from curator.errors import CuratorError
from curator.store import jobs as store_jobs
from curator.store.connection import open_workspace, write_transaction
from curator.store.jobs import StoredJob
from curator.verbs.grading.jobs import grade_options
from curator.verbs.grading.summary import Progress, RunCounts
from curator.verbs.proposals.request import GenerationRequest, settings_from_spec
from curator.workspace import Workspace
from grading.errors import GradingError

BEAT = 1.0  # seconds
NICENESS = 10  # a judge's click has priority over a job's grades


class JobCancelledError(Exception):
    """The job was paused, or another process runs it now."""


class Heartbeat:
    """Stores the run's progress every second, with its own connection and thread.

    If the file cannot be opened or written, it tries again at the next beat.
    """

    def __init__(self, path: Path, row: StoredJob) -> None:
        self._path, self._job_id, self._run = path, row.job_id, row.run
        self._earlier_counters = row.counters
        self.done, self.total = row.done, row.total
        self.tally = RunCounts()
        self._active = True
        self._stop_requested = threading.Event()
        self._thread = threading.Thread(target=self._beat_until_stopped, daemon=True)
        self._thread.start()

    @property
    def is_active(self) -> bool:
        """True if the run is not cancelled, as far as known, and the thread is alive.

        Without heartbeats the job looks stopped, and another process may run it.
        """
        return self._active and self._thread.is_alive()

    def stop(self) -> None:
        self._stop_requested.set()
        self._thread.join()

    def beat(self, connection: sqlite3.Connection) -> bool:
        """Store the current progress; return False if the run was cancelled."""
        counted = self.tally.counts
        with write_transaction(connection):
            return store_jobs.write_heartbeat(
                connection,
                self._job_id,
                self._run,
                done=self.done,
                total=self.total,
                counters={
                    name: self._earlier_counters[name] + counted[name]
                    for name in counted
                },
                warning=self.tally.warning,
                at=time.time(),
            )

    def _beat_until_stopped(self) -> None:
        connection: sqlite3.Connection | None = None
        try:
            while self._active and not self._stop_requested.wait(BEAT):
                try:
                    connection = connection or open_workspace(self._path)
                    self._active = self.beat(connection)
                except CuratorError:
                    continue  # a missed beat; the work itself reports the error
        finally:
            if connection is not None:
                connection.close()


def work(path: Path, job_id: int, run: int) -> None:
    """Run the job, until it ends or is cancelled."""
    with closing(open_workspace(path)) as connection:
        with write_transaction(connection):
            is_active = store_jobs.update_run(
                connection, job_id, run, host=platform.node(), pid=os.getpid()
            )
        if not is_active:
            return
        row = store_jobs.read_job(connection, job_id)
        heartbeat = Heartbeat(path, row)
        done_before, is_loaded = row.done, False

        def report(done: int, total: int) -> None:
            nonlocal done_before, is_loaded
            if not done:
                # A killed run may have stored grades after its last heartbeat.
                done_before = max(row.done, row.total - total)
            heartbeat.done, heartbeat.total = done_before + done, done_before + total
            if not is_loaded:
                # The pace is that of grading, so the first portion, for which the model
                # is loaded, does not count.
                is_loaded = done > 0
                times = dict.fromkeys(("run_began", "heartbeat"), time.time())
                counts = dict.fromkeys(("run_done", "done"), heartbeat.done)
                counts["total"] = heartbeat.total
                with write_transaction(connection):
                    store_jobs.update_run(connection, job_id, run, **times, **counts)
            if not heartbeat.is_active:
                raise JobCancelledError

        message = None
        try:
            run_job(row, path, heartbeat.tally, report)
        except JobCancelledError:
            is_active = False
        except Exception as error:
            message = error_line(error)
        heartbeat.stop()
        heartbeat.beat(connection)
        if is_active:
            with write_transaction(connection):
                if message is None:
                    store_jobs.finish(connection, job_id, run)
                else:
                    store_jobs.update_run(
                        connection, job_id, run, state="failed", error=message
                    )


def run_job(row: StoredJob, path: Path, tally: RunCounts, report: Progress) -> None:
    """Grade, or let the model propose questions, as the job says."""
    with Workspace.open(path, judge=row.by) as workspace:
        if row.kind == "generate":
            request = GenerationRequest.from_spec(row.spec)
            workspace.generate(
                # Prompts asked again by an earlier run of the job are not repeated.
                replace(request, since=row.started_at),
                settings=settings_from_spec(row.spec),
                tally=tally,
                progress=report,
            )
        else:
            workspace.grade(
                row.spec.get("opened_by", row.spec["grader"]),
                **grade_options(row.spec),
                tally=tally,
                progress=report,
            )


def error_line(error: Exception) -> str:
    """Return the error message for the job's row; bugs with their type."""
    message = " ".join(str(error).split())
    if isinstance(error, CuratorError | GradingError):
        return message
    return f"{type(error).__name__}: {message}"


if __name__ == "__main__":
    os.nice(NICENESS)
    work(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
