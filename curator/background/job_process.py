"""One run of a job: ``python -m curator.background.job_process WORKSPACE JOB RUN``.

Started by ``curator.verbs.grading.jobs``, with nobody to read what it prints: what
there is to say goes into the job's row. Another thread says every second that the run
lives and reads whether it is still wanted, so a long portion does not look like a dead
process. Killed at any time, it has kept every portion that was graded.
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
from curator.store.connection import exclusive, open_workspace
from curator.store.jobs import StoredJob
from curator.verbs.grading.jobs import engine_of, options_of
from curator.verbs.grading.summary import Progress, Tally
from curator.verbs.proposals.request import GenerationRequest, settings_of
from curator.workspace import Workspace
from grading.errors import GradingError

BEAT = 1.0  # seconds
NICENESS = 10  # a judge's click goes before a job's grades


class NotWantedError(Exception):
    """The job was paused, or another process does it now."""


class Heart:
    """Says how far the run is, every second, on a connection and thread of its own.

    A file that cannot be opened or written now is tried again at the next beat.
    """

    def __init__(self, path: Path, row: StoredJob) -> None:
        self._path, self._job_id, self._run = path, row.job_id, row.run
        self._before = row.counted
        self.done, self.total = row.done, row.total
        self.tally = Tally()
        self._wanted = True
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat_on, daemon=True)
        self._thread.start()

    @property
    def wanted(self) -> bool:
        """Whether the run is, as far as is known; not where the heart has died.

        Without its beats the job looks stopped, and another process may do it.
        """
        return self._wanted and self._thread.is_alive()

    def stop(self) -> None:
        """Beat no more."""
        self._over.set()
        self._thread.join()

    def beat(self, connection: sqlite3.Connection) -> bool:
        """Say what is known now; whether the run is still wanted."""
        counted = self.tally.counts
        with exclusive(connection):
            return store_jobs.beat(
                connection,
                self._job_id,
                self._run,
                done=self.done,
                total=self.total,
                counted={n: self._before[n] + counted[n] for n in counted},
                warning=self.tally.warning,
                at=time.time(),
            )

    def _beat_on(self) -> None:
        connection: sqlite3.Connection | None = None
        try:
            while self._wanted and not self._over.wait(BEAT):
                try:
                    connection = connection or open_workspace(self._path)
                    self._wanted = self.beat(connection)
                except CuratorError:
                    continue  # a beat missed; the work itself says what is wrong
        finally:
            if connection is not None:
                connection.close()


def work(path: Path, job_id: int, run: int) -> None:
    """Do the run, to its end or until it is not wanted any more."""
    with closing(open_workspace(path)) as connection:
        with exclusive(connection):
            wanted = store_jobs.set_process(
                connection, job_id, run, host=platform.node(), pid=os.getpid()
            )
        if not wanted:
            return
        row = store_jobs.read_job(connection, job_id)
        heart = Heart(path, row)
        kept, loaded = row.done, False

        def report(done: int, total: int) -> None:
            nonlocal kept, loaded
            if not done:
                # What a killed run graded after its last heartbeat is kept as well.
                kept = max(row.done, row.total - total)
            heart.done, heart.total = kept + done, kept + total
            if not loaded:
                # The pace is that of grading, so the first portion, for which the
                # model is loaded, does not count.
                loaded = done > 0
                counts = {"done": heart.done, "total": heart.total}
                with exclusive(connection):
                    store_jobs.begin_work(
                        connection, job_id, run, **counts, at=time.time()
                    )
            if not heart.wanted:
                raise NotWantedError

        why = None
        try:
            do(row, path, heart.tally, report)
        except NotWantedError:
            wanted = False
        except Exception as error:
            why = in_one_line(error)
        heart.stop()
        heart.beat(connection)
        if wanted:
            with exclusive(connection):
                if why is None:
                    store_jobs.finish(connection, job_id, run)
                else:
                    store_jobs.fail(connection, job_id, run, why)


def do(row: StoredJob, path: Path, tally: Tally, report: Progress) -> None:
    """Grade, or have questions proposed, as the job says."""
    with Workspace.open(path, judge=row.by) as workspace:
        if row.kind == "generate":
            request = GenerationRequest.of_spec(row.spec)
            workspace.generate(
                # What an earlier run of it asked again is not asked again.
                replace(request, since=row.started_at),
                settings=settings_of(row.spec),
                tally=tally,
                progress=report,
            )
        else:
            workspace.grade(
                row.spec.get("opened_by", row.spec["grader"]),
                **options_of(row.spec),
                **engine_of(row.spec),
                tally=tally,
                progress=report,
            )


def in_one_line(error: Exception) -> str:
    """What went wrong, for the job's row; there is no terminal to print a bug on."""
    message = " ".join(str(error).split())
    if isinstance(error, CuratorError | GradingError):
        return message
    return f"{type(error).__name__}: {message}"


if __name__ == "__main__":
    os.nice(NICENESS)
    work(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
