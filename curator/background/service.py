"""What goes on beside a server's pages for somebody who waits for it.

A server has one service: the model process, and tasks in threads that only wait, for
that process or for a command in one of its own. So no click stands behind a task, and
nothing of a model ever comes into the server. What nobody waits for is a job, which
outlives the server (``verbs.grading.jobs``).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from grading.worker import Worker

KEPT = 100  # results of the latest tasks


class Task(Protocol):
    """A value that says what is to be done; equal ones are done once at a time."""

    @property
    def lane(self) -> tuple[str, int]:
        """Tasks of one name wait for each other; how many are done at a time."""
        ...

    def run(self, service: Service) -> Any:
        """Do it; None where there is nothing to be known of it."""
        ...

    def failed(self) -> Any:
        """The result where a bug ended it; the log says more."""
        ...


Kind = TypeVar("Kind", bound=Task)


class Service:
    """Tasks of every session of a server: waiting, running, and what came of them."""

    def __init__(self, model: Worker | None = None) -> None:
        self.model = Worker() if model is None else model
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Semaphore] = {}
        self._running: dict[Task, threading.Thread] = {}
        self._progress: dict[Task, tuple[int, int]] = {}
        self._results: dict[Task, Any] = {}
        self._ended: dict[type, tuple[float, float]] = {}  # when, and seconds it took

    def rested(self, kind: type[Task], times: float) -> bool:
        """Whether none of a kind has run for so many times as long as the last took."""
        with self._lock:
            ended, took = self._ended.get(kind, (0.0, 0.0))
        return time.monotonic() - ended >= times * took

    def send(self, task: Task) -> None:
        """Do it when its turn comes; one that waits or runs is not done twice."""
        with self._lock:
            self._results.pop(task, None)
            if task in self._running:
                return
            name, at_a_time = task.lane
            turn = self._turns.setdefault(name, threading.Semaphore(at_a_time))
            # None is waited for when the server ends.
            thread = threading.Thread(
                target=self._do, args=(task, turn), name=name, daemon=True
            )
            self._running[task] = thread
        thread.start()

    def running(self, task: Task | None) -> bool:
        """Whether it waits for its turn or runs."""
        with self._lock:
            return task in self._running

    def tasks(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """The tasks of a kind that wait or run, for whichever session."""
        with self._lock:
            return tuple(task for task in self._running if isinstance(task, kind))

    def result(self, task: Task | None) -> Any:
        """What came of it, None while nobody knows."""
        with self._lock:
            return None if task is None else self._results.get(task)

    def results(self, kind: type[Kind]) -> dict[Kind, Any]:
        """What came of the latest tasks of a kind."""
        with self._lock:
            found = self._results.items()
            return {task: result for task, result in found if isinstance(task, kind)}

    def forget(self, task: Task) -> None:
        """Forget what came of it."""
        with self._lock:
            self._results.pop(task, None)

    def progress(self, task: Task) -> tuple[int, int] | None:
        """(done, total) of one that runs and says so."""
        return self._progress.get(task)

    def reporter(self, task: Task) -> Callable[[int, int], None]:
        """What a running task says its progress to."""

        def report(done: int, total: int) -> None:
            self._progress[task] = (done, total)

        return report

    def _do(self, task: Task, turn: threading.Semaphore) -> None:
        result = None
        with turn:
            began = time.monotonic()
            try:
                result = task.run(self)
            except Exception:
                # Nobody waits for this thread, so a bug would end unseen.
                logging.getLogger(__name__).exception("beside the pages: %s", task.lane)
                result = task.failed()
            finally:
                now = time.monotonic()
                with self._lock:
                    self._ended[type(task)] = now, now - began
                    del self._running[task]
                    self._progress.pop(task, None)
                    if result is not None:
                        self._results[task] = result
                    while len(self._results) > KEPT:
                        self._results.pop(next(iter(self._results)))
