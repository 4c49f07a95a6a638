"""Expected tau of a board: by brute force, against scipy, and on played collections."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import kendalltau

from curator.evaluation.checks import trust
from curator.evaluation.checks.trust import RankedUnits, board_model, taus_with

Floats = NDArray[np.float64]


@given(
    st.lists(st.integers(0, 4), min_size=3, max_size=8).filter(lambda x: len({*x}) > 1),
    st.integers(0, 1000),
)
def test_tau_is_that_of_scipy(board: list[int], seed: int) -> None:
    means = np.random.default_rng(seed).integers(0, 4, (5, len(board))).astype(float)
    for tau, row in zip(taus_with(np.array(board, float), means), means, strict=True):
        expected = kendalltau(board, row).statistic
        assert tau == pytest.approx(0.0 if np.isnan(expected) else expected)


def units_of(
    rng: np.random.Generator, items: int, passages: int, systems: int
) -> RankedUnits:
    """A query whose systems rank all passages, without checks."""
    ranks = np.argsort(rng.random((systems, passages)), axis=1)
    return RankedUnits(
        rng.random(items * passages),
        np.repeat(np.arange(items), passages),
        np.tile(np.arange(passages), items),
        (1 / np.log2(2 + ranks)).T,
        np.zeros(0, dtype=np.intp),
        np.zeros(0),
    )


def test_systems_means_are_those_of_all_units_at_once() -> None:
    """Conditions the labels of all units, by their covariance, and takes the means."""
    rng = np.random.default_rng(3)
    board = np.array([0.2, 0.5, 0.9])
    query = units_of(rng, 2, 4, 3)
    checked, answers = np.array([1, 6]), np.array([1.0, 0.0])
    query = replace(query, checked=checked, answers=answers)
    model = board_model(board, [query])
    assert model is not None
    normal = next(
        one for one in model._now() if (one.spread, one.effect) == (0.4, 0.13)
    )

    above = board - board.mean()
    means = np.array([query.values[query.items == item].mean() for item in (0, 1)])
    discounts = query.discounts[query.passages]
    shares = discounts / discounts.sum(axis=0)
    reached = shares.T @ (discounts @ above)
    per_score = (above @ above) / (above @ reached)
    effects = shares.T @ discounts
    size = np.sqrt(((effects - effects.mean(axis=0)) ** 2).sum() / 3)
    features = np.stack(
        [
            np.ones(8),
            query.values - means[query.items],
            means[query.items] - means.mean(),
            discounts @ above * per_score,
        ],
        axis=1,
    )
    same_item = query.items[:, None] == query.items
    same_passage = query.passages[:, None] == query.passages
    effect, noise = discounts / size, 1 - 0.2**2 - 0.45**2 - 0.15**2
    covariance = (features * [0.3**2, 0.25**2, 0.25**2, 0.15**2]) @ features.T
    covariance += 0.4**2 * (
        0.2**2
        + 0.45**2 * same_item
        + 0.15**2 * same_passage
        + noise * np.eye(8)
        + 0.13**2 * effect @ effect.T
    )
    expected = features @ trust._MEANS
    inverse = np.linalg.inv(covariance[np.ix_(checked, checked)])
    gain = covariance[:, checked] @ inverse
    mean = expected + gain @ (answers - expected[checked])
    left = covariance - gain @ covariance[checked]
    assert normal.mean == pytest.approx(shares.T @ mean)
    assert normal.covariance == pytest.approx(shares.T @ left @ shares)


def played(
    rng: np.random.Generator, checks: int
) -> tuple[float, Floats, list[RankedUnits]]:
    """A collection as the model supposes it: true tau, board and units.

    Of 40 queries with 4 items, to which each system has one passage.
    """
    systems, shape = int(rng.integers(6, 20)), (40, 4)
    values = rng.beta(1, 2, (*shape, systems))
    values += rng.normal(0, rng.choice([0.02, 0.1]), systems)
    board = values.mean(axis=(0, 1))
    effect = 0.01 * np.exp(1.4 * rng.standard_normal())
    slope, score = rng.normal([1.0, 0.5], [0.25, 0.15])
    noise = (
        effect * rng.standard_normal(systems)
        + 0.2 * rng.standard_normal((40, 1, 1))
        + 0.45 * rng.standard_normal((*shape, 1))
        + 0.15 * rng.standard_normal((40, 1, systems))
        + np.sqrt(1 - 0.2**2 - 0.45**2 - 0.15**2)
        * rng.standard_normal((*shape, systems))
    )
    level = values.mean(axis=2, keepdims=True)
    labels = 0.4 + slope * (values - level) + 0.5 * (level - level.mean())
    labels = labels + score * (board - board.mean()) + 0.4 * noise
    tau = kendalltau(board, labels.mean(axis=(0, 1))).statistic
    chosen = np.zeros(labels.size, dtype=np.bool_)
    chosen[rng.choice(labels.size, checks, replace=False)] = True
    queries = [
        RankedUnits(
            own.ravel(),
            np.repeat(np.arange(4), systems),
            np.tile(np.arange(systems), 4),
            np.eye(systems),
            np.flatnonzero(checked),
            said.ravel()[checked],
        )
        for own, said, checked in zip(
            values, labels, chosen.reshape(40, -1), strict=True
        )
    ]
    return float(tau), board, queries


@pytest.mark.parametrize("checks", [30, 120])
def test_intervals_hold_the_true_tau_and_trusted_boards_deserve_it(checks: int) -> None:
    held, trusted, deserved = 0, 0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        tau, board, queries = played(rng, checks)
        model = board_model(board, queries)
        assert model is not None
        found = model.tau(0.6)
        assert found.low <= found.mean <= found.high
        held += found.low <= tau <= found.high
        trusted += found.probability >= 0.95
        deserved += found.probability >= 0.95 and tau >= 0.6
    assert held >= 54
    assert trusted >= 5
    assert deserved >= 0.9 * trusted


def test_more_checks_decide_sooner_or_later() -> None:
    rng = np.random.default_rng(5)
    _, board, queries = played(rng, 0)
    model = board_model(board, queries)
    assert model is not None
    assert model.deciding_checks(-0.9, 0.95) == trust.CONTINUATIONS[0]
    assert model.deciding_checks(0.3, 0.95) == model.deciding_checks(0.3, 0.95)
    assert model.deciding_checks(model.tau(0).mean, 1 - 1e-9) is None
    assert model.separating_checks(1, 0.95) == 0


def test_there_is_nothing_to_say_where_all_systems_tie() -> None:
    units = units_of(np.random.default_rng(0), 2, 3, 3)
    assert board_model(np.full(3, 0.5), [units]) is None


def test_unknown_grades_and_unranked_passages_tell_nothing_of_their_own() -> None:
    rng = np.random.default_rng(1)
    query = units_of(rng, 2, 5, 3)
    values = query.values.copy()
    values[:3] = np.nan
    discounts = query.discounts.copy()
    discounts[4] = 0
    query = replace(
        query,
        values=values,
        discounts=discounts,
        checked=np.array([0, 4]),
        answers=np.array([1.0, 1.0]),
    )
    model = board_model(np.array([0.1, 0.2, 0.4]), [query])
    assert model is not None
    found = model.tau(0.0)
    assert -1 < found.low <= found.mean <= found.high < 1
