"""Paired randomisation tests of systems, and Holm's correction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import permutation_test

from curator.evaluation.comparison import ScoreMatrix
from curator.evaluation.significance import (
    PairTest,
    PairTests,
    holm,
    pair_tests,
    rank_ranges,
    tiers,
)


def matrix(scores: list[list[float]]) -> ScoreMatrix:
    """Scores by query (rows) and system (columns s0, s1, …)."""
    values = np.array(scores, dtype=float)
    queries, systems = values.shape
    return ScoreMatrix(
        tuple(f"q{i}" for i in range(queries)),
        tuple(f"s{i}" for i in range(systems)),
        values,
    )


def random_scores(queries: int, systems: int, seed: int) -> ScoreMatrix:
    generator = np.random.default_rng(seed)
    return matrix(generator.random((queries, systems)).tolist())


def pairs_of(found: tuple[PairTest, ...]) -> dict[frozenset[str], PairTest]:
    return {frozenset((one.first, one.second)): one for one in found}


def test_three_queries_are_tested_by_all_eight_choices_of_signs() -> None:
    # By hand: differences 3, 2 and -1 sum to 4. Of the eight signed sums 6, 4, 2, 0,
    # 0, -2, -4, -6 four are at least as far from 0 as 4 is.
    found = pair_tests(matrix([[5, 2], [3, 1], [1, 2]]))
    (one,) = found.pairs
    assert (found.flips, found.exact) == (8, True)
    assert (one.first, one.second, one.p) == ("s0", "s1", 4 / 8)
    assert one.difference == pytest.approx(4 / 3)


def test_equal_fractions_count_as_equal_sums_whatever_their_last_bits_are() -> None:
    # By hand: the difference is .3 in each query, but 0.1 + 0.2 is not 0.3 in bits.
    scores = [[0.1 + 0.2, 0.0], [0.3, 0.0], [0.4, 0.1]]
    assert pair_tests(matrix(scores)).pairs[0].p == 2 / 8


@pytest.mark.parametrize("seed", range(4))
def test_exact_tests_are_those_of_scipy(seed: int) -> None:
    scores = random_scores(queries=9, systems=3, seed=seed)
    tests, significant = pair_tests(scores), 0
    found = pairs_of(tests.pairs)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        reference = permutation_test(
            (scores.scores[:, i], scores.scores[:, j]),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            n_resamples=np.inf,
        )
        ours = found[frozenset((f"s{i}", f"s{j}"))]
        assert ours.p == pytest.approx(reference.pvalue, abs=1e-12)
        significant += reference.pvalue <= 0.05
    assert tests.discriminative_power == significant / 3


def test_sampled_tests_are_those_of_scipy_within_their_error() -> None:
    scores = random_scores(queries=30, systems=2, seed=5)
    scores.scores[:, 0] += 0.12
    reference = permutation_test(
        (scores.scores[:, 0], scores.scores[:, 1]),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=10_000,
        random_state=1,
    ).pvalue
    found = pair_tests(scores)
    ours = found.pairs[0].p
    assert (found.flips, found.exact) == (10_000, False)
    # Five standard errors of the difference of two estimates from 10,000 draws.
    error = 5 * np.sqrt(2 * ours * (1 - ours) / 10_000)
    assert ours == pytest.approx(reference, abs=error)
    assert 0.01 < ours < 0.5  # a p of which an error could be seen


def test_holm_multiplies_the_smallest_by_all_and_never_falls() -> None:
    # By hand: sorted .01, .02, .03, .04 times 4, 3, 2, 1 is .04, .06, .06, .04; the
    # last is raised to the one before it.
    assert holm([0.03, 0.01, 0.04, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.5]).tolist() == [1.0, 1.0]


# Tiers of systems that are not significantly worse than their leader


def significant_pairs(*significant: str) -> PairTests:
    """Tests of which only the pairs named, such as ``ad``, are significant."""
    pairs = tuple(PairTest(a, b, 0.1, 0.001, 0.01) for a, b in significant)
    others = (PairTest("a", "b", 0.1, 0.04, 0.06),)
    return PairTests((*pairs, *others), 43, 10_000, exact=False)


def test_a_tier_holds_all_that_are_not_worse_than_its_leader() -> None:
    # By hand: a leads a, b; c is worse than a and leads c, d, though d is not worse
    # than b; e is worse than c too.
    found = tiers("abcde", significant_pairs("ac", "ad", "ae", "be", "ce"))
    assert found == {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}


def test_a_system_below_a_later_tier_may_belong_to_an_earlier_one() -> None:
    # By hand: b is worse than a, c below it is not.
    assert tiers("abc", significant_pairs("ab")) == {"a": 1, "b": 2, "c": 1}


def test_a_rank_is_what_significant_differences_leave_open() -> None:
    # By hand: a is better than c and d, b than d.
    found = rank_ranges("abcd", significant_pairs("ac", "ad", "bd"))
    assert found == {"a": (1, 2), "b": (1, 3), "c": (2, 4), "d": (3, 4)}
    assert rank_ranges("abc", significant_pairs()) == dict.fromkeys("abc", (1, 3))
    assert rank_ranges("a", PairTests((), 0, 0, exact=False)) == {}
