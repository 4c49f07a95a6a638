"""What takes seconds before a grading begins goes on beside the page."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from curator.background.tasks import (
    UNEXPECTED,
    Errand,
    Errands,
    Outcome,
    command,
    run_command,
)
from curator.workspace import Workspace
from tests.samples.hand_made import HOSTILE
from tests.samples.local_grader import job_row


def errand(path: Path, grader: str = "embedding", **more: str) -> Errand:
    return Errand(path, more.pop("wish", "count"), grader, "ann", **more)  # type: ignore[arg-type]


def done(errands: Errands) -> None:
    """Wait until nothing is under way."""
    errands._pool.shutdown(wait=True)


def test_what_is_under_way_is_not_run_twice_and_its_outcome_is_kept(
    tmp_path: Path,
) -> None:
    go, runs = threading.Event(), []

    def run(one: Errand) -> Outcome:
        runs.append(one)
        go.wait(30)
        return Outcome(line="No.")

    errands, start = Errands(run), errand(tmp_path, "flan-t5-large", wish="start")
    errands.send(start)
    errands.send(start)
    assert errands.going(start)
    assert errands.starting("flan-t5-large")
    assert not errands.starting("embedding")
    assert errands.outcome(start) is None
    go.set()
    done(errands)
    assert runs == [start]
    assert not errands.going(start)
    assert errands.outcome(start) == Outcome(line="No.")
    assert errands.outcome(None) is None


def test_a_bug_is_one_line_too(tmp_path: Path) -> None:
    def run(one: Errand) -> Outcome:
        raise RuntimeError("a bug")

    errands = Errands(run)
    errands.send(errand(tmp_path))
    done(errands)
    assert errands.outcome(errand(tmp_path)) == Outcome(line=UNEXPECTED)


def test_a_name_cannot_become_an_option(tmp_path: Path) -> None:
    made = command(errand(tmp_path / "-w.db", "--help", prices="1,2"))
    assert "--grader=--help" in made
    assert "--prices=1,2" in made
    assert made[-2:] == ["--", str(tmp_path / "-w.db")]


def test_a_count_says_what_is_missing_and_starts_nothing(hand_made: Path) -> None:
    counted = run_command(errand(hand_made, "chat:any", prices="1,2")).counted
    assert counted is not None
    # By hand: q1 has 3 questions and 2 passages, q2 one of each.
    assert (counted.asked, counted.queries, counted.prompts) == (7, 2, 7)
    assert counted.dollars is not None
    with Workspace.open(hand_made) as workspace:
        assert workspace.jobs() == ()


@pytest.mark.parametrize(
    ("grader", "line"),
    [
        ("flan-t5:/no/such/folder", "/no/such/folder"),
        ("flam-t5-large", "Did you mean"),
        (f"{HOSTILE}\0", "could not be started"),
        (HOSTILE, "Unknown grader"),
    ],
)
def test_what_stands_in_the_way_is_one_line(
    hand_made: Path, grader: str, line: str
) -> None:
    outcome = run_command(errand(hand_made, grader))
    assert outcome.counted is None
    assert line in outcome.line
    assert "\n" not in outcome.line


def test_a_start_leaves_a_job_behind_and_a_second_one_is_as_good(
    hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_row(hand_made, grader="embedding", heartbeat=4e9)
    start = errand(hand_made, "embedding", wish="start")
    assert run_command(start) == Outcome()
    with Workspace.open(hand_made) as workspace:
        workspace.pause_job(1)
    assert "is paused at 0 of 7 grades" in run_command(start).line
    with Workspace.open(hand_made) as workspace:
        workspace.stop_job(1)
    assert run_command(start) == Outcome()
    with Workspace.open(hand_made) as workspace:
        (started, _) = workspace.jobs()
        assert (started.by, started.grader, started.total) == ("ann", "embedding", 7)
        workspace.stop_job(started.job_id)


def test_a_count_brings_no_model_into_the_server(hand_made: Path) -> None:
    # A process of its own: this one may have loaded a model for another test.
    code = (
        "import sys; from pathlib import Path; import curator.ui;"
        "from curator.background.tasks import Errand, run_command;"
        "from curator.ui.grading import grader_form;"
        "from curator.ui.shared import background_status;"
        f"found = run_command(Errand(Path({str(hand_made)!r}), 'count', 'embedding',"
        " 'ann')); assert found.counted and found.counted.asked == 7, found;"
        "heavy = {'torch', 'transformers', 'openai', 'sentence_transformers'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
