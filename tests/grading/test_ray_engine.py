"""How workers of a Ray are given work, over one that is played in this process.

``tests/background/test_jobs_on_a_ray.py`` runs a real one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from grading.errors import EndpointError, EngineError, PromptTooLongError
from grading.ray_engine import RayEngine
from grading.ray_workers import MAX_DEATHS, MIN_PORTION, Work, Workers


class DiedError(Exception):
    """What a Ray says of an actor that is no more."""


class FailedTaskError(DiedError):
    cause: Exception


class Called:
    """A method of an actor, as a Ray has it."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def options(self, **_: Any) -> Called:
        return self

    def remote(self, *arguments: Any) -> Any:
        found = self._method(*arguments)
        return iter(found) if hasattr(found, "send") else found


class PlayedRay:
    """A Ray of so many machines with a CPU; ``dying`` says which input kills whom."""

    exceptions = SimpleNamespace(RayError=DiedError, RayTaskError=FailedTaskError)

    def __init__(self, machines: int, dying: Callable[[Any], bool] = lambda _: False):
        self.machines, self.dying = machines, dying
        self.started = self.killed = 0
        self.asked: list[Any] = []

    def remote(self, kind: type) -> Any:
        def remote(*arguments: Any) -> Any:
            self.started += 1
            actor = kind(*arguments)
            return SimpleNamespace(
                version=Called(actor.version),
                results=Called(lambda inputs: self._results(actor, inputs)),
            )

        return Called(remote)

    def _results(self, actor: Any, inputs: Sequence[Any]) -> Iterator[Any]:
        for said in actor.results(inputs):
            # Some of what a worker has said is with the driver when it dies.
            if isinstance(said, list) and any(self.dying(inputs[at]) for at, _ in said):
                yield DiedError("out of memory")
                return
            if isinstance(said, list):
                self.asked += [inputs[at] for at, _ in said]
            yield said

    def wait(self, coming: list[Any], timeout: float) -> tuple[list[Any], list[Any]]:
        return coming[-1:], coming[:-1]

    def get(self, said: Any) -> Any:
        if isinstance(said, DiedError):
            raise said
        return said

    def kill(self, actor: Any) -> None:
        self.killed += 1

    def workers(self, work: Work) -> Workers:
        return Workers(self, lambda: work, lambda: ({}, self.machines), "The Ray")


def doubled(inputs: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """Two at a time, as a model's batches are."""
    for start in range(0, len(inputs), 2):
        yield [(at, inputs[at] * 2) for at in range(start, len(inputs))[:2]]


WORDS = [f"{'long ' * (n % 3)}{n}" for n in range(50)]
FATAL = WORDS[20]
TWICE = [one * 2 for one in WORDS]


def test_each_input_has_its_result_and_is_asked_once():
    ray = PlayedRay(3)
    assert ray.workers(doubled).all_results(WORDS) == TWICE
    assert sorted(ray.asked) == sorted(WORDS)
    assert (ray.started, ray.killed) == (3, 0)


def test_what_a_dead_worker_had_given_back_is_not_asked_again():
    deaths = iter([True] * 3)
    ray = PlayedRay(2, lambda one: one == FATAL and next(deaths, False))
    assert ray.workers(doubled).all_results(WORDS) == TWICE
    assert sorted(ray.asked) == sorted(WORDS)
    assert (ray.started, ray.killed) == (5, 3)


def test_a_portion_that_every_worker_dies_of_is_given_up():
    ray = PlayedRay(2, lambda one: one == FATAL)
    with pytest.raises(EngineError, match=r"9 workers died at the same .* memory"):
        ray.workers(doubled).all_results(WORDS)
    assert ray.killed >= MAX_DEATHS + 1


def test_gpus_come_before_cpus_and_a_chat_model_asks_for_none_of_them():
    def placement(
        computes: bool, *machines: dict[str, float], workers: int | None = None
    ):
        engine = RayEngine.__new__(RayEngine)
        nodes = [{"Resources": one, "Alive": True} for one in machines]
        engine._ray = SimpleNamespace(nodes=lambda: nodes)
        engine.workers = workers
        return engine._placement(computes)

    large, small, gpu = {"CPU": 64.0}, {"CPU": 4.0}, {"CPU": 16.0, "GPU": 2.0}
    assert placement(True, large) == ({"num_cpus": 8}, 8)
    assert placement(True, large, small) == ({"num_cpus": 4}, 17)  # by hand: 16 and 1
    assert placement(True, large, gpu) == ({"num_gpus": 1, "num_cpus": 0}, 2)
    assert placement(True, small, workers=2) == ({"num_cpus": 2}, 2)
    assert placement(True, small, small, workers=3) == ({"num_cpus": 2}, 3)
    assert placement(False, large, gpu, {"CPU": 0.0}) == ({"num_cpus": 1}, 2)
    assert placement(True, {}) == ({"num_cpus": 1}, 0)


def test_a_prompt_that_is_too_long_is_said_after_all_others():
    def ask(inputs: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
        for at, one in enumerate(inputs):
            if one != FATAL:
                yield [(at, one * 2)]
        if FATAL in inputs:
            raise PromptTooLongError("it is too long")

    ray = PlayedRay(2)
    with pytest.raises(PromptTooLongError, match=r"^it is too long$"):
        ray.workers(ask).all_results(WORDS)
    assert sorted(ray.asked) == sorted(one for one in WORDS if one != FATAL)


def test_after_a_refusal_nothing_more_is_asked_and_the_machine_is_named():
    def refuse(inputs: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
        raise EndpointError("no credit")
        yield []

    ray = PlayedRay(1)
    with pytest.raises(EndpointError, match=r"^On \S+: no credit$"):
        list(ray.workers(refuse).results(WORDS * MIN_PORTION))
    assert ray.asked == []
