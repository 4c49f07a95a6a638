"""What is learned from checks: small ones by hand, others by one big matrix."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from curator.evaluation.checks.learned import (
    ENOUGH,
    Floats,
    LearnedModel,
    QueryChecks,
    Signals,
    learn,
)


def signals(rng: np.random.Generator, units: int, graders: int = 3) -> Signals:
    """Units of one query: pairs of 3 items, 4 passages; profiles of 5 questions."""
    values = rng.uniform(size=(units, graders))
    values[rng.uniform(size=values.shape) < 0.1] = np.nan
    groups = tuple(rng.integers(0, most, units) for most in (1, 3, 4))
    profile = rng.standard_normal((units, 5))
    return Signals(values, rng.uniform(size=(units, 1)), groups, (profile,))


def answers(rng: np.random.Generator, units: Signals) -> Floats:
    """What people say: as the first grader, a little of the passage, and chance."""
    told = np.nan_to_num(units.values[:, 0], nan=0.5)
    effect = 0.4 * np.sin(units.groups[2])
    return (told + effect + 0.2 * rng.standard_normal(len(told)) > 0.5).astype(float)


@pytest.fixture(scope="module")
def checks() -> dict[str, QueryChecks]:
    rng = np.random.default_rng(7)
    every = {f"q{n}": signals(rng, units) for n, units in enumerate((9, 14, 1, 11))}
    return {q: QueryChecks(one, answers(rng, one)) for q, one in every.items()}


@pytest.fixture(scope="module")
def learned(checks: dict[str, QueryChecks]) -> LearnedModel:
    return learn(checks, next(iter(checks.values())).signals)


def kernel(learned: LearnedModel, one: Signals, other: Signals) -> Floats:
    """(units, units): what the effects of a query have in common."""
    same = [a[:, None] == b for a, b in zip(one.groups, other.groups, strict=True)]
    same += [a @ b.T for a, b in zip(one.profiles, other.profiles, strict=True)]
    sizes = learned.sizes[:-1] ** 2
    return np.tensordot(sizes, np.array(same, dtype=np.float64), 1)


def dense(
    learned: LearnedModel, query_ids: list[str], units: list[Signals]
) -> tuple[Floats, Floats]:
    """(units,) mean and (units, units) covariance a priori, in one big matrix."""
    features = np.concatenate([learned.scale.features(one) for one in units])
    covariance = (features * learned.scale.tightness**2) @ features.T
    at = 0
    for a, one in zip(query_ids, units, strict=True):
        beside = 0
        for b, other in zip(query_ids, units, strict=True):
            if a == b:
                places = np.ix_(
                    range(at, at + len(one.values)),
                    range(beside, beside + len(other.values)),
                )
                covariance[places] += kernel(learned, one, other)
            beside += len(other.values)
        at += len(one.values)
    return features @ learned.scale.expected, covariance


def posterior(
    mean: Floats, covariance: Floats, known: list[int], said: Floats, noise: float
) -> tuple[Floats, Floats]:
    """Mean and covariance of all units where some are known but for noise."""
    inner = covariance[np.ix_(known, known)] + noise**2 * np.eye(len(known))
    carried = np.linalg.solve(inner, covariance[known]).T
    found = mean + carried @ (said - mean[known])
    return found, covariance - carried @ covariance[known]


def test_with_too_few_checks_graders_count_alike() -> None:
    rng = np.random.default_rng(1)
    few = signals(rng, ENOUGH - 1, 2)
    values = np.array([[0.7, 0.1], [0.7, 0.7], [1.0, 0.4], [0.7, np.nan]])
    asked = Signals(values, np.full((4, 1), np.nan), (np.zeros(4, int),) * 3)
    for checks in ({}, {"q": QueryChecks(few, np.ones(ENOUGH - 1))}):
        found = learn(checks, few)
        # by hand: shares (v - .4) / .3 of the usual value, their mean m with 0 for
        # what is unknown, and .35 + .4 * .4 * m; m is 0, 1, 1 and 1/2
        told = found.predict("q", Signals(values, asked.context, asked.groups))
        assert told == pytest.approx([0.35, 0.51, 0.51, 0.43])
        assert (found.count, found.best_input) == (0, None)
        assert np.isnan(found.error)


def test_predictions_are_those_of_one_big_matrix(
    checks: dict[str, QueryChecks], learned: LearnedModel
) -> None:
    rng = np.random.default_rng(3)
    more = {"q1": signals(rng, 6), "unseen": signals(rng, 4)}
    units = [*(one.signals for one in checks.values()), *more.values()]
    number = learned.count
    said = np.concatenate([one.answers for one in checks.values()])
    prior = dense(learned, [*checks, *more], units)
    found, _ = posterior(*prior, [*range(number)], said, learned.noise)
    assert learned.sizes[:-1].any()
    assert learned.predict("q1", more["q1"]) == pytest.approx(found[number:-4])
    assert learned.predict("unseen", more["unseen"]) == pytest.approx(found[-4:])


def test_sizes_are_chosen_by_the_likelihood_of_the_checks(
    checks: dict[str, QueryChecks], learned: LearnedModel
) -> None:
    mean, covariance = dense(
        learned, [*checks], [one.signals for one in checks.values()]
    )
    covariance += learned.noise**2 * np.eye(len(mean))
    said = np.concatenate([one.answers for one in checks.values()])
    density = multivariate_normal(mean, covariance).logpdf(said)
    constant = len(said) / 2 * np.log(2 * np.pi)
    assert learned.solved.likelihood == pytest.approx(-density - constant)


def test_each_check_is_predicted_as_if_it_were_left_out(
    checks: dict[str, QueryChecks], learned: LearnedModel
) -> None:
    prior = dense(learned, [*checks], [one.signals for one in checks.values()])
    said = np.concatenate([one.answers for one in checks.values()])
    of_query = np.repeat([*checks], [len(one.answers) for one in checks.values()])

    def without(left: list[int]) -> Floats:
        known = [at for at in range(len(said)) if at not in left]
        return posterior(*prior, known, said[known], learned.noise)[0]

    one_by_one = np.array([without([at])[at] for at in range(len(said))])
    assert np.concatenate([*learned.predicted.values()]) == pytest.approx(one_by_one)
    assert learned.error == pytest.approx(np.mean((said - one_by_one) ** 2))
    by_query = np.concatenate(
        [without([*np.flatnonzero(of_query == q)])[of_query == q] for q in checks]
    )
    found = np.concatenate(learned.solved.without_query)
    assert found == pytest.approx(by_query)
    assert learned.error_by_query == pytest.approx(np.mean((said - by_query) ** 2))


def test_draws_are_of_what_one_big_matrix_leaves_open(
    checks: dict[str, QueryChecks], learned: LearnedModel
) -> None:
    asked = signals(np.random.default_rng(4), 5)
    units = [*(one.signals for one in checks.values()), asked]
    said = np.concatenate([one.answers for one in checks.values()])
    prior = dense(learned, [*checks, "q3"], units)
    mean, covariance = posterior(*prior, [*range(len(said))], said, learned.noise)
    rng = np.random.default_rng(5)
    weights = learned.draw_weights(40_000, rng)
    drawn = learned.draw("q3", asked, weights, rng)
    # the mean of 40,000 draws is off by a two-hundredth of a standard deviation
    spread = np.sqrt(np.diag(covariance)[-5:])
    assert np.abs(drawn.mean(axis=1) - mean[-5:]).max() < 5 * spread.max() / 200
    assert np.abs(np.cov(drawn) - covariance[-5:, -5:]).max() < 0.05 * spread.max() ** 2


def test_a_grader_that_people_agree_with_is_not_made_worse() -> None:
    rng = np.random.default_rng(2)
    values = rng.uniform(size=(60, 2))
    values[:, 1] = rng.uniform(size=60) > 0.5
    every = Signals(values, np.zeros((60, 0)))
    found = learn({"q": QueryChecks(every, values[:, 1])}, every)
    assert found.best_input == 1
    assert found.input_errors[1] <= found.error < found.input_errors[0]


def test_what_is_expected_is_spread_as_widely_as_what_people_say(
    learned: LearnedModel,
) -> None:
    # Of a variance of 1 the noise has its share, what is expected the rest.
    middle, sd = learned.scale.mean, learned.scale.sd
    factor = 1 / np.sqrt(1 - (learned.noise / sd) ** 2)
    assert learned.widen(np.array([middle, middle + 0.1])) == pytest.approx(
        [middle, middle + 0.1 * factor]
    )
