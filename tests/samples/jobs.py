"""Jobs under test: waited for by what happens, killed, and forked.

However busy the machine is, a wait ends with its event; the limit is there for a test
that would wait for ever. What is to be found half done is held there: by a file where
the process is a real one, by ``ChatServer.hold`` where a chat endpoint is asked.
"""

from __future__ import annotations

import os
import platform
import random
import signal
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from curator.background import job_process
from curator.snapshot.opened import OpenWorkspace
from curator.store import jobs as store_jobs
from curator.store.connection import write_transaction
from curator.store.jobs import StoredJob
from curator.verbs.grading import jobs
from curator.workspace import Workspace
from tests.samples.chat_server import Answer, ChatServer

LIMIT = 300  # seconds; for a test that would wait for ever


def wait_for(is_so: Callable[[], object]) -> None:
    until = time.monotonic() + LIMIT
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.005)


def wait_until(
    workspace: Workspace, is_so: Callable[[jobs.Job], object], job_id: int = 1
) -> jobs.Job:
    """The job once that is so of it."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        (job,) = [one for one in workspace.jobs() if one.job_id == job_id]
        if is_so(job):
            return job
        assert job.state != "failed" or is_so(job), job.error
        time.sleep(0.02)
    raise AssertionError(f"never: {job}")


def wait_until_done(workspace: Workspace, job_id: int = 1) -> jobs.Job:
    return wait_until(workspace, lambda job: job.state == "done", job_id)


def half_done(job: jobs.Job) -> bool:
    return 0 < job.done < job.total


def pid_of(workspace: Workspace, job_id: int) -> int:
    connection = sqlite3.connect(workspace.path)
    (pid,) = connection.execute(
        "SELECT pid FROM job WHERE job_id = ?", (job_id,)
    ).fetchone()
    connection.close()
    return int(pid or 0)


def pause(workspace: Workspace, job_id: int = 1) -> jobs.Job:
    """The job, paused, once its process has heard of it."""
    paused = workspace.pause_job(job_id)
    wait_for_beat(workspace, job_id)
    return paused


def wait_for_beat(workspace: Workspace, job_id: int = 1) -> None:
    """Until the process of a job has looked whether it is wanted still."""
    now = time.time()
    wait_for(lambda: store_jobs.read_job(workspace.connection, job_id).heartbeat > now)


def wait_for_end_of(pid: int) -> None:
    with suppress(ProcessLookupError):
        wait_for(lambda: os.kill(pid, 0))


def end_jobs(workspace: Workspace) -> None:
    """Kill whatever a test has left running."""
    for job in workspace.jobs():
        if job.state == "running" and (pid := pid_of(workspace, job.job_id)):
            os.kill(pid, signal.SIGKILL)


def as_if_silent_for(workspace: Workspace, *, seconds: float) -> None:
    connection = sqlite3.connect(workspace.path)
    connection.execute("UPDATE job SET heartbeat = heartbeat - ?", (seconds,))
    connection.commit()
    connection.close()


def replies(server: ChatServer) -> int:
    """Number of replies so far, those to clients that had died among them."""
    return sum(server.answered.values()) + sum(server.hung_up.values())


def kill_at_random_moments(
    workspace: Workspace, server: ChatServer, job_id: int, *, kills: int, most: int
) -> Iterator[int]:
    """Runs of a job without a process, each killed after at most ``most`` answers.

    Yields the number of each when it is dead; then one runs to the end.
    """
    moments = random.Random(2019)
    for run in range(1, kills + 1):
        pid = os.fork()
        if not pid:
            try:
                job_process.work(workspace.path, job_id, run)
            finally:
                os._exit(0)
        more = moments.randint(0, most)
        enough = replies(server) + more
        server.hold(more)
        wait_for(lambda enough=enough: replies(server) >= enough)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        yield run
        assert workspace.verify().problems == ()
        # Killed before it could say its number, it is only missed by its silence.
        as_if_silent_for(workspace, seconds=16)
        workspace.resume_job(job_id)
    server.go()
    job_process.work(workspace.path, job_id, kills + 1)


@contextmanager
def asked_in_forks(
    answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[ChatServer]:
    """An endpoint that forked jobs ask (see ``forked_jobs``)."""
    import openai  # noqa: F401 (or each process would load it)

    with ChatServer(answer) as server:
        server.lead(monkeypatch)
        forked_jobs(monkeypatch)
        yield server


def forked_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have jobs run in forked processes, which have all loaded, for the whole test.

    A job's real process spends seconds on importing before it does anything. What it
    does then is the same; ``tests/background/test_jobs.py`` starts real ones.
    """
    monkeypatch.setattr(job_process, "BEAT", 0.1)
    monkeypatch.setattr(jobs, "_start_process", _start_process)


def _start_process(workspace: OpenWorkspace, row: StoredJob) -> None:
    pid = os.fork()
    if not pid:
        try:
            job_process.work(workspace.path.resolve(), row.job_id, row.run)
        finally:
            os._exit(0)
    threading.Thread(target=os.waitpid, args=(pid, 0), daemon=True).start()
    with write_transaction(workspace.connection):
        store_jobs.update_run(
            workspace.connection, row.job_id, row.run, host=platform.node(), pid=pid
        )
