"""Checks on answers: counts, systems, the error between labels, and thresholds."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.evaluation.answer_checking import (
    Confusion,
    accuracy,
    confusion_of,
    measure_agreement,
    system_measures,
    tuned_threshold,
)


def test_two_checks_are_counted_where_both_have_decided() -> None:
    first = [True, True, False, False, True, None]
    second = [True, False, True, False, None, False]
    found = confusion_of(first, second)
    # by hand: the last two are open to one of them
    assert found == Confusion(1, 1, 1, 1)
    assert found.answers == 4
    assert found.agreement == 0.5
    assert found.kappa == 0  # by hand: as often alike as by chance


def test_a_share_of_answers_needs_all_of_them_decided() -> None:
    assert accuracy([True, False, False]) == 1 / 3
    assert accuracy([True, None]) is None
    assert accuracy([]) is None


def test_counts_of_what_is_called_right_against_what_is() -> None:
    called, right = [True, False, True, False, True], [True, True, False, False, True]
    assert confusion_of(called, right) == Confusion(2, 1, 1, 1)  # by hand


def test_precision_recall_and_f1():
    found = Confusion(6, 2, 3, 9)
    assert found.precision == 6 / 8
    assert found.recall == 6 / 9
    # by hand: 2 * .75 * .6667 / 1.4167
    assert found.f1 == pytest.approx(12 / 17)


LABELS = {
    "q1": {"a": True, "b": False, "c": True},
    "q2": {"a": False, "b": True},
}


def test_measures_of_a_ranking():
    found = system_measures({"q1": ("a", "b", "c"), "q2": ("a", "b")}, LABELS)
    assert found["P@1"] == 1 / 2
    # by hand: q1 (1/1 + 2/3) / 2, q2 1/2
    assert found["MAP"] == pytest.approx((5 / 6 + 1 / 2) / 2)
    assert found["MRR"] == pytest.approx((1 + 1 / 2) / 2)


def test_a_gap_and_an_unknown_candidate_keep_their_ranks():
    found = system_measures({"q1": (None, "other", "c"), "q2": ("b", "a")}, LABELS)
    assert found["P@1"] == 1 / 2
    # by hand: q1's c stands third, and of two right ones; q2's b first
    assert found["MAP"] == pytest.approx((1 / 3 / 2 + 1) / 2)
    assert found["MRR"] == pytest.approx((1 / 3 + 1) / 2)


def test_rmse_and_the_spread_of_the_absolute_error():
    found = measure_agreement("P@1", [0.5, 0.4, 0.9], [0.4, 0.6, 0.9])
    # by hand: errors .1, -.2, 0
    assert found.rmse == pytest.approx(math.sqrt((0.01 + 0.04 + 0) / 3))
    # by hand: |errors| .1, .2, 0, mean .1; mean square .05 / 3 less .01
    assert found.sigma == pytest.approx(math.sqrt(0.05 / 3 - 0.01))
    # by hand: gold orders 2 1 3, the model 1 2 3 of them: two of three pairs agree
    assert found.kendall == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("model", "gold", "said"),
    [
        ([0.5], [0.4], "two or more systems"),
        ([0.5, 0.5], [0.4, 0.6], "tie under the model"),
        ([0.5, 0.6], [0.4, 0.4], "tie under the gold labels"),
    ],
)
def test_without_an_order_there_is_no_tau_but_an_error(model, gold, said):
    found = measure_agreement("P@1", model, gold)
    assert found.kendall is None
    assert found.p is None
    assert said in found.note
    assert found.rmse is not None


def error_at(threshold, top_scores, right):
    """The squared error of P@1, summed over systems, as counts."""
    return sum(
        (sum(one is not None and one > threshold for one in scores) - right[system])
        ** 2
        for system, scores in top_scores.items()
    )


SCORE = st.one_of(st.none(), st.integers(0, 20).map(lambda n: n / 20))


@settings(max_examples=40, deadline=None)
@given(data=st.data(), questions=st.integers(1, 6), systems=st.integers(1, 4))
def test_no_threshold_has_a_smaller_error_and_none_as_good_is_a_better_cut(
    data, questions, systems
):
    names = [f"s{i}" for i in range(systems)]
    top_scores = {
        name: data.draw(st.lists(SCORE, min_size=questions, max_size=questions))
        for name in names
    }
    right = {name: data.draw(st.integers(0, questions)) for name in names}
    found = tuned_threshold(top_scores, right)
    # Scores are twentieths: every cut of them is one of the fortieths.
    every = [n / 40 for n in range(41)]
    least = min(error_at(one, top_scores, right) for one in every)
    assert error_at(found, top_scores, right) == least
    assert 0 <= found <= 1
    if error_at(0.5, top_scores, right) == least:
        assert found == 0.5


def test_of_equally_good_cuts_the_nearest_to_a_half_is_taken():
    # by hand: below .3 the second has one too many, from .3 the first one too few
    found = tuned_threshold(
        {"one": [0.3, 0.4], "two": [0.3, 0.4]}, {"one": 2, "two": 1}
    )
    assert found == pytest.approx(0.35)


def test_table_9_of_vu_moschitti_2020_comes_out_of_its_systems():
    ads = [0.218, 0.282, 0.234, 0.379, 0.309, 0.315, 0.261, 0.319]
    ava = [0.215, 0.278, 0.220, 0.369, 0.285, 0.294, 0.283, 0.355]
    found = measure_agreement("P@1", ava, ads)
    # three decimals are printed, so each error may be off by .001
    assert found.kendall == pytest.approx(0.929, abs=0.0005)
    assert found.p == pytest.approx(0.0004, abs=0.00005)
    assert found.rmse == pytest.approx(0.0198, abs=0.0015)
    # Printed .012, which is no standard deviation of these errors.
    assert found.sigma == pytest.approx(0.0104, abs=0.00005)
