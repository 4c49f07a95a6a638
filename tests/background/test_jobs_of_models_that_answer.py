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
from curator.store import jobs as store_jobs
from curator.store import versions
from curator.store.connection import open_workspace, write_transaction
from curator.verbs.grading import jobs
from curator.workspace import Workspace
from tests.samples.chat_server import ChatServer, refused
from tests.samples.jobs import (
    asked_in_forks,
    end_jobs,
    half_done,
    kill_at_random_moments,
    pause,
    pid_of,
    sleep_until_resumed,
    wait_for_beat,
    wait_for_end_of,
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


def test_a_job_asks_everything_once_and_counts_what_it_asked(workspace, server):
    job = workspace.start_job(CHAT)
    assert (job.grader, job.total) == (CHAT, ALL)
    done = wait_until_done(workspace)
    assert ratings(workspace) == BY_RULE
    assert (done.done, done.prompts, done.cut, done.unreadable) == (ALL, ALL, 0, 0)
    assert done.tokens_in == sum(len(one.prompt.split()) for one in server.requests)
    assert set(server.asked.values()) == {1}


def test_a_job_of_what_has_responses_needs_no_endpoint(workspace, server, monkeypatch):
    workspace.grade(CHAT)
    with write_transaction(workspace.connection):
        workspace.connection.execute("DELETE FROM rating_vector")
        versions.bump(workspace.connection, [versions.grades_scope(1, "q1")])
    for name in server.environment:
        monkeypatch.delenv(name)
    assert workspace.start_job(CHAT).total == ALL
    done = wait_until_done(workspace)
    assert (done.done, done.prompts) == (ALL, 0)
    assert ratings(workspace) == BY_RULE


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


def test_a_stopped_job_ends_and_another_takes_its_place(workspace, server):
    server.hold(HALF)
    workspace.start_job(CHAT)
    wait_until(workspace, half_done)
    first = pid_of(workspace, 1)
    stopped = workspace.stop_job(1)
    assert (stopped.state, stopped.process_ended) == ("stopped", False)
    wait_for_beat(workspace)
    server.go()
    wait_for_end_of(first)
    second = workspace.start_job(CHAT)
    assert 0 < second.total < ALL
    wait_until_done(workspace, second.job_id)
    assert ratings(workspace) == BY_RULE
    # Those under way when it was stopped were asked again, and no others.
    assert sum(server.asked.values()) - ALL <= CONCURRENCY


def test_what_a_judge_writes_meanwhile_is_graded_by_the_same_job(workspace, server):
    server.hold(HALF)
    workspace.start_job(CHAT)
    wait_until(workspace, half_done)
    workspace.apply(Add("q1", "What of number 9?"))
    server.go()
    done = wait_until_done(workspace)
    assert done.total == done.done == ALL + PASSAGES
    assert ratings(workspace) == [*BY_RULE, [(9 + j) % 6 for j in range(PASSAGES)]]


def test_the_last_error_is_said_in_the_servers_own_words(workspace, server):
    server.answer = lambda prompt: refused(401, "Incorrect API key provided")
    workspace.start_job(CHAT)
    failed = wait_until(workspace, lambda job: job.state == "failed")
    assert "Incorrect API key" in failed.error
    assert "\n" not in failed.error
    server.answer = rating
    workspace.resume_job(1)
    wait_until_done(workspace)
    assert ratings(workspace) == BY_RULE


def test_tallies_add_up_over_the_runs_of_a_job(workspace, server):
    server.hold(HALF)
    workspace.start_job(CHAT)
    wait_until(workspace, half_done)
    pause(workspace)
    server.go()
    wait_for_end_of(pid_of(workspace, 1))
    (paused,) = workspace.jobs()
    assert 0 < paused.prompts == paused.done < ALL
    workspace.resume_job(1)
    done = wait_until_done(workspace)
    assert done.prompts == ALL


def test_a_job_of_an_older_file_has_asked_nothing_yet(tmp_path):
    Workspace.open(tmp_path / "w.db", create=True).close()
    connection = open_workspace(tmp_path / "w.db")
    with write_transaction(connection):
        store_jobs.insert_job(
            connection, "grade", {"grader": "embedding"}, by="ann", total=9, at=0
        )
    assert set(store_jobs.read_job(connection, 1).counters.values()) == {0}
    connection.close()
