"""What is learned from checks of made units, whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from curator.evaluation.checks.learned import (
    ENOUGH,
    LearnedModel,
    QueryChecks,
    Signals,
    learn,
)

QUERIES, UNITS = 15, 40


def made(
    noises: tuple[float, ...], seed: int
) -> tuple[list[Signals], list[np.ndarray]]:
    """Signals by query, and the truth; each grader says it with so much noise."""
    rng = np.random.default_rng(seed)
    signals, truth = [], []
    for _ in range(QUERIES):
        unseen = rng.normal(0.3, 0.3, UNITS)
        said = unseen[:, None] + rng.normal(0, 1, (UNITS, len(noises))) * noises
        truth.append((np.round(3 * unseen) / 3).clip(0, 1))
        groups = (np.zeros(UNITS, np.intp),)
        signals.append(Signals(said.clip(0, 1), np.zeros((UNITS, 0)), groups))
    return signals, truth


def learned_of(
    signals: list[Signals], truth: list[np.ndarray], each: int, seed: int
) -> LearnedModel:
    rng = np.random.default_rng(seed)
    checks = {}
    for at, (one, said) in enumerate(zip(signals, truth, strict=True)):
        units = np.sort(rng.choice(UNITS, each, replace=False))
        checks[str(at)] = QueryChecks(one.select(units), said[units])
    return learn(checks, signals[0].select(np.zeros(0, np.intp)))


def near(found: list[np.ndarray], truth: list[np.ndarray]) -> float:
    """The correlation over all units."""
    return float(np.corrcoef(np.concatenate(found), np.concatenate(truth))[0, 1])


def board_of(learned: LearnedModel, signals: list[Signals]) -> list[np.ndarray]:
    """What the grader would say: what was learned, or its best part where that does."""
    best = learned.best_input
    if best is not None:
        return [one.values[:, best] for one in signals]
    return [
        learned.widen(learned.predict(str(at), one)) for at, one in enumerate(signals)
    ]


@pytest.mark.parametrize("seed", range(4))
def test_graders_together_say_more_than_each_alone(seed: int) -> None:
    signals, truth = made((0.3, 0.3), seed)
    learned = learned_of(signals, truth, 10, seed)
    alone = [near([one.values[:, at] for one in signals], truth) for at in (0, 1)]
    assert learned.best_input is None
    assert near(board_of(learned, signals), truth) > max(alone)
    # Where one of them says nothing of the truth the checks tell which.
    signals, truth = made((0.2, 9.0), seed)
    found = near(board_of(learned_of(signals, truth, 10, seed), signals), truth)
    good, bad = (near([one.values[:, at] for one in signals], truth) for at in (0, 1))
    assert bad < 0.5 < good - 0.1
    assert found > good - 0.02


@pytest.mark.parametrize("each", [0, 1, 2, 5, 20])
def test_checks_harm_no_strong_judge(each: int) -> None:
    for seed in range(4):
        signals, truth = made((0.08, 0.6), seed)
        judge = near([one.values[:, 0] for one in signals], truth)
        alone = [Signals(one.values[:, :1], one.context, one.groups) for one in signals]
        found = near(board_of(learned_of(alone, truth, each, seed), alone), truth)
        assert found > judge - 0.01
        if each * QUERIES >= ENOUGH:  # before that graders count alike
            found = near(
                board_of(learned_of(signals, truth, each, seed), signals), truth
            )
            assert found > judge - 0.01


def test_of_a_few_checks_nothing_is_learned() -> None:
    signals, truth = made((0.3,), 2)
    assert learned_of(signals, truth, 1, 2).count == 0  # 15 < ENOUGH
    assert learned_of(signals, truth, 2, 2).count == 2 * QUERIES == ENOUGH
