"""Pyramids of 1, 2, … judges: averages over subsets, against brute force and scipy."""

from itertools import combinations
from statistics import fmean, median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from curator.evaluation.pyramid_curves import (
    chosen_subsets,
    pyramid_sizes,
    vote_matrix_of,
)
from tests.samples.tiny_exams import measure_named
from tests.samples.voted_exams import by_hand, voted_by, voted_queries

JUDGES = ("ann", "bob", "cy", "dee")


def sizes_of(queries, beta=3.0, **options):
    matrix = vote_matrix_of(
        queries, threshold=4, depth=20, systems=len(queries[0].pool.top)
    )
    return pyramid_sizes(matrix, beta=beta, **options)


def brute_force(queries, size: int, beta: float):
    """(mean tau, share of zero medians) by one measure a query and subset."""
    pyramid = measure_named(f"nugget-f(beta={beta:g})")
    taus, shares = [], []
    for subset in combinations(JUDGES, size):
        seen = [voted_by(query, subset) for query in queries]
        rows = [pyramid.row(query).score for query in seen]
        on = [r for q, r in zip(seen, rows, strict=True) if not pyramid.excludes(q)]
        shares.append(fmean(median(row.tolist()) == 0 for row in rows))
        for judge in JUDGES:
            own = measure_named(f"vital-f(judge={judge},beta={beta:g})")
            board = np.mean([own.row(query).score for query in queries], axis=0)
            if on:
                mine = np.mean(on, axis=0).round(9)
                taus.append(kendalltau(mine, board.round(9)).statistic)
    known = [tau for tau in taus if not np.isnan(tau)]
    return fmean(known) if known else None, fmean(shares)


@settings(max_examples=8)
@given(
    st.lists(
        voted_queries(judges=JUDGES, full=True, systems=4, items=3, passages=3),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from([3.0, 5.0]),
)
def test_a_size_is_the_mean_over_every_subset_of_judges(queries, beta):
    found = sizes_of(queries, beta)
    assert [(one.judges, one.subsets) for one in found] == [
        (1, 4), (2, 6), (3, 4), (4, 1)
    ]  # fmt: skip
    for one in found:
        tau, share = brute_force(queries, one.judges, beta)
        assert one.tau == (None if tau is None else pytest.approx(tau, abs=1e-9))
        assert one.zero_medians == pytest.approx(share, abs=1e-12)


def test_sizes_by_hand():
    # Boards: ann 30/31, 40/77, 20/39, 0 for systems three, two, one, four; bob three,
    # one, and two and four tied at 0. Of the six pairs bob ties one and turns one:
    # τ_b = (4 − 1) / √(6 · 5). The pyramid of both has bob's order with the tie
    # broken, three, one, two, four: τ_b 5/√30 with bob and (5 − 1)/6 with ann.
    # Medians: of ann (20/39 + 40/77)/2, of bob (0 + 20/21)/2, so none is 0.
    one, two = sizes_of([by_hand()])
    assert one.tau == pytest.approx((1 + 1 + 2 * 3 / 30**0.5) / 4)
    assert two.tau == pytest.approx((5 / 30**0.5 + 4 / 6) / 2)
    assert (one.zero_medians, two.zero_medians) == (0, 0)


def test_beyond_the_limit_subsets_are_drawn_and_all_different():
    drawn = chosen_subsets(12, 6, 50, np.random.default_rng(0))
    assert len(set(drawn)) == len(drawn) == 50
    assert all(len(set(one)) == 6 for one in drawn)
    again = chosen_subsets(12, 6, 50, np.random.default_rng(0))
    assert drawn == again
    assert chosen_subsets(4, 2, 6, np.random.default_rng(0)) == list(
        combinations(range(4), 2)
    )
