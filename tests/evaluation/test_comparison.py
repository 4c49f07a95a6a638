"""Correlations between measures with bootstrap intervals, and two systems by query."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from curator.evaluation.comparison import (
    ScoreMatrix,
    interval,
    measure_pairs,
    query_differences,
    query_weights,
    resampled_orders,
    tau_interval,
)
from curator.evaluation.leaderboard import Leaderboard, ScoredQueries, leaderboard
from curator.evaluation.measures.measure import Row
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import measure_named, pool_of


def board_of(matrix: ScoreMatrix, name: str) -> Leaderboard:
    """The board that these scores make."""
    rows = {
        query: Row(scores, scores, scores)
        for query, scores in zip(matrix.query_ids, matrix.scores, strict=True)
    }
    pools = {
        query: pool_of([[0]] * len(matrix.systems), 1, query_id=query) for query in rows
    }
    return leaderboard(
        Settings("g", name),
        measure_named("P@1"),
        matrix.systems,
        pools,
        ScoredQueries(rows),
    )


def matrix_of(scores: np.ndarray, first: int = 0) -> ScoreMatrix:
    """Queries q<first>, …; systems a, b, …"""
    queries = tuple(f"q{first + i}" for i in range(len(scores)))
    return ScoreMatrix(queries, tuple("abcdefghijkl"[: scores.shape[1]]), scores)


def pair_of(one: np.ndarray, other: np.ndarray, first: int = 0):
    matrices = [matrix_of(one), matrix_of(other, first)]
    boards = [board_of(matrices[0], "X"), board_of(matrices[1], "Y")]
    (found,) = measure_pairs(boards, matrices)
    return found


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_the_coefficients_are_scipys_of_the_means(seed: int) -> None:
    generator = np.random.default_rng(seed)
    # Few values, so that boards tie.
    ours, theirs = generator.integers(0, 3, size=(2, 4, 6)) / 2
    found = pair_of(ours, theirs)
    if found.kendall is None:
        assert "tie" in found.note
        return
    means = ours.mean(axis=0), theirs.mean(axis=0)
    assert found.kendall == pytest.approx(kendalltau(*means).statistic)
    assert found.spearman == pytest.approx(spearmanr(*means).statistic)


def test_every_resample_is_correlated_as_scipy_would() -> None:
    generator = np.random.default_rng(3)
    ours, theirs = generator.integers(0, 4, size=(2, 5, 7)) / 3
    weights = query_weights(5, resamples=40, seed=1)
    drawn = np.random.default_rng(1).multinomial(5, np.full(5, 0.2), size=40) / 5
    rhos = [spearmanr(np.round(w @ ours, 9), np.round(w @ theirs, 9)).statistic
            for w in drawn]  # fmt: skip
    taus = [kendalltau(np.round(w @ ours, 9), np.round(w @ theirs, 9)).statistic
            for w in drawn]  # fmt: skip
    orders = resampled_orders(ours, weights), resampled_orders(theirs, weights)
    kendall = interval(*(one.signs for one in orders))
    spearman = interval(*(one.places for one in orders))
    assert kendall is not None
    assert spearman is not None
    assert (kendall.low, kendall.high) == pytest.approx(
        np.percentile(taus, [2.5, 97.5])
    )
    assert (spearman.low, spearman.high) == pytest.approx(
        np.percentile(rhos, [2.5, 97.5])
    )


def test_both_numbers_are_over_the_queries_both_measures_score_and_it_says_so() -> None:
    generator = np.random.default_rng(5)
    ours, theirs = generator.random((6, 4)), generator.random((4, 4))
    # Another order in the first two queries, which the second measure has not.
    ours[:2] = 5 * ours[2:].mean(axis=0).max() - 9 * ours[2:].mean(axis=0)
    found = pair_of(ours, theirs, first=2)
    means = ours[2:].mean(axis=0), theirs.mean(axis=0)
    assert found.queries == 4
    assert found.kendall == pytest.approx(kendalltau(*means).statistic)
    assert found.spearman == pytest.approx(spearmanr(*means).statistic)
    assert found.kendall != kendalltau(ours.mean(axis=0), means[1]).statistic
    alike = pair_of(ours[2:], theirs)
    assert found.kendall_interval == alike.kendall_interval
    assert "are over 6 and 4 queries, their correlation over the 4" in found.note


@pytest.mark.parametrize(
    ("ours", "theirs", "first", "said"),
    [
        ([[1, 2]], [[1, 2]], 0, "There is no interval"),
        ([[1, 1], [2, 2]], [[1, 2], [1, 2]], 0, "All 2 common systems tie"),
    ],
)
def test_what_has_no_interval_has_a_sentence(
    ours: list[list[float]], theirs: list[list[float]], first: int, said: str
) -> None:
    found = pair_of(np.array(ours, float), np.array(theirs, float), first)
    assert found.kendall_interval is None
    assert said in found.note


def test_two_systems_differ_most_where_their_scores_do() -> None:
    # By hand: -0.5 in q1, 0.25 in q0, 0 in q2.
    scores = matrix_of(np.array([[0.5, 0.25], [0.25, 0.75], [1.0, 1.0]]))
    found = query_differences(scores, "a", "b")
    assert [(one.query_id, one.difference) for one in found] == [
        ("q1", -0.5),
        ("q0", 0.25),
        ("q2", 0.0),
    ]


@pytest.mark.parametrize("fixed", [True, False])
def test_the_interval_against_a_reference_is_a_plain_loop(fixed: bool) -> None:
    generator = np.random.default_rng(6)
    ours, theirs = generator.integers(0, 4, size=(2, 9, 5)) / 4
    ranks = dict(zip("abcde", [-1.0, -2.0, -2.0, -4.0, -5.0], strict=True))
    # Not all systems, and of the second board queries q2 to q10: q2 to q8 are shared.
    systems = ["d", "a", "c", "b"]
    columns = ["abcde".index(one) for one in systems]
    matrices = matrix_of(ours), matrix_of(theirs, first=2)
    shared = range(9) if fixed else range(2, 9)
    taus = []
    for weights in query_weights(len(shared), resamples=200, seed=3):
        times = np.rint(weights * len(shared)).astype(int)
        drawn = np.repeat(list(shared), times)  # the queries' names sort as they stand
        mine = ours[drawn][:, columns].mean(axis=0)
        other = theirs[drawn - 2][:, columns].mean(axis=0)
        reference = [ranks[one] for one in systems] if fixed else other
        taus.append(kendalltau(np.round(mine, 9), np.round(reference, 9)).statistic)
    expected = np.nanpercentile(taus, [2.5, 97.5])
    found = tau_interval(
        *(matrices[0], ranks if fixed else matrices[1], systems),
        resamples=200,
        seed=3,
    )
    assert found is not None
    assert (found.low, found.high) == pytest.approx(expected)
