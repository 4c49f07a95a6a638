from math import log2

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


def test_gains_are_the_raw_labels_whatever_the_threshold():
    graded = graded_on(RATINGS, [[1, 2]])
    assert scores_of(graded, "nDCG@2", 5) == scores_of(graded, "nDCG@2", 1)


def test_a_query_without_a_positive_label_scores_0():
    assert scores_of(graded_on([[0, None]], [[0, 1]]), "nDCG") == [0.0]
    assert scores_of(graded_on([[None, None]], [[0, 1]]), "nDCG@1") == [0.0]


def test_ndcg_has_bounds_only_where_every_grade_is_there():
    # A missing grade can raise the ideal as well as the score.
    incomplete = measure_named("nDCG@2").row(graded_on(RATINGS, [[0]]))
    assert incomplete.lower is None
    assert incomplete.upper is None
    complete = measure_named("nDCG@2").row(graded_on([[5, 1]], [[0]]))
    assert complete.lower is complete.upper is complete.score
