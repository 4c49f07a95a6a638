"""Grading beside the page: asked for twice it grades once; an error is said once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from curator.background.new_text import Beside, Wish
from curator.workspace import Workspace
from grading.errors import WorkerError
from tests.samples.workspaces import FakeEncoder


class HeldWorker(FakeEncoder):
    """A model that answers when it is let go, with an error if it has one."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.asked = threading.Event()
        self.fails = ""

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        self.asked.set()
        assert self.go.wait(timeout=30)
        if self.fails:
            raise WorkerError(self.fails)
        return super().encode(texts)


def done(beside: Beside) -> None:
    """Wait until nothing is going."""
    for going in list(beside._going.values()):
        going.result(timeout=30)


def test_what_is_asked_for_twice_is_graded_once(hand_made: Path) -> None:
    worker = HeldWorker()
    beside = Beside(worker)  # type: ignore[arg-type]
    wish = Wish(hand_made, "q1", None)
    beside.ask(wish)
    beside.ask(wish)
    assert beside.going("q1")
    assert not beside.going("q2")
    worker.go.set()
    done(beside)
    assert not beside.going("q1")
    assert beside.progress("q1") is None
    # q1 has three questions and two passages, each text read once.
    assert len(worker.texts) == 5
    with Workspace.open(hand_made) as workspace:
        assert workspace.leaderboard(grader="embedding", query_id="q1").complete
    # Nothing is missing any more.
    beside.ask(wish)
    done(beside)
    assert len(worker.texts) == 5


def test_two_queries_wait_for_each_other_and_are_both_graded(hand_made: Path) -> None:
    worker = HeldWorker()
    beside = Beside(worker)  # type: ignore[arg-type]
    for query_id in ("q1", "q2"):
        beside.ask(Wish(hand_made, query_id, None))
    assert worker.asked.wait(timeout=30)
    assert beside.going("q2")
    worker.go.set()
    done(beside)
    with Workspace.open(hand_made) as workspace:
        assert workspace.leaderboard(grader="embedding").complete


def test_an_error_is_said_and_nothing_is_asked_again_until_it_is_forgiven(
    hand_made: Path,
) -> None:
    worker = HeldWorker()
    worker.fails = "The model ended."
    worker.go.set()
    beside = Beside(worker)  # type: ignore[arg-type]
    wish = Wish(hand_made, "q1", None)
    beside.ask(wish)
    done(beside)
    assert beside.error("q1") == "The model ended."
    assert beside.error("q2") == ""
    assert not beside.going("q1")

    worker.fails = ""
    beside.ask(wish)
    assert not beside.going("q1")
    beside.forgive("q1")
    beside.ask(wish)
    done(beside)
    assert beside.error("q1") == ""
    assert worker.texts
    beside.forgive("q1")  # twice is once


def test_a_workspace_that_is_gone_is_an_error_in_one_line(tmp_path: Path) -> None:
    beside = Beside(HeldWorker())  # type: ignore[arg-type]
    beside.ask(Wish(tmp_path / "gone.db", "q1", None))
    done(beside)
    assert "No workspace at" in beside.error("q1")
    assert "\n" not in beside.error("q1")
