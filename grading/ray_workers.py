"""Distribute inputs over Ray workers, and repeat the portions of workers that die.

A worker is an actor with a model; ``Workers`` sends portions of the inputs and yields
results as they arrive. Ray's own restarts and retries are switched off, since deaths
are counted per portion here.
"""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from grading.ava.model import Triple
from grading.errors import EngineError, GradingError, PromptTooLongError
from grading.models.protocol import PromptParts

HEARTBEAT = 2.0  # seconds without a result, after which an empty list is yielded
MAX_WAIT = 600.0  # seconds without a worker
MAX_DEATHS = 8  # of workers at one portion, or in a row before they have started
MAX_PORTION = 64  # prompts or texts of a portion
MIN_PORTION = 8

Results = Generator[list[tuple[int, Any]], None, None]
Work = Callable[[Sequence[Any]], Results]
"""Computes results of inputs, each with the position of its input."""


class Workers:
    """The workers of one grader; ``results`` computes the results of inputs.

    There are as many as fit on the cluster; new ones replace dead ones and use new
    machines. ``open_work`` opens the model on a worker; ``placement`` returns the
    resources of a worker and the number of workers that fit now; ``where`` is the
    cluster's name in messages.
    """

    def __init__(
        self,
        ray: Any,
        open_work: Callable[[], Work],
        placement: Callable[[], tuple[Mapping[str, int], int]],
        where: str,
    ) -> None:
        self._ray, self._placement, self._where = ray, placement, where
        self._class = ray.remote(_Worker)
        self._arguments = open_work, str(Path.cwd())
        self.workers: list[_Handle] = []
        self._died_early = 0

    def all_results(self, inputs: Sequence[Any]) -> list[Any]:
        """Compute the result of each input, in order."""
        results = dict(pair for batch in self.results(inputs) for pair in batch)
        return [results[at] for at in range(len(inputs))]

    def results(self, inputs: Sequence[Any]) -> Results:
        """Yield each input's result once, with its position, as they arrive.

        Yields an empty list after a few seconds without a result. An error of a worker
        is raised after everything that was running; PromptTooLongError after all other
        inputs. Raises EngineError if no worker can run, or one portion kills all.
        """
        ray_errors = self._ray.exceptions
        failure: GradingError | None = None
        too_long: PromptTooLongError | None = None
        waiting = deque(self._portions(inputs))
        last_activity = time.monotonic()
        try:
            while True:
                for worker in self.workers:
                    if worker.is_idle and waiting and failure is None:
                        worker.begin(waiting.popleft(), inputs)
                busy = any(worker.portion for worker in self.workers)
                if not busy and (failure or not waiting):
                    break
                worker_of = {
                    worker.next_result: worker
                    for worker in self.workers
                    if worker.next_result
                }
                ready = self._ready(list(worker_of))
                if not ready:
                    self._fill()
                    if any(not worker.is_starting for worker in self.workers):
                        last_activity = time.monotonic()  # busy with a long input
                    elif time.monotonic() - last_activity > MAX_WAIT:
                        raise EngineError(
                            f"{self._where} has had no resources for a worker for "
                            f"{MAX_WAIT / 60:.0f} minutes; add machines and start again"
                        )
                    yield []
                    continue
                last_activity, worker = time.monotonic(), worker_of[ready[0]]
                try:
                    results = worker.receive(self._ray)
                except ray_errors.RayTaskError as error:
                    raise error.cause from error  # a bug
                except ray_errors.RayError as error:
                    if (portion := self._remove_dead(worker, error)) is not None:
                        waiting.appendleft(portion)
                    self._fill()
                    continue
                if isinstance(results, PromptTooLongError):
                    too_long = too_long or results
                elif isinstance(results, GradingError):
                    failure = failure or results
                elif results:
                    yield results
        finally:
            for worker in [worker for worker in self.workers if worker.portion]:
                self._end(worker)  # its results are not needed
        if (final_error := failure or too_long) is not None:
            raise final_error

    def close(self) -> None:
        """Kill all workers."""
        for worker in [*self.workers]:
            self._end(worker)

    def _ready(self, next_results: list[Any]) -> list[Any]:
        if next_results:
            return list(self._ray.wait(next_results, timeout=HEARTBEAT)[0])
        time.sleep(HEARTBEAT)
        return []

    def _portions(self, inputs: Sequence[Any]) -> list[_Portion]:
        """Split inputs into portions of similar length, the longest first."""
        self._fill()
        size = -(-len(inputs) // (2 * max(1, len(self.workers))))
        size = max(MIN_PORTION, min(size, MAX_PORTION))
        order = sorted(range(len(inputs)), key=lambda at: -_length(inputs[at]))
        return [
            _Portion(order[start : start + size])
            for start in range(0, len(order), size)
        ]

    def _fill(self) -> None:
        """Start workers if there is room for more."""
        needs, room = self._placement()
        for _ in range(room - len(self.workers)):
            options = {**needs, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
            actor = self._class.options(**options).remote(*self._arguments)
            self.workers.append(_Handle(actor, actor.version.remote()))

    def _remove_dead(self, worker: _Handle, error: Exception) -> _Portion | None:
        """Remove a dead worker; return its portion, which has to be repeated."""
        self._end(worker)
        portion, why = worker.portion, str(error).strip().splitlines()
        self._died_early = self._died_early + 1 if worker.is_starting else 0
        if self._died_early > MAX_DEATHS or (portion and portion.deaths >= MAX_DEATHS):
            what = "at the same portion" if portion else "before they had started"
            raise EngineError(
                f"{self._where}: {MAX_DEATHS + 1} workers died {what}; check the "
                f"memory of its machines and what is installed there. Last error: "
                f"{why[-1] if why else type(error).__name__}"
            )
        return portion and replace(portion, deaths=portion.deaths + 1)

    def _end(self, worker: _Handle) -> None:
        self.workers.remove(worker)
        with suppress(self._ray.exceptions.RayError, ValueError):
            self._ray.kill(worker.actor)


@dataclass(frozen=True)
class _Portion:
    """Positions of inputs for one worker; ``deaths`` counts workers that died at it."""

    remaining: list[int]
    deaths: int = 0


@dataclass(eq=False)
class _Handle:
    """A worker as the driver sees it; ``next_result`` is what to wait for."""

    actor: Any
    next_result: Any
    is_starting: bool = True
    portion: _Portion | None = None
    _positions: list[int] = field(default_factory=list)

    @property
    def is_idle(self) -> bool:
        return not self.is_starting and self.portion is None

    def begin(self, portion: _Portion, inputs: Sequence[Any]) -> None:
        self.portion, self._positions = portion, [*portion.remaining]
        batch = [inputs[at] for at in portion.remaining]
        results = self.actor.results.options(num_returns="streaming")
        self.next_result = results.remote(batch)

    def receive(self, ray: Any) -> list[tuple[int, Any]] | GradingError | None:
        """Return its next results; None when it has started, or ended a portion.

        Raises EngineError for another version of this program, and errors of Ray.
        """
        if self.is_starting:
            theirs, host = ray.get(self.next_result)
            if theirs != (ours := _version()):
                raise EngineError(
                    f"The worker on {host} has exam-curator {theirs or 'from a folder'}"
                    f", and this is {ours or 'a folder'}; install the same on both"
                )
            self.is_starting, self.next_result = False, None
            return None
        try:
            received = ray.get(next(self.next_result))
        except StopIteration:
            self.portion = self.next_result = None
            return None
        if isinstance(received, GradingError):
            return received
        results = [(self._positions[at], result) for at, result in received]
        if self.portion is not None:
            answered = {at for at, _ in results}
            remaining = [at for at in self.portion.remaining if at not in answered]
            self.portion = replace(self.portion, remaining=remaining)
        return results


class _Worker:
    """Actor on a machine of the cluster; opens its model with the first portion."""

    def __init__(self, open_work: Callable[[], Work], folder: str) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        with suppress(OSError):
            os.chdir(folder)  # for relative paths of models
        self._open_work = open_work
        self._work: Work | None = None

    def version(self) -> tuple[str, str]:
        """Return the version of this program and the name of the machine."""
        return _version(), socket.gethostname()

    def results(
        self, inputs: Sequence[Any]
    ) -> Iterator[list[tuple[int, Any]] | GradingError]:
        """Yield results as they are ready; an error comes last."""
        try:
            self._work = self._work or self._open_work()
            yield from self._work(inputs)
        except PromptTooLongError as error:
            yield error
        except GradingError as error:
            yield type(error)(f"On {socket.gethostname()}: {error}")


def _length(value: Any) -> int:
    match value:
        case PromptParts():
            return len(value.before) + len(value.context) + len(value.after)
        case Triple():
            return len(value.question) + len(value.reference) + len(value.candidate)
    return len(value)


def _version() -> str:
    try:
        return version("exam-curator")
    except PackageNotFoundError:
        return ""
