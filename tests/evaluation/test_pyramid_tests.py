"""The bootstrap of pyramids: against a count of its own with scipy, and its laws."""

from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from curator.evaluation.comparison import drawn_queries
from curator.evaluation.pyramid_curves import (
    left_out_tests,
    pyramid_sizes,
    size_tests,
    vote_matrix_of,
)
from tests.samples.voted_exams import by_hand, voted_queries

JUDGES = ("ann", "bob", "cy")
SOME = st.lists(
    voted_queries(judges=JUDGES, full=True, systems=4, items=3, passages=3),
    min_size=2,
    max_size=4,
)


def matrix_of(queries):
    return vote_matrix_of(
        queries, threshold=4, depth=20, systems=len(queries[0].pool.top)
    )


def brute_force(matrix, subsets, judges, counts):
    """The mean tau of these pyramids with these judges' boards, of a sample."""
    taus = []
    for subset in subsets:
        board = counts @ matrix.scores([subset], 3.0)[0]
        for judge in judges:
            own = counts @ matrix.scores([[judge]], 3.0)[0]
            taus.append(kendalltau(board.round(9), own.round(9)).statistic)
    known = [one for one in taus if not np.isnan(one)]
    return fmean(known) if known else np.nan


def expected(matrix, sets, judges, drawn):
    """(difference, lower, upper, p) of the second list of sets less the first."""
    fewer, more = sets
    found = [
        brute_force(matrix, more, judges, one) - brute_force(matrix, fewer, judges, one)
        for one in (np.ones(drawn.shape[1]), *drawn)
    ]
    values = [0 if abs(one) < 1e-9 else one for one in found[1:] if not np.isnan(one)]
    lower, upper = np.percentile(values, [2.5, 97.5])
    side = min(sum(v <= 0 for v in values), sum(v >= 0 for v in values))
    return found[0], lower, upper, min(1, 2 * (side + 1) / (len(values) + 1))


@settings(max_examples=6, deadline=None)
@given(SOME)
def test_a_difference_is_that_of_every_sample_by_scipy(queries):
    matrix = matrix_of(queries)
    drawn = drawn_queries(len(queries), samples=20, seed=1)
    tests = size_tests(matrix, drawn, beta=3.0)
    assert [(one.judges, one.left_out) for one in tests] == [(2, None), (3, None)]
    (last,) = size_tests(matrix, drawn, beta=3.0, last=True)
    assert last == tests[1]
    pairs = list(combinations(range(3), 2))
    whole = [(0, 1, 2)]
    (without_ann, *_) = left_out_tests(matrix, drawn, beta=3.0, judges=range(3))
    assert (without_ann.judges, without_ann.left_out) == (3, "ann")
    for test, sets in ((last, (pairs, whole)), (without_ann, ([(1, 2)], whole))):
        tau = test.tau
        if tau.difference is None:
            continue
        ours = (tau.difference, tau.lower, tau.upper, tau.p)
        theirs = expected(matrix, sets, range(3), drawn)
        assert ours == pytest.approx(theirs, abs=1e-6)


@settings(max_examples=10, deadline=None)
@given(SOME)
def test_what_is_observed_is_the_step_of_the_curves(queries):
    matrix = matrix_of(queries)
    sizes = pyramid_sizes(matrix, beta=3.0)
    tests = size_tests(matrix, drawn_queries(len(queries), samples=3), beta=3.0)
    for test, fewer, more in zip(tests, sizes, sizes[1:], strict=False):
        if test.tau.difference is not None:
            assert test.tau.difference == pytest.approx(more.tau - fewer.tau, abs=1e-6)
        assert test.zero_medians.difference == pytest.approx(
            more.zero_medians - fewer.zero_medians
        )


def test_judges_who_vote_alike_make_no_difference():
    twins = [by_hand(((("ann", "vital"), ("bob", "vital")), (), ()))] * 3
    (test,) = size_tests(matrix_of(twins), drawn_queries(3, samples=9), beta=3.0)
    # by hand: pyramids of one and of both are the same board in every sample
    assert (test.tau.difference, test.tau.lower, test.tau.upper) == (0, 0, 0)
    assert (test.tau.p, test.tau.samples) == (1, 9)
