"""Jobs that ask for questions: followed, paused, stopped, killed at any moment.

The processes are real but for how they begin (see tests/samples/jobs.py), and so are
their client and the endpoint on this machine, which counts what it was asked and what
it answered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
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
from tests.samples.proposals import (
    ORDER,
    opened,
    questions_about,
    three_questions,
)
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
        import_queries(workspace, [5] * 8)
        yield workspace
        end_jobs(workspace)


def import_queries(workspace: Workspace, sizes: Sequence[int]) -> None:
    """Queries with so many subtopics each."""
    queries = [
        {
            "query_id": f"tqa:{q}",
            "title": f"Topic {q}",
            "subtopics": [
                {"subtopic_id": f"s{s}", "text": f"Facet {s} of {q}"}
                for s in range(size)
            ],
        }
        for q, size in enumerate(sizes)
    ]
    path = workspace.path.with_name("queries.jsonl")
    workspace.import_(queries=write_lines(path, queries))


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path) as workspace:
        yield workspace
        end_jobs(workspace)


def states(workspace: Workspace) -> Counter[str]:
    """How many askings are in which state, those of dead processes too."""
    return Counter(one.state for one in workspace.generations())


def assert_all_is_there_once(
    workspace: Workspace, server: ChatServer, prompts: int = PROMPTS
) -> None:
    """Every prompt has one whole answer, and each of its questions waits once."""
    whole = [one for one in workspace.generations() if one.state == "whole"]
    assert Counter(one.text for one in whole) == Counter(set(server.asked))
    assert len(whole) == prompts
    expected = {text for one in whole for text in questions_about(one.text)}
    texts = Counter(question.text for question in workspace.bank())
    assert texts == Counter(expected)
    assert states(workspace) == {"whole": prompts}
    by_number = {one.generation_id: questions_about(one.text) for one in whole}
    for question in workspace.bank():
        number = json.loads(question.provenance)["generation"]
        assert question.text in by_number[number]
    assert workspace.verify().problems == ()


def test_a_job_asks_everything_once_and_says_how_far_it_is(workspace, server):
    server.hold(HALF)
    job = workspace.start_generation(ORDER)
    assert (job.kind, job.grader, job.done, job.total) == (
        "generate",
        MODEL,
        0,
        PROMPTS,
    )
    seen = wait_until(workspace, half_done)
    assert seen.state_line.startswith("Asking: ")
    assert f"of {PROMPTS} prompts" in seen.state_line
    server.go()
    done = wait_until_done(workspace)
    assert (done.done, done.prompts, done.unreadable) == (PROMPTS, PROMPTS, 0)
    assert done.state_line == f"Done: {PROMPTS} prompts"
    # by the server's rule: a word is a token
    assert done.tokens_in == sum(len(one.prompt.split()) for one in server.requests)
    assert set(server.asked.values()) == {1}
    assert server.most_in_flight <= CONCURRENCY
    assert_all_is_there_once(workspace, server)


def test_a_paused_job_goes_on_where_it_was(workspace, server):
    server.hold(HALF)
    workspace.start_generation(ORDER)
    wait_until(workspace, half_done)
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
    assert done.prompts == PROMPTS
    # Those under way when it was paused are asked again, and no others.
    assert sum(server.asked.values()) - PROMPTS <= CONCURRENCY
    assert_all_is_there_once(workspace, server)


def test_a_job_of_nothing_new_is_done_and_needs_no_endpoint(small, server, monkeypatch):
    small.generate(ORDER)
    for name in server.environment:
        monkeypatch.delenv(name)
    job = small.start_generation(ORDER)
    assert job.total == 0
    done = wait_until_done(small)
    assert (done.done, done.total) == (0, 0)
    assert set(server.asked.values()) == {1}
