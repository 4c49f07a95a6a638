"""Jobs are processes: killed, paused, started twice, left behind by who started them.

The processes are real, in some tests but for how they begin (``forked``). Only the text
model in them is not: Python imports a file named ``sitecustomize`` before anything
else, and ours puts an encoder in its place that can be held, so that what is half done
stays so until a test has seen it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.errors import (
    JobError,
    NotGradableError,
    UnknownNameError,
)
from curator.store.connection import write_transaction
from curator.verbs.grading import jobs
from curator.verbs.grading.run_computed import PORTION
from curator.workspace import Workspace
from grading.errors import UnknownGraderError
from grading.graders import embedding
from tests.samples.jobs import (
    as_if_silent_for,
    end_jobs,
    forked_jobs,
    half_done,
    pid_of,
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


def test_a_job_without_a_process_is_stopped_once_it_is_silent(workspace, monkeypatch):
    """Nothing said its number: its process was gone before it could."""
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    assert workspace.start_job("embedding").state == "running"
    as_if_silent_for(workspace, seconds=14)
    assert workspace.jobs()[0].state == "running"
    as_if_silent_for(workspace, seconds=2)
    assert workspace.jobs()[0].state == "stopped"


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
