import numpy as np
import pytest

from tests.samples.tiny_exams import graded_on, measure_named, scores_of

# Two questions on four passages; at 4, passages 0 and 3 are relevant.
RATINGS = [
    [5, 0, 3, 0],
    [0, 1, 2, 4],
]
RANKINGS = [
    [0, 1, 2, 3],
    [1, 3],
    [None, None, 0],
    [1, 2],
    [],  # skipped the query
]


@pytest.mark.parametrize(
    ("name", "min_rating", "expected"),
    [
        # by hand: relevant among the first k, over k, empty ranks included
        ("P@1", 4, [1, 0, 0, 0, 0]),
        ("P@2", 4, [1 / 2, 1 / 2, 0, 0, 0]),
        ("P@4", 4, [2 / 4, 1 / 4, 1 / 4, 0, 0]),
        ("P@20", 4, [2 / 20, 1 / 20, 1 / 20, 0, 0]),
        # at 2 passage 2 is relevant too; rel in the name wins over min_rating
        ("P@4", 2, [3 / 4, 1 / 4, 1 / 4, 1 / 4, 0]),
        ("P(rel=2)@4", 4, [3 / 4, 1 / 4, 1 / 4, 1 / 4, 0]),
        ("Success@1", 4, [1, 0, 0, 0, 0]),
        ("Success@2", 4, [1, 1, 0, 0, 0]),
        ("Success@3", 4, [1, 1, 1, 0, 0]),
        # by hand: first relevant passage at ranks 1, 2, 3, none, none
        ("RR", 4, [1, 1 / 2, 1 / 3, 0, 0]),
        ("RR@2", 4, [1, 1 / 2, 0, 0, 0]),
        ("RR(rel=2)", 4, [1, 1 / 2, 1 / 3, 1 / 2, 0]),
    ],
)
def test_binary_measures_count_relevant_passages_at_their_ranks(
    name, min_rating, expected
):
    assert scores_of(graded_on(RATINGS, RANKINGS), name, min_rating) == expected


@pytest.mark.parametrize("name", ["P@2", "Success@2", "RR"])
def test_an_unknown_grade_opens_the_bounds_and_is_not_0(name):
    # by hand: nothing is known of passage 0, so rank 1 may be relevant or not
    row = measure_named(name).row(graded_on([[None, 5]], [[0, 1], [1]]))
    lower = {"P@2": [1 / 2, 1 / 2], "Success@2": [1, 1], "RR": [1 / 2, 1]}[name]
    upper = {"P@2": [1, 1 / 2], "Success@2": [1, 1], "RR": [1, 1]}[name]
    assert row.score.tolist() == row.lower.tolist() == lower
    assert row.upper.tolist() == upper


@pytest.mark.parametrize("name", ["P@1", "Success@1", "RR", "nDCG", "nDCG@3"])
def test_without_ranks_or_systems_there_is_nothing_to_count(name):
    assert scores_of(graded_on([[5, 0]], [[], []]), name) == [0.0, 0.0]
    assert scores_of(graded_on([[5, 0]], []), name) == []
    assert scores_of(graded_on([[]], [[None]], size=0), name) == [0.0]


@pytest.mark.parametrize("name", ["P@2", "Success@2", "RR", "nDCG", "nDCG@2", "cover"])
def test_the_only_item_of_a_query_has_no_board_without_it(name):
    # The query would leave the measure; a score of 0 would be made up.
    without = measure_named(name).without_each(graded_on([[5, 0]], [[0], [1]]))
    assert without.shape == (1, 2)
    assert np.isnan(without).all()
