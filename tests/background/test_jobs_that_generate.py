"""Jobs that ask for questions: followed, paused, stopped, killed at any moment.

The processes are real but for how they begin (see tests/samples/jobs.py), and so are
their client and the endpoint on this machine, which counts what it was asked and what
it answered.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from curator import cli
from curator.bank.edits import Add
from curator.errors import JobError
from curator.verbs.grading import jobs
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from tests.samples.chat_server import MODEL, ChatServer, Streamed, refused
from tests.samples.jobs import (
    asked_in_forks,
    end_jobs,
    half_done,
    kill_at_random_moments,
    pause,
    pid_of,
    sleep_until_resumed,
    wait_for,
    wait_for_beat,
    wait_for_end_of,
    wait_until,
    wait_until_done,
)
from tests.samples.proposals import (
    ORDER,
    in_state,
    opened,
    questions_about,
    three_questions,
)
from tests.samples.workspaces import write_lines

CONCURRENCY = 8  # of the client, so that many are lost at most by a kill
PROMPTS = 40
HALF = PROMPTS // 2
# As many queries and subtopics as TREC CAR Y3 has. by hand: 131 of five make 655, so
# 66 have six; 721.
CAR_SIZES = [6] * 66 + [5] * 65
CAR = 721
KILLS = 8


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


@pytest.mark.long
def test_killed_at_random_moments_it_ends_with_the_same_proposals(
    tmp_path, server, monkeypatch
):
    """Eight runs of one job, each killed somewhere, then one to the end."""
    with Workspace.open(tmp_path / "w.db", create=True, judge="ann") as workspace:
        import_queries(workspace, CAR_SIZES)
        monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
        job_id = workspace.start_generation(ORDER).job_id
        # by hand: eight times at most 70 are fewer than CAR
        for run in kill_at_random_moments(
            workspace, server, job_id, kills=KILLS, most=70
        ):
            # What was answered is kept, but for what was under way.
            kept = states(workspace)["whole"]
            assert sum(server.answered.values()) - kept <= run * CONCURRENCY
        assert 0 < kept < CAR
        (found,) = workspace.jobs()
        assert (found.state, found.done, found.total) == ("done", CAR, CAR)
        assert sum(server.asked.values()) - CAR <= KILLS * CONCURRENCY
        assert_all_is_there_once(workspace, server, CAR)


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


def test_a_job_that_asks_again_asks_everything_again_once(workspace, server):
    """Paused and resumed, it does not begin anew."""
    workspace.generate(ORDER)
    server.hold(HALF)
    workspace.start_generation(replace(ORDER, again=True))
    wait_until(workspace, half_done)
    pid = pid_of(workspace, 1)
    pause(workspace)
    server.go()
    wait_for_end_of(pid)
    workspace.resume_job(1)
    wait_until_done(workspace)
    assert states(workspace) == {"whole": 2 * PROMPTS}
    assert sum(server.asked.values()) - 2 * PROMPTS <= CONCURRENCY
    # The same answers: nothing new.
    assert len(list(workspace.bank())) == 3 * PROMPTS


def test_a_stopped_job_lets_another_take_its_place(workspace, server):
    server.hold(HALF)
    workspace.start_generation(ORDER)
    wait_until(workspace, half_done)
    with pytest.raises(JobError, match=f"Job 1 is asking {MODEL} already"):
        workspace.start_generation(ORDER)
    pid = pid_of(workspace, 1)
    workspace.stop_job(1)
    wait_for_beat(workspace)
    server.go()
    wait_for_end_of(pid)
    second = workspace.start_generation(ORDER)
    assert 0 < second.total < PROMPTS
    wait_until_done(workspace, second.job_id)
    assert_all_is_there_once(workspace, server)


def test_a_run_that_slept_loses_and_doubles_nothing_when_its_job_is_resumed(
    workspace, server
):
    """It wakes when another has asked what it held, and leaves that alone."""
    server.hold(HALF)
    workspace.start_generation(ORDER)
    sleep_until_resumed(workspace, server)
    assert workspace.jobs()[0].state == "done"
    assert_all_is_there_once(workspace, server)


def test_a_job_that_fails_says_why_and_can_be_resumed(small, server):
    server.answer = lambda prompt: refused(401, "Incorrect API key provided")
    small.start_generation(ORDER)
    failed = wait_until(small, lambda job: job.state == "failed")
    assert "Incorrect API key" in failed.error
    assert "\n" not in failed.error
    assert failed.state_line.startswith("Failed: 0 of 3 prompts asked. ")
    assert small.generations() == ()
    server.answer = three_questions
    small.resume_job(1)
    done = wait_until_done(small)
    assert (done.done, done.total) == (3, 3)
    assert states(small) == {"whole": 3}


def test_a_job_of_nothing_new_is_done_and_needs_no_endpoint(small, server, monkeypatch):
    small.generate(ORDER)
    for name in server.environment:
        monkeypatch.delenv(name)
    job = small.start_generation(ORDER)
    assert job.total == 0
    done = wait_until_done(small)
    assert (done.done, done.total) == (0, 0)
    assert set(server.asked.values()) == {1}


def test_a_job_of_one_prompt_shows_what_arrives(small, server):
    server.answer = lambda prompt: Streamed(three_questions(prompt), pace=0.15)
    small.start_generation(replace(ORDER, query_id="rain"))
    seen: set[str] = set()

    def three_seen() -> bool:
        seen.update(one.raw for one in small.generations(asking=True) if one.raw)
        return len(seen) >= 3

    wait_for(three_seen)
    wait_until_done(small)
    (whole,) = small.generations()
    assert all(whole.raw.startswith(raw) for raw in seen)


@pytest.mark.parametrize(
    ("order", "asked_about"),
    [
        (replace(ORDER, query_id="rain", passage_id="r4"), ["r4"]),
        (replace(ORDER, query_id="rain", grounded=2), ["r3", "r2"]),
        (replace(ORDER, query_id="tides", subtopic_id="sun"), [None]),
    ],
)
def test_a_job_asks_what_was_ordered(small, server, order, asked_about):
    job = small.start_generation(order)
    assert job.total == len(asked_about)
    wait_until_done(small)
    asked = [one.passage_id for one in reversed(small.generations())]
    assert asked == asked_about
    assert len(server.requests) == len(asked_about)


def test_a_job_looks_for_uncovered_passages_under_the_settings_of_who_ordered_it(
    small, server
):
    # by hand: at rating 3 r3 is answered; within the top 2 nobody ranks r4
    chosen = small.settings(measure="cover", min_rating=3, k=2)
    order = replace(ORDER, query_id="rain", grounded=9)
    job = small.start_generation(order, settings=chosen)
    assert job.total == 1
    wait_until_done(small)
    assert [one.passage_id for one in small.generations()] == ["r2"]


def test_a_passage_is_asked_about_in_the_background_of_the_command_line(small, server):
    options = ["--query", "rain", "--passage", "r4", "--model", MODEL, "--background"]
    result = CliRunner().invoke(cli.main, ["generate", str(small.path), *options])
    assert result.exit_code == 0, result.output
    wait_until_done(small)
    assert [one.passage_id for one in small.generations()] == ["r4"]


def test_jobs_that_grade_and_that_ask_work_side_by_side(small, server):
    small.apply(Add("rain", "By hand?"))
    server.delay = 0.02
    server.answer = lambda prompt: (
        "4" if "Can the question" in prompt else three_questions(prompt)
    )
    asking = small.start_generation(ORDER)
    grading = small.start_job(f"chat:{MODEL}")
    assert (asking.job_id, grading.job_id) == (1, 2)
    for job_id in (1, 2):
        wait_until_done(small, job_id)
    assert [job.kind for job in small.jobs()] == ["grade", "generate"]
    # by hand: two kept questions by the four passages of the pool
    (chat,) = [one for one in small.graders() if one.name.startswith("chat:")]
    assert (chat.known, chat.needed) == (8, 8)
    assert len(in_state(small, "rain", "proposed")) == 3
    assert small.verify().problems == ()


def test_two_models_are_asked_by_two_jobs_at_once(small, server):
    small.start_generation(ORDER)
    other = small.start_generation(GenerationRequest(model="other-model"))
    for job_id in (1, other.job_id):
        wait_until_done(small, job_id)
    assert Counter(one.model for one in small.generations()) == {
        MODEL: 3,
        "other-model": 3,
    }
    # The server answers both the same, so each text is proposed once.
    texts = [question.text for question in small.bank()]
    assert len(texts) == len(set(texts)) == 1 + 9


def test_a_job_leaves_nothing_that_is_being_asked(small, server):
    small.start_generation(ORDER)
    wait_until_done(small)
    connection = sqlite3.connect(small.path)
    (holders,) = connection.execute("SELECT count(holder) FROM generation").fetchone()
    connection.close()
    assert holders == 0
