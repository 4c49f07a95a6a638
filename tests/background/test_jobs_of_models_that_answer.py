"""Jobs whose model answers prompts: killed at any moment, two at once, paused.

The endpoint counts how often it was asked what, so that asking twice cannot hide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.verbs.grading import jobs
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer
from tests.samples.jobs import (
    asked_in_forks,
    end_jobs,
    half_done,
    kill_at_random_moments,
    sleep_until_resumed,
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
KILLS = 8


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
    """Eight runs of one job, each killed somewhere, then one to the end."""
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    monkeypatch.setattr("curator.verbs.grading.run_grader.WINDOW", 25)
    job_id = workspace.start_job(CHAT).job_id
    # by hand: eight times at most 14 are fewer than ALL
    runs = kill_at_random_moments(workspace, server, job_id, kills=KILLS, most=14)
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


def test_a_run_that_sleeps_is_not_waited_for_when_its_job_is_resumed(workspace, server):
    """Asleep it still holds its claims, as a process that is there."""
    server.hold(HALF)
    workspace.start_job(CHAT)
    sleep_until_resumed(workspace, server)
    assert ratings(workspace) == BY_RULE
    assert workspace.jobs()[0].state == "done"
    assert workspace.verify().problems == ()


def test_what_a_judge_writes_meanwhile_is_graded_by_the_same_job(workspace, server):
    server.hold(HALF)
    workspace.start_job(CHAT)
    wait_until(workspace, half_done)
    workspace.apply(Add("q1", "What of number 9?"))
    server.go()
    done = wait_until_done(workspace)
    assert done.total == done.done == ALL + PASSAGES
    assert ratings(workspace) == [*BY_RULE, [(9 + j) % 6 for j in range(PASSAGES)]]
