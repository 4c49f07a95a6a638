"""Jobs are processes: killed at any moment, asleep, started twice, left behind.

The endpoint counts how often it was asked what, so that asking twice cannot hide.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.errors import JobError
from curator.store.connection import write_transaction
from curator.verbs.grading import jobs
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer, refused
from tests.samples.command_line import run
from tests.samples.jobs import (
    as_if_silent_for,
    asked_in_forks,
    end_jobs,
    half_done,
    kill_at_random_moments,
    pid_of,
    wait_until,
    wait_until_done,
)
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    in_processes,
    question_bank,
)

CHAT = "chat:test-model"
PASSAGES, QUESTIONS = 30, 4
ALL = PASSAGES * QUESTIONS
HALF = ALL // 2
CONCURRENCY = 8  # of the client, so that many are lost at most by a kill
KILLS = 3


def rating(prompt: str) -> str:
    """By hand: the sum of the numbers in question and passage, by six."""
    asked, shown = re.findall(r"number (\d+)", prompt)
    return str((int(asked) + int(shown)) % 6)


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    with asked_in_forks(rating, monkeypatch) as server:
        yield server


@contextmanager
def numbered(folder: Path, passages: int) -> Iterator[Workspace]:
    """A workspace of one query with so many passages to ask about."""
    pool = [
        graded_passage(f"p{i}", "q1", {}, text=f"Of number {i}.", ranks={"one": i + 1})
        for i in range(passages)
    ]
    questions = {f"q1/{i}": f"What of number {i}?" for i in range(QUESTIONS)}
    with Workspace.open(folder / "w.db", create=True, judge="ann") as workspace:
        workspace.import_(
            autograder=graded_file(folder / "graded.jsonl", {"q1": pool}),
            bank=question_bank(folder / "bank.jsonl", {"q1": questions}),
        )
        yield workspace
        end_jobs(workspace)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with numbered(tmp_path, PASSAGES) as workspace:
        yield workspace


def ratings(workspace: Workspace) -> list[list[int]]:
    snapshot = workspace.current_snapshot()
    return snapshot.matrix(CHAT, "q1", snapshot.bank).ratings.tolist()


def by_rule(passages: int) -> list[list[int]]:
    return [[(i + j) % 6 for j in range(passages)] for i in range(QUESTIONS)]


BY_RULE = by_rule(PASSAGES)


def test_killed_at_random_moments_it_ends_with_the_same_grades(
    workspace, server, monkeypatch
):
    """Three runs of one job, each killed somewhere, then one to the end."""
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    monkeypatch.setattr("curator.verbs.grading.run_grader.WINDOW", 25)
    job_id = workspace.start_job(CHAT).job_id
    # by hand: three times at most 35 are fewer than ALL
    runs = kill_at_random_moments(workspace, server, job_id, kills=KILLS, most=35)
    assert len(list(runs)) == KILLS
    (found,) = workspace.jobs()
    assert (found.state, found.done) == ("done", ALL)
    assert ratings(workspace) == BY_RULE
    # A kill loses what was under way, and nothing that was answered before.
    assert sum(server.asked.values()) - ALL <= KILLS * 2 * CONCURRENCY
    assert workspace.verify().problems == ()
    assert claims_of(workspace) == 0


def claims_of(workspace: Workspace) -> int:
    (count,) = workspace.connection.execute("SELECT count(*) FROM claim").fetchone()
    return int(count)


def test_of_two_gradings_at_once_none_asks_what_the_other_asks(
    workspace, server, tmp_path
):
    def grade_all(i: int) -> None:
        import curator.verbs.grading.run_grader as asking

        asking.WINDOW = 20
        with Workspace.open(workspace.path, judge=f"judge {i}") as mine:
            mine.grade(CHAT)

    in_processes(3, grade_all)
    assert ratings(workspace) == BY_RULE
    assert set(server.asked.values()) == {1}
    assert workspace.verify().problems == ()
    assert claims_of(workspace) == 0


def test_a_job_is_refused_while_another_of_its_grader_is_not_done(workspace, server):
    server.hold(HALF)
    workspace.start_job(CHAT)
    with pytest.raises(JobError, match=f"Job 1 is grading with {CHAT} already"):
        workspace.start_job(CHAT)
    with pytest.raises(JobError, match="not paused or stopped"):
        workspace.resume_job(1)
    wait_until(workspace, half_done)
    workspace.pause_job(1)
    with pytest.raises(JobError, match="--resume 1"):
        workspace.start_job(CHAT)
    server.go()
    workspace.resume_job(1)
    wait_until_done(workspace)
    with pytest.raises(JobError, match="is done"):
        workspace.pause_job(1)
    workspace.apply(Add("q1", "What of number 9?"))
    assert workspace.start_job(CHAT).total == PASSAGES
    wait_until_done(workspace, 2)
    assert [job.job_id for job in workspace.jobs()] == [2, 1]


def test_of_jobs_started_at_once_one_is_started(workspace, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    start = time.time() + 0.5

    def start_one(i: int) -> None:
        with Workspace.open(workspace.path, judge=f"judge {i}") as mine:
            mine.collection()
            while time.time() < start:
                time.sleep(0.001)
            try:
                mine.start_job("lexical")
            except JobError:
                (tmp_path / f"refused {i}").touch()

    in_processes(4, start_one)
    assert len(list(tmp_path.glob("refused *"))) == 3
    assert [job.state for job in workspace.jobs()] == ["running"]
    assert workspace.stop_job(1).state == "stopped"
    run("grade", workspace.path, "--grader", "lexical", "--background")
    assert workspace.jobs()[0].job_id == 2


def test_a_job_outlives_who_started_it_and_is_stopped_once_it_is_killed(
    workspace, monkeypatch
):
    """As when the server, and all it started, is ended from its terminal."""
    code = (
        "import sys, time; from curator.workspace import Workspace;"
        f"Workspace.open(sys.argv[1]).start_job({CHAT!r});"
        "print('started', flush=True);"
        "time.sleep(60)"
    )
    with ChatServer(rating) as server:
        server.lead(monkeypatch).hold(HALF)
        starter = subprocess.Popen(
            [sys.executable, "-c", code, str(workspace.path)],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert starter.stdout.readline() == "started\n"
        os.killpg(starter.pid, signal.SIGKILL)
        starter.communicate()
        wait_until(workspace, half_done)
        os.kill(pid_of(workspace, 1), signal.SIGKILL)
        # At once, long before its heartbeat would be missed.
        stopped = wait_until(workspace, lambda job: job.state == "stopped")
        assert stopped.state_line == (
            f"Stopped, its process has ended: {stopped.done} of {ALL} grades kept"
        )
        assert workspace.verify().problems == ()


def test_a_job_that_fails_says_why_in_one_line_and_can_be_resumed(workspace, server):
    server.answer = lambda prompt: refused(401, "Incorrect API key provided")
    workspace.start_job(CHAT)
    failed = wait_until(workspace, lambda job: job.state == "failed")
    assert "Incorrect API key" in failed.error
    assert "\n" not in failed.error
    assert failed.state_line.startswith(f"Failed: 0 of {ALL} grades kept. ")
    server.answer = rating
    workspace.resume_job(1)
    assert wait_until_done(workspace).error is None


def test_a_job_without_a_process_is_stopped_once_it_is_silent(workspace, monkeypatch):
    """Nothing said its number: its process was gone before it could."""
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    assert workspace.start_job("lexical").state == "running"
    as_if_silent_for(workspace, seconds=14)
    assert workspace.jobs()[0].state == "running"
    as_if_silent_for(workspace, seconds=2)
    assert workspace.jobs()[0].state == "stopped"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(29, "less than a minute"), (31, "about 1 min"), (5 * 3600, "about 5 h")],
)
def test_the_time_left_in_words_is_no_more_exact_than_it_is_known(seconds, words):
    assert jobs.time_in_words(seconds) == words


def test_a_running_job_says_what_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    with numbered(tmp_path, 303) as workspace:
        workspace.start_job("lexical")
        with write_transaction(workspace.connection):
            # by hand: 100 in 20 s of this run; 1,212 - 300 = 912 to go at 5 a second
            workspace.connection.execute(
                "UPDATE job SET run_done = 200, done = 300, run_began = heartbeat - 20"
            )
        (job,) = workspace.jobs()
    assert job.per_second == pytest.approx(5)
    assert job.seconds_left == pytest.approx(182.4)
    assert job.state_line == "Grading: 300 of 1,212 grades, about 3 min left"
