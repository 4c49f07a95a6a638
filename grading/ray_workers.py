"""The workers of a Ray: who is given what, and what becomes of it when one dies.

A worker is an actor with a model; ``Workers`` gives them portions of what is to be
asked and has their results as they come. What Ray would restart or ask again by itself
is off: here it is counted who died of what.
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

HEARTBEAT = 2.0  # seconds of silence, after which whoever waits hears that nothing came
MAX_WAIT = 600.0  # seconds without a worker
MAX_DEATHS = 8  # workers that die of one portion, or before they have begun
MAX_PORTION = 64  # prompts or texts of a portion
MIN_PORTION = 8

Results = Generator[list[tuple[int, Any]], None, None]
Work = Callable[[Sequence[Any]], Results]
"""What a model does: results with the positions of what they are of."""


class Workers:
    """The workers of one grader: ``results`` has what they make of inputs.

    There are as many as there is room for, anew whenever one has died or a machine
    has come.
    """

    def __init__(
        self,
        ray: Any,
        opening: Callable[[], Work],
        placement: Callable[[], tuple[Mapping[str, int], int]],
        where: str,
    ) -> None:
        self._ray, self._placement, self._where = ray, placement, where
        self._class = ray.remote(_Worker)
        self._arguments = opening, str(Path.cwd())
        self.workers: list[_Handle] = []
        self._died_early = 0

    def all_results(self, inputs: Sequence[Any]) -> list[Any]:
        """The result of each input, in order."""
        found = dict(pair for batch in self.results(inputs) for pair in batch)
        return [found[at] for at in range(len(inputs))]

    def results(self, inputs: Sequence[Any]) -> Results:
        """Each input's result once, with its position, as they come.

        Nothing comes as an empty list, every few seconds. What a worker refuses is
        raised after everything that was under way; of a prompt that is too long, after
        all others. Raises EngineError where no worker is left, or all die of the same.
        """
        rays = self._ray.exceptions
        failure: GradingError | None = None
        too_long: PromptTooLongError | None = None
        waiting = deque(self._portions(inputs))
        heard = time.monotonic()
        try:
            while True:
                for one in self.workers:
                    if one.is_idle and waiting and failure is None:
                        one.begin(waiting.popleft(), inputs)
                busy = any(one.portion for one in self.workers)
                if not busy and (failure or not waiting):
                    break
                coming = {one.coming: one for one in self.workers if one.coming}
                ready = self._ready(list(coming))
                if not ready:
                    self._fill()
                    if any(not one.starts for one in self.workers):
                        heard = time.monotonic()  # at work on something long
                    elif time.monotonic() - heard > MAX_WAIT:
                        raise EngineError(
                            f"{self._where} has had no room for a worker for "
                            f"{MAX_WAIT / 60:.0f} minutes; go on when it has machines"
                        )
                    yield []
                    continue
                heard, one = time.monotonic(), coming[ready[0]]
                try:
                    found = one.received(self._ray)
                except rays.RayTaskError as error:
                    raise error.cause from error  # a bug, wherever it stands
                except rays.RayError as error:
                    if (lost := self._lost(one, error)) is not None:
                        waiting.appendleft(lost)
                    self._fill()
                    continue
                if isinstance(found, PromptTooLongError):
                    too_long = too_long or found
                elif isinstance(found, GradingError):
                    failure = failure or found
                elif found:
                    yield found
        finally:
            for one in [one for one in self.workers if one.portion]:
                self._end(one)  # it is asked something that nobody waits for
        if (refused := failure or too_long) is not None:
            raise refused

    def close(self) -> None:
        """End the workers."""
        for one in [*self.workers]:
            self._end(one)

    def _ready(self, coming: list[Any]) -> list[Any]:
        if coming:
            return list(self._ray.wait(coming, timeout=HEARTBEAT)[0])
        time.sleep(HEARTBEAT)
        return []

    def _portions(self, inputs: Sequence[Any]) -> list[_Portion]:
        """What is given to a worker at once: of like length, the longest first."""
        self._fill()
        size = -(-len(inputs) // (2 * max(1, len(self.workers))))
        size = max(MIN_PORTION, min(size, MAX_PORTION))
        order = sorted(range(len(inputs)), key=lambda at: -_length(inputs[at]))
        return [
            _Portion(order[start : start + size])
            for start in range(0, len(order), size)
        ]

    def _fill(self) -> None:
        """Start workers where there is room for more."""
        needs, room = self._placement()
        for _ in range(room - len(self.workers)):
            options = {**needs, "max_restarts": 0, "scheduling_strategy": "SPREAD"}
            actor = self._class.options(**options).remote(*self._arguments)
            self.workers.append(_Handle(actor, actor.version.remote()))

    def _lost(self, one: _Handle, error: Exception) -> _Portion | None:
        """What has to be asked again, as this worker has died."""
        self._end(one)
        portion, why = one.portion, str(error).strip().splitlines()
        self._died_early = self._died_early + 1 if one.starts else 0
        if self._died_early > MAX_DEATHS or (portion and portion.lost >= MAX_DEATHS):
            what = "of the same portion" if portion else "before they had begun"
            raise EngineError(
                f"{self._where}: {MAX_DEATHS + 1} workers died {what}; look at the "
                f"memory of its machines and at what is installed there. The last: "
                f"{why[-1] if why else type(error).__name__}"
            )
        return portion and replace(portion, lost=portion.lost + 1)

    def _end(self, one: _Handle) -> None:
        self.workers.remove(one)
        with suppress(self._ray.exceptions.RayError, ValueError):
            self._ray.kill(one.actor)


@dataclass(frozen=True)
class _Portion:
    """Positions that a worker is asked at once; ``lost`` workers have died of them."""

    left: list[int]
    lost: int = 0


@dataclass(eq=False)
class _Handle:
    """A worker as the driver sees it: ``coming`` is what it will say next."""

    actor: Any
    coming: Any
    starts: bool = True
    portion: _Portion | None = None
    _positions: list[int] = field(default_factory=list)

    @property
    def is_idle(self) -> bool:
        return not self.starts and self.portion is None

    def begin(self, portion: _Portion, inputs: Sequence[Any]) -> None:
        """Have it asked this."""
        self.portion, self._positions = replace(portion), [*portion.left]
        asked = [inputs[at] for at in portion.left]
        results = self.actor.results.options(num_returns="streaming")
        self.coming = results.remote(asked)

    def received(self, ray: Any) -> list[tuple[int, Any]] | GradingError | None:
        """What it has said; None where it has begun, or ended a portion.

        Raises EngineError for another version of this program, and as Ray does.
        """
        if self.starts:
            theirs, host = ray.get(self.coming)
            if theirs != (ours := _version()):
                raise EngineError(
                    f"The worker on {host} has exam-curator {theirs or 'as a folder'}, "
                    f"and this is {ours or 'a folder'}; install the same on both"
                )
            self.starts, self.coming = False, None
            return None
        try:
            said = ray.get(next(self.coming))
        except StopIteration:
            self.portion = self.coming = None
            return None
        if isinstance(said, GradingError):
            return said
        found = [(self._positions[at], result) for at, result in said]
        if self.portion is not None:
            answered = {at for at, _ in found}
            left = [at for at in self.portion.left if at not in answered]
            self.portion = replace(self.portion, left=left)
        return found


class _Worker:
    """What runs on a machine of the Ray: a model, opened with the first portion."""

    def __init__(self, opening: Callable[[], Work], folder: str) -> None:
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        with suppress(OSError):
            os.chdir(folder)  # a model's folder may be named from where the driver is
        self._opening = opening
        self._work: Work | None = None

    def version(self) -> tuple[str, str]:
        """This program's, and the machine's name."""
        return _version(), socket.gethostname()

    def results(
        self, inputs: Sequence[Any]
    ) -> Iterator[list[tuple[int, Any]] | GradingError]:
        """Results as the model has them; last, what it refuses."""
        try:
            self._work = self._work or self._opening()
            yield from self._work(inputs)
        except PromptTooLongError as error:
            yield error
        except GradingError as error:
            yield type(error)(f"On {socket.gethostname()}: {error}")


def _length(one: Any) -> int:
    match one:
        case PromptParts():
            return len(one.before) + len(one.context) + len(one.after)
        case Triple():
            return len(one.question) + len(one.reference) + len(one.candidate)
    return len(one)


def _version() -> str:
    try:
        return version("exam-curator")
    except PackageNotFoundError:
        return ""
