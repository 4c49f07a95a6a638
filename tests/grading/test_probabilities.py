"""A grade that is a probability, and the one rating that follows from it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.ratings import NOT_ASKED, UNREADABLE, probabilities_of, ratings_of

SHARES = st.floats(0, 1, width=32)


def rating(probability: float) -> int:
    return int(ratings_of(np.array([probability]))[0])


@pytest.mark.parametrize(
    ("probability", "reached"),
    # by hand: the fifths that are not above it
    [(0, 0), (0.19, 0), (0.2, 1), (0.4, 2), (0.59, 2), (0.6, 3), (0.8, 4), (1.0, 5)],
)
def test_the_rating_is_how_many_fifths_the_probability_reaches(probability, reached):
    assert rating(probability) == reached


def test_what_is_unknown_stays_so():
    given = np.array([-1, -2, -0.3, 1])
    assert ratings_of(given).tolist() == [NOT_ASKED, UNREADABLE, NOT_ASKED, 5]
    assert probabilities_of(np.array([-1, -2, 4], dtype=np.int8)).tolist() == [
        *(NOT_ASKED, UNREADABLE),
        np.float32(0.8),
    ]


@given(SHARES, st.integers(0, 5))
def test_a_rating_and_a_label_of_five_times_it_are_one_decision(probability, minimum):
    label = 5 * np.float64(np.float32(probability))
    assert (rating(probability) >= minimum) == (label >= minimum)


@given(st.integers(0, 10**6))
def test_as_decimals_say_it(millionths):
    # floor(5 p) in whole numbers
    assert rating(millionths / 10**6) == 5 * millionths // 10**6
