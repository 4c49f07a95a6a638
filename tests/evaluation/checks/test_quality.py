"""What checks say of a grader's labels: by hand, against scipy, and over many draws."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from curator.evaluation.checks.quality import (
    CheckedLabels,
    Interval,
    best_threshold,
    clopper_pearson_upper,
    draw_weights,
    jeffreys,
)


def checked(pairs, rows, *, drawn=True):
    """Checks of (label, yes, weight)."""
    labels, yes, weight = zip(*rows, strict=True) if rows else ((), (), ())
    return CheckedLabels(
        np.array(labels, dtype=float),
        np.array(yes, dtype=bool),
        np.array(weight, dtype=float),
        pairs,
        drawn,
    )


SIMPLE = [
    *[(0, yes, 20.0) for yes in (1, 0, 0, 0)],
    *[(5, yes, 4.0) for yes in (1, 1, 1, 1, 0)],
]


def test_a_threshold_by_hand():
    found = checked({0: 80, 5: 20}, SIMPLE).at(4)
    assert found.precision.share == pytest.approx(4 / 5)
    # people say yes to a quarter of 80 and to four fifths of 20: 20 missed, 16 found
    assert found.recall.share == pytest.approx(16 / 36)
    # 4 labels yes and 20 labels no are contradicted
    assert found.wrong == pytest.approx(24 / 100)
    # Σw = 100, Σw² = 4 · 20² + 5 · 4²
    assert found.effective == pytest.approx(100**2 / 1680)
    assert found.upper == pytest.approx(
        stats.beta.ppf(0.95, 0.24 * 10000 / 1680 + 1, 0.76 * 10000 / 1680)
    )
    # agreement .76; by chance .2 · .36 + .8 · .64 = .584
    assert found.kappa == pytest.approx((0.76 - 0.584) / (1 - 0.584))


def test_the_limits_of_one_label_are_jeffreys_and_of_recall_those_of_a_ratio():
    found = checked({0: 80, 5: 20}, SIMPLE).at(4)
    low, high = stats.beta.ppf([0.025, 0.975], 4.5, 1.5)
    assert found.precision.interval.low == pytest.approx(low)
    assert found.precision.interval.high == pytest.approx(high)
    a, a_low, a_high = 16, 20 * low, 20 * high
    b = 20
    b_low, b_high = 80 * stats.beta.ppf([0.025, 0.975], 1.5, 3.5)
    # the limits of b / a as Donner & Zou 2012 write them
    least = a * b - np.sqrt(
        (a * b) ** 2 - b_low * (2 * b - b_low) * a_high * (2 * a - a_high)
    )
    least /= a_high * (2 * a - a_high)
    most = a * b + np.sqrt(
        (a * b) ** 2 - a_low * (2 * a - a_low) * b_high * (2 * b - b_high)
    )
    most /= a_low * (2 * a - a_low)
    assert found.recall.interval.low == pytest.approx(1 / (1 + most))
    assert found.recall.interval.high == pytest.approx(1 / (1 + least))


def test_a_label_without_a_check_goes_with_the_nearest_on_its_side():
    pairs = {0: 50, 1: 20, 2: 10, 3: 10, 4: 10}
    rows = [(0, False, 1), (2, True, 1), (3, True, 1), (3, False, 1)]
    of = checked(pairs, rows)
    # from 3 on: 4 goes with 3, half right; 1 goes with the lower one, 0
    assert of.at(3).precision.share == 0.5
    assert of.at(3).wrong == pytest.approx((10 + 10) / 100)
    assert [one.checks for one in of.by_label()] == [1, 0, 1, 2, 0]
    assert of.by_label()[1].right is None
    assert of.by_label()[3].right.share == 0.5


def test_all_labels_of_a_side_that_nobody_checked_count_as_wrong():
    of = checked({0: 90, 4: 7, 5: 3}, [(0, False, 1), (0, False, 1)])
    found = of.at(4)
    assert (found.precision, found.recall, found.kappa) == (None, None, None)
    assert found.wrong == pytest.approx(10 / 100)
    # no error in two checks: at most 1 − √.05 of the 90
    assert found.effective == pytest.approx(2)
    assert found.upper == pytest.approx((90 * (1 - 0.05**0.5) + 10) / 100)
    other = checked({0: 90, 5: 10}, [(5, True, 1)]).at(4)
    assert other.precision.share == 1
    assert (other.recall, other.kappa, other.wrong) == (None, None, 0.9)
    chosen = checked({0: 90, 5: 10}, [(5, True, 1)], drawn=False).at(4)
    assert (chosen.wrong, chosen.upper) == (None, None)


def test_the_threshold_that_fits_best_makes_fewest_labels_wrong():
    pairs = {0: 10, 1: 10, 2: 10}
    of = checked(pairs, [(0, False, 1), (1, True, 1), (2, True, 1)])
    assert best_threshold([of.at(1), of.at(2)]) == 1
    # 1 is half right: as many are wrong from 1 and from 2 on, but κ is ½ and ½
    even = checked(pairs, [(0, False, 1), (1, True, 1), (1, False, 1), (2, True, 1)])
    assert even.at(1).wrong == even.at(2).wrong == pytest.approx(5 / 30)
    assert best_threshold([even.at(2), even.at(1)]) == 1


def test_weights_of_two_draws_by_hand():
    nan = np.nan
    found = draw_weights(
        np.array([nan, 0.5, 0.25, nan, 0.5, nan]), np.array([0, 2, 2, 0, 1, 0])
    )
    # three drawn: 2 / .5 and 2 / .25 and one later, 1 / .5 and none later; those chosen
    # were known to three, to one, to none
    assert found == pytest.approx(
        np.array([3, 2 / 0.5 + 1, 2 / 0.25 + 1, 1, 1 / 0.5, 0]) / 3
    )
    assert draw_weights(np.array([nan, nan]), np.array([0, 0])).tolist() == [1, 1]
    assert draw_weights(np.zeros(0), np.zeros(0, dtype=int)).tolist() == []


def test_weights_hit_the_total_in_the_mean_over_all_orders():
    """Three of four drawn one after the other by size: every way, by its chance."""
    size, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 0.0, 1.0, 1.0])
    mean = 0.0
    for order in itertools.permutations(range(4), 3):
        p, left = [], size.sum()
        for one in order:
            p.append(size[one] / left)
            left -= size[one]
        weight = draw_weights(np.array(p), np.ones(3, dtype=int))
        mean += np.prod(p) * (weight @ y[list(order)])
    assert mean == pytest.approx(y.sum())


@given(
    st.integers(0, 60),
    st.floats(0.3, 500),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_bounds_and_limits_are_those_of_scipy(many, size, confidence):
    share = many / 60
    bound = clopper_pearson_upper(share, size, confidence)
    exact = stats.beta.ppf(confidence, size * share + 1, size * (1 - share))
    assert bound == pytest.approx(1.0 if many == 60 else exact, abs=1e-9)
    found = jeffreys(share, size, confidence)
    low, high = stats.beta.ppf(
        [(1 - confidence) / 2, (1 + confidence) / 2],
        size * share + 0.5,
        size * (1 - share) + 0.5,
    )
    assert found.low == pytest.approx(min(share, low) if many else 0, abs=1e-9)
    assert found.high == pytest.approx(max(share, high) if many < 60 else 1, abs=1e-9)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.booleans(), st.floats(1e-3, 1e3)), max_size=25
    ),
    st.lists(st.integers(0, 500), min_size=6, max_size=6),
    st.booleans(),
)
def test_whatever_was_checked_shares_lie_in_their_limits(rows, pairs, drawn):
    of = checked(dict(enumerate(pairs)), rows, drawn=drawn)
    for found in map(of.at, range(1, 6)):
        for one in (found.precision, found.recall):
            if one is not None:
                within = one.interval or Interval(one.share, one.share)
                assert 0 <= within.low <= one.share <= within.high <= 1
        if found.upper is not None:
            assert 0 <= found.wrong <= found.upper <= 1
            assert found.effective <= len(rows) * (1 + 1e-9)
        assert found.kappa is None or -1.0001 <= found.kappa <= 1.0001
