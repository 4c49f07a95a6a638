"""Background tasks of a server, in threads.

A server has one service: the model process, and threads that wait for that process or
for a command. So no page waits for a task, and no model is loaded in the server. Longer
work is a job, which continues after the server has ended (``verbs.grading.jobs``).
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from grading.worker import Worker

MAX_RESULTS = 100  # results of the latest tasks


class Task(Protocol):
    """A task as a value; equal tasks run only once at a time."""

    @property
    def lane(self) -> tuple[str, int]:
        """(name, maximum number of tasks of this name at a time); the others wait."""
        ...

    def run(self, service: Service) -> Any:
        """Run the task and return its result; None if there is none."""
        ...

    def failed(self) -> Any:
        """Return the result after an unexpected error, which is logged."""
        ...


Kind = TypeVar("Kind", bound=Task)


class Service:
    """Tasks of all sessions of a server: waiting, running, and their results."""

    def __init__(self, model: Worker | None = None) -> None:
        self.model = Worker() if model is None else model
        self._lock = threading.Lock()
        self._turns: dict[str, threading.Semaphore] = {}
        self._running: dict[Task, threading.Thread] = {}
        self._progress: dict[Task, tuple[int, int]] = {}
        self._results: dict[Task, Any] = {}
        # Per kind: time of the last end, and duration in seconds.
        self._ended: dict[type, tuple[float, float]] = {}

    def has_rested(self, kind: type[Task], times: float) -> bool:
        """Return True if the last task of a kind ended ``times`` its duration ago."""
        with self._lock:
            ended, took = self._ended.get(kind, (0.0, 0.0))
        return time.monotonic() - ended >= times * took

    def send(self, task: Task) -> None:
        """Start the task in its lane, unless an equal one waits or runs."""
        with self._lock:
            self._results.pop(task, None)
            if task in self._running:
                return
            name, limit = task.lane
            turn = self._turns.setdefault(name, threading.Semaphore(limit))
            # Daemon threads, so that the server need not wait for them at its end.
            thread = threading.Thread(
                target=self._do, args=(task, turn), name=name, daemon=True
            )
            self._running[task] = thread
        thread.start()

    def is_running(self, task: Task | None) -> bool:
        with self._lock:
            return task in self._running

    def tasks(self, kind: type[Kind]) -> tuple[Kind, ...]:
        """Return the tasks of a kind that wait or run, for all sessions."""
        with self._lock:
            return tuple(task for task in self._running if isinstance(task, kind))

    def result(self, task: Task | None) -> Any:
        """Return the task's result, None until it is known."""
        with self._lock:
            return None if task is None else self._results.get(task)

    def results(self, kind: type[Kind]) -> dict[Kind, Any]:
        with self._lock:
            items = self._results.items()
            return {task: result for task, result in items if isinstance(task, kind)}

    def forget(self, task: Task) -> None:
        with self._lock:
            self._results.pop(task, None)

    def progress(self, task: Task) -> tuple[int, int] | None:
        """Return (done, total) of a running task that reports them."""
        return self._progress.get(task)

    def reporter(self, task: Task) -> Callable[[int, int], None]:
        """Return a function to which a running task reports its progress."""

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
                # Nothing waits for this thread, so log the error here.
                logging.getLogger(__name__).exception(
                    "Background task failed: %s", task.lane
                )
                result = task.failed()
            finally:
                end = time.monotonic()
                with self._lock:
                    self._ended[type(task)] = end, end - began
                    del self._running[task]
                    self._progress.pop(task, None)
                    if result is not None:
                        self._results[task] = result
                    while len(self._results) > MAX_RESULTS:
                        self._results.pop(next(iter(self._results)))
