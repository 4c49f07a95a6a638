"""Jobs that ask for questions: followed, paused, stopped, killed at any moment.

The processes are real but for how they begin (see tests/samples/jobs.py), and so are
their client and the endpoint on this machine, which counts what it was asked and what
it answered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.chat_server import MODEL, ChatServer
from tests.samples.jobs import (
    asked_in_forks,
    end_jobs,
    half_done,
    pause,
    pid_of,
    wait_for_end_of,
    wait_until,
    wait_until_done,
)
from tests.samples.proposals import ORDER, questions_about, three_questions
from tests.samples.workspaces import write_lines

CONCURRENCY = 8  # of the client, so that many are lost at most by a kill
PROMPTS = 40
HALF = PROMPTS // 2


@pytest.fixture
def server(monkeypatch) -> Iterator[ChatServer]:
    with asked_in_forks(three_questions, monkeypatch) as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A collection of eight queries with five subtopics each."""
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        queries = [
            {
                "query_id": f"tqa:{q}",
                "title": f"Topic {q}",
                "subtopics": [
                    {"subtopic_id": f"s{s}", "text": f"Facet {s} of {q}"}
                    for s in range(5)
                ],
            }
            for q in range(8)
        ]
        workspace.import_(queries=write_lines(tmp_path / "queries.jsonl", queries))
        yield workspace
        end_jobs(workspace)


def states(workspace: Workspace) -> Counter[str]:
    """How many askings are in which state, those of dead processes too."""
    return Counter(one.state for one in workspace.generations())


def assert_all_is_there_once(workspace: Workspace, server: ChatServer) -> None:
    """Every prompt has one whole answer, and each of its questions waits once."""
    whole = [one for one in workspace.generations() if one.state == "whole"]
    assert Counter(one.text for one in whole) == Counter(set(server.asked))
    assert len(whole) == PROMPTS
    assert states(workspace) == {"whole": PROMPTS}
    assert len(workspace.bank()) == 3 * PROMPTS
    by_number = {one.generation_id: questions_about(one.text) for one in whole}
    for question in workspace.bank():
        number = json.loads(question.provenance)["generation"]
        assert question.text in by_number[number]
    assert workspace.verify().problems == ()


def test_a_paused_job_goes_on_where_it_was_and_asks_everything_once(workspace, server):
    server.hold(HALF)
    job = workspace.start_generation(ORDER)
    assert (job.kind, job.grader) == ("generate", MODEL)
    assert (job.done, job.total) == (0, PROMPTS)
    assert wait_until(workspace, half_done).state_line.startswith("Asking: ")
    pid = pid_of(workspace, 1)
    assert pause(workspace).state == "paused"
    server.go()
    wait_for_end_of(pid)
    (paused,) = workspace.jobs()
    assert paused.done == states(workspace)["whole"] < PROMPTS
    assert set(states(workspace)) == {"whole"}
    assert paused.state_line == f"Paused: {paused.done} of {PROMPTS} prompts asked"
    workspace.resume_job(1)
    done = wait_until_done(workspace)
    assert (done.done, done.prompts, done.unreadable) == (PROMPTS, PROMPTS, 0)
    assert done.state_line == f"Done: {PROMPTS} prompts"
    # Those under way when it was paused are asked again, and no others.
    assert sum(server.asked.values()) - PROMPTS <= CONCURRENCY
    assert server.most_in_flight <= CONCURRENCY
    assert_all_is_there_once(workspace, server)
