import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.evaluation.grades import (
    NO_LABEL,
    graded_labels,
    labels_without_each,
    open_labels,
)
from curator.evaluation.settings import LabelRule
from tests.evaluation.test_bounds_hold_every_completion import completions
from tests.samples.tiny_exams import graded_on, graded_queries, without_item

# Passage 3 has one unknown grade, passage 4 only unknown ones.
RATINGS = [
    [5, 0, 3, 0, None],
    [0, 1, 3, None, None],
]


def by_n(items):
    """The rating of this place from the top."""
    return LabelRule(min_answered=items)


def test_a_label_is_the_highest_known_rating():
    assert graded_labels(graded_on(RATINGS, [])).tolist() == [5, 1, 3, 0, NO_LABEL]


def test_an_unreadable_answer_gives_no_label_either():
    assert graded_labels(graded_on([[-2, -2], [-1, 0]], [])).tolist() == [NO_LABEL, 0]


def test_a_query_without_items_has_no_labels_and_not_zeros():
    empty = graded_on([], [[0]], size=2)
    assert graded_labels(empty).tolist() == [NO_LABEL, NO_LABEL]
    assert labels_without_each(empty).shape == (0, 2)


def test_labels_without_an_item_are_the_best_of_the_others():
    # by hand, from RATINGS: without the first item, then without the second
    assert labels_without_each(graded_on(RATINGS, [])).tolist() == [
        [0, 1, 3, NO_LABEL, NO_LABEL],
        [5, 0, 3, 0, NO_LABEL],
    ]


def test_without_its_only_item_a_query_has_no_labels():
    assert labels_without_each(graded_on([[5, 0]], [])).tolist() == [[NO_LABEL] * 2]


@given(graded_queries())
def test_labels_without_each_item_are_those_of_a_bank_without_it(graded):
    without = labels_without_each(graded)
    for item in range(len(graded.item_ids)):
        expected = graded_labels(without_item(graded, item))
        assert without[item].tolist() == expected.tolist()


@given(graded_queries())
def test_a_label_never_falls_when_a_question_is_added(graded):
    before = graded_labels(graded)
    for item in range(len(graded.item_ids)):
        assert (graded_labels(without_item(graded, item)) <= before).all()


def test_labels_are_small_whole_numbers():
    assert graded_labels(graded_on(RATINGS, [])).dtype == np.int8
    assert labels_without_each(graded_on(RATINGS, [])).dtype == np.int8


def test_a_label_is_open_where_a_missing_grade_could_raise_it():
    # by hand: passages 3 and 4 lack grades; a 5 cannot rise, whatever is missing
    assert open_labels(graded_on([*RATINGS, [None, 0, 0, 0, 0]], [])).tolist() == [
        *(False, False, False, True, True),
    ]


@given(graded_queries(items=3, passages=2, unknowns=2))
def test_a_label_is_open_where_completions_differ_from_it(graded):
    label = graded_labels(graded)
    others = [graded_labels(one) != label for one in completions(graded)]
    assert open_labels(graded).tolist() == np.any(others, axis=0).tolist()


# By hand, down the columns of RATINGS: the second of 5, 0; of 0, 1; of 3, 3; then what
# is missing counts as not answered, and nothing known is no label.
@pytest.mark.parametrize(
    ("min_answered", "labels"),
    [
        (1, [5, 1, 3, 0, NO_LABEL]),
        (2, [0, 0, 3, 0, NO_LABEL]),
        (3, [0, 0, 0, 0, NO_LABEL]),  # there are two items
    ],
)
def test_a_label_by_n_items_is_the_rating_of_that_place(min_answered, labels):
    found = graded_labels(graded_on(RATINGS, []), by_n(min_answered))
    assert (found.tolist(), found.dtype) == (labels, np.int8)


@given(graded_queries(), st.integers(1, 4), st.integers(1, 5))
def test_a_label_reaches_a_rating_where_n_items_do(graded, n, rating):
    known = (graded.ratings >= 0).any(axis=0)
    reached = (graded.ratings >= rating).sum(axis=0) >= n
    labels = graded_labels(graded, by_n(n))
    assert (labels >= rating).tolist() == reached.tolist()
    assert (labels >= 0).tolist() == known.tolist()


@given(graded_queries(), st.integers(2, 3))
def test_labels_by_n_items_without_each_are_those_of_a_bank_without_it(graded, n):
    without = labels_without_each(graded, by_n(n))
    assert without.shape == graded.ratings.shape
    for item in range(len(graded.item_ids)):
        expected = graded_labels(without_item(graded, item), by_n(n))
        assert without[item].tolist() == expected.tolist()


@given(graded_queries(items=3, passages=2, unknowns=2), st.integers(2, 3))
def test_a_label_by_n_items_is_open_where_completions_differ_from_it(graded, n):
    label = graded_labels(graded, by_n(n))
    others = [graded_labels(one, by_n(n)) != label for one in completions(graded)]
    assert open_labels(graded, by_n(n)).tolist() == np.any(others, axis=0).tolist()
