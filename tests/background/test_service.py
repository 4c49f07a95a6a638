"""What goes on beside the pages: done once, in turn, with one line for what fails."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from curator.background.service import Service
from curator.background.tasks import UNEXPECTED, CommandTask, GradeTextTask
from curator.workspace import Workspace
from grading.errors import WorkerError
from tests.samples.hand_made import HOSTILE
from tests.samples.noted_tasks import finished, serving
from tests.samples.workspaces import FakeEncoder


@dataclass(frozen=True)
class Held:
    """Waits until it is let go; several have one lane."""

    number: int
    go: threading.Event
    begun: list[int]

    lane = ("held", 1)

    def __hash__(self) -> int:
        return self.number

    def run(self, service: Service) -> str | None:
        self.begun.append(self.number)
        service.reporter(self)(self.number, 10)
        assert self.go.wait(300)
        return f"result {self.number}" if self.number else None

    def failed(self) -> str:
        return UNEXPECTED


def test_what_is_under_way_is_not_done_twice_and_its_result_is_kept() -> None:
    service, task = Service(), Held(1, threading.Event(), [])
    service.send(task)
    service.send(task)
    assert service.is_running(task)
    assert service.tasks(Held) == (task,)
    assert service.tasks(GradeTextTask) == ()
    assert service.result(task) is None
    task.go.set()
    finished(service)
    assert task.begun == [1]
    assert not service.is_running(task)
    assert service.progress(task) is None
    assert service.result(task) == "result 1"
    assert service.results(Held) == {task: "result 1"}
    assert service.result(None) is None
    service.forget(task)
    assert service.results(Held) == {}
    service.forget(task)  # twice is once


def test_tasks_of_a_lane_wait_for_each_other_and_others_do_not() -> None:
    service, go = Service(), threading.Event()
    begun: list[int] = []
    for number in (0, 1):
        service.send(Held(number, go, begun))
    assert len(service.tasks(Held)) == 2
    assert len(begun) < 2
    go.set()
    finished(service)
    assert sorted(begun) == [0, 1]
    # What there is nothing to be known of is not kept.
    assert list(service.results(Held).values()) == ["result 1"]


def test_what_stands_in_the_way_is_one_line(hand_made: Path) -> None:
    result = CommandTask(hand_made, "count", HOSTILE, "ann").run()
    assert result.counted is None
    assert "Unknown grader" in result.line
    assert "\n" not in result.line


class FailingWorker(FakeEncoder):
    """A model that gives an error while it has one."""

    fails = ""

    def encode(self, texts: Sequence[str]) -> list[np.ndarray]:
        if self.fails:
            raise WorkerError(self.fails)
        return super().encode(texts)


def test_why_new_text_is_not_graded_is_kept_until_it_is_tried_again(
    hand_made: Path,
) -> None:
    worker = FailingWorker()
    worker.fails = "The model ended."
    service, task = serving(worker), GradeTextTask(hand_made, "q1", None)
    service.send(task)
    finished(service)
    assert service.results(GradeTextTask) == {task: "The model ended."}
    worker.fails = ""
    service.send(task)
    finished(service)
    assert service.results(GradeTextTask) == {}
    assert worker.texts


def test_a_kind_of_task_rests_for_as_long_as_the_last_took_times_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, go = [100.0], threading.Event()
    monkeypatch.setattr("curator.background.service.time.monotonic", lambda: now[0])
    service = serving(FailingWorker())
    assert service.has_rested(Held, 10)
    task = Held(1, go, [])
    service.send(task)
    while not task.begun:
        pass
    now[0] = 102.0
    go.set()
    finished(service)
    now[0] = 121.0
    assert not service.has_rested(Held, 10)
    now[0] = 122.5  # by hand: 10 times two seconds after its end
    assert service.has_rested(Held, 10)


def test_a_count_says_what_is_missing_and_starts_nothing(hand_made: Path) -> None:
    counted = CommandTask(hand_made, "count", "chat:any", "ann", prices="1,2").run()
    assert counted.counted is not None
    # By hand: q1 has 3 questions and 2 passages, q2 one of each.
    assert (counted.counted.asked, counted.counted.queries) == (7, 2)
    assert counted.counted.dollars is not None
    with Workspace.open(hand_made) as workspace:
        assert workspace.jobs() == ()
