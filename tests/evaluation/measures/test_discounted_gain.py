from math import log2

import numpy as np
import pytest

from tests.samples.tiny_exams import graded_on, measure_named, scores_of

# Labels by hand, the best rating on any question: 5, 1, 3, 0.
RATINGS = [
    [5, 0, 3, 0],
    [0, 1, 2, None],
]
IDEAL_2 = 5 + 3 / log2(3)
IDEAL = IDEAL_2 + 1 / log2(4)


def test_ndcg_is_the_discounted_gain_over_that_of_the_ideal_order():
    graded = graded_on(RATINGS, [[0, 2, 1, 3], [3, 1, 0], [None, 0], []])
    expected = [
        1.0,
        (1 / log2(3) + 5 / log2(4)) / IDEAL,  # 0 at rank 1, 1 at 2, 5 at 3
        (5 / log2(3)) / IDEAL,  # an empty rank keeps its place
        0.0,
    ]
    assert scores_of(graded, "nDCG") == pytest.approx(expected, abs=1e-15)


def test_the_cut_off_cuts_the_ideal_too():
    graded = graded_on(RATINGS, [[2, 0, 1], [0]])
    expected = [(3 + 5 / log2(3)) / IDEAL_2, 5 / IDEAL_2]
    assert scores_of(graded, "nDCG@2") == pytest.approx(expected, abs=1e-15)


def test_the_bounds_of_ndcg_are_by_the_lowest_and_the_highest_labels():
    # By hand: p1 has 3 and p2 nothing, which may be 5; d is the discount of rank 2.
    d = 1 / np.log2(3)
    row = measure_named("nDCG@2").row(graded_on([[3, None]], [[0, 1], [1]]))
    assert row.score.tolist() == [1.0, 0.0]
    assert row.lower.tolist() == pytest.approx([3 / (5 + 3 * d), 0.0])
    assert row.upper.tolist() == [1.0, 1.0]
    complete = measure_named("nDCG@2").row(graded_on([[5, 1]], [[0]]))
    assert complete.lower is complete.upper is complete.score
