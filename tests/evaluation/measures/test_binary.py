import pytest

from tests.samples.tiny_exams import graded_on, scores_of

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
