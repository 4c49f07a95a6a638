"""A grader's values on a scale by their ranks, which any other grader's can share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from grading.errors import InvalidSpecError
from grading.ratings import KNOTS, mean_share, parse_scale, scale_of

RATINGS = st.lists(st.integers(0, 5), min_size=1, max_size=40)
SHARES = st.lists(st.floats(0, 1, width=32), min_size=1, max_size=KNOTS)


def ratings(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int8)


def shares(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def by_scipy(values: np.ndarray) -> np.ndarray:
    """Mid-ranks from 1 to n, brought to [0, 1]."""
    return (rankdata(values, method="average") - 0.5) / len(values)


def test_ratings_by_hand():
    scale = scale_of(ratings(0, 0, 3, -1, 5, -2))
    # by hand, of four known: 0 (0 + 1)/4, 1 and 2 2/4, 3 2.5/4, 4 3/4, 5 3.5/4
    assert scale.values == (0, 1, 2, 3, 4, 5)
    assert scale.shares == (0.25, 0.5, 0.5, 0.625, 0.75, 0.875)
    assert scale.transform(ratings(5, -1, 0, -2)).tolist() == [0.875, -1, 0.25, -2]


def test_a_mean_by_hand():
    scales = [scale_of(ratings(0, 0, 3, 5)), scale_of(shares(0.1, 0.2, 0.2, 0.9))]
    # by hand: .1 is .125, .2 is .5, .9 is .875, and .55 halfway between the last two
    found = mean_share(ratings(0, 5, 3, -1, 3), shares(0.1, 0.2, 0.55, 0.9), scales)
    assert found.dtype == np.float32
    assert found.tolist() == pytest.approx([0.1875, 0.6875, 0.65625, -1])


@given(RATINGS)
def test_ratings_have_the_ranks_of_scipy(values):
    given = ratings(*values)
    assert scale_of(given).transform(given) == pytest.approx(by_scipy(given), abs=1e-6)


@given(SHARES)
def test_probabilities_have_the_ranks_of_scipy(values):
    given = shares(*values)
    assert scale_of(given).transform(given) == pytest.approx(by_scipy(given), abs=1e-6)


@given(SHARES)
def test_a_higher_value_has_no_lower_share_and_all_lie_in_0_to_1(values):
    scale = scale_of(shares(*values))
    found = scale.transform(np.linspace(0, 1, 50, dtype=np.float32))
    assert (np.diff(found) >= 0).all()
    assert 0 <= found[0] <= found[-1] <= 1


@given(SHARES)
def test_a_scale_comes_back_from_its_text(values):
    scale = scale_of(shares(*values))
    assert parse_scale(scale.text) == scale


@pytest.mark.parametrize(
    "text",
    [*("", "7", "[]", "[[],[]]", "[[0],[0,1]]", "[[1,0],[0,1]]", "[[0,1],[1,0]]")],
)
def test_what_is_no_scale_is_refused_in_a_line(text):
    with pytest.raises(InvalidSpecError, match="expected rising values") as told:
        parse_scale(text)
    assert "\n" not in str(told.value)
