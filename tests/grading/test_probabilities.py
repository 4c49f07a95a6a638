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
    ("probability", "nearest"),
    # by hand: the nearest of 0, .2, .4, .6, .8, 1, the higher one where two are
    [(0, 0), (0.09, 0), (0.1, 1), (0.3, 2), (0.49, 2), (0.5, 3), (0.7, 4), (0.9, 5)],
)
def test_the_rating_is_the_nearest_of_0_to_5(probability, nearest):
    assert rating(probability) == nearest


def test_what_is_unknown_stays_so():
    given = np.array([-1, -2, -0.3, 1])
    assert ratings_of(given).tolist() == [NOT_ASKED, UNREADABLE, NOT_ASKED, 5]
    assert probabilities_of(np.array([-1, -2, 4], dtype=np.int8)).tolist() == [
        *(NOT_ASKED, UNREADABLE),
        np.float32(0.8),
    ]


@given(SHARES, SHARES)
def test_a_higher_probability_has_no_lower_rating(one, other):
    low, high = sorted((one, other))
    assert 0 <= rating(low) <= rating(high) <= 5


@given(st.integers(0, 10**6))
def test_as_decimals_say_it(millionths):
    # floor(5 p + 1/2) in whole numbers
    assert rating(millionths / 10**6) == (10 * millionths + 10**6) // (2 * 10**6)


def test_ratings_are_their_own_nearest():
    ratings = np.arange(6, dtype=np.int8)
    assert ratings_of(probabilities_of(ratings)).tolist() == ratings.tolist()
