"""Jobs in processes forked from the test's own, which has everything loaded.

A job's real process spends seconds on importing before it does anything. What it does
then is the same; ``tests/background/test_jobs.py`` starts real ones.
"""

from __future__ import annotations

import os
import platform
import threading

import pytest

from curator.background import job_process
from curator.engine.opened import OpenWorkspace
from curator.store import jobs as store_jobs
from curator.store.connection import exclusive
from curator.store.jobs import StoredJob
from curator.verbs.grading import jobs


def forked_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have jobs run in forked processes for the rest of the test."""
    import openai  # noqa: F401 (or each process would load it)

    monkeypatch.setattr(jobs, "_start_process", _start_process)


def _start_process(workspace: OpenWorkspace, row: StoredJob) -> None:
    pid = os.fork()
    if not pid:
        try:
            job_process.work(workspace.path.resolve(), row.job_id, row.run)
        finally:
            os._exit(0)
    threading.Thread(target=os.waitpid, args=(pid, 0), daemon=True).start()
    with exclusive(workspace.connection):
        store_jobs.set_process(
            workspace.connection, row.job_id, row.run, host=platform.node(), pid=pid
        )
