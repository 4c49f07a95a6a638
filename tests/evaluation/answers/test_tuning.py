import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.errors import EvaluationError
from curator.evaluation.answers.tuning import cut_points, tuned_threshold


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
    assert error_at(found.threshold, top_scores, right) == least
    assert found.rmse == pytest.approx((least / systems) ** 0.5 / questions)
    assert 0 <= found.threshold <= 1
    if error_at(0.5, top_scores, right) == least:
        assert found.threshold == 0.5


def test_the_cut_that_counts_as_gold_does_is_taken():
    # by hand: none of the first and one of the second is right from .6 to .9
    found = tuned_threshold(
        {"one": [0.1, 0.2], "two": [0.6, 0.9]}, {"one": 0, "two": 1}
    )
    assert found.threshold == pytest.approx(0.75)
    assert found.rmse == 0


def test_of_equally_good_cuts_the_nearest_to_a_half_is_taken():
    # by hand: below .3 the second has one too many, from .3 the first one too few
    found = tuned_threshold(
        {"one": [0.3, 0.4], "two": [0.3, 0.4]}, {"one": 2, "two": 1}
    )
    assert found.threshold == pytest.approx(0.35)
    assert found.rmse == pytest.approx((1 / 2) ** 0.5 / 2)


def test_every_way_to_cut_is_tried_and_both_ends():
    # by hand: half-way to 0, between, half-way to 1, and the half itself
    assert cut_points(np.array([0.2, 0.6])).tolist() == pytest.approx(
        [0.1, 0.4, 0.5, 0.8]
    )
    assert cut_points(np.array([0.0, 1.0])).tolist() == pytest.approx([0.5, 1.0])


def test_neighbouring_numbers_can_be_told_apart():
    low = 0.6
    high = np.nextafter(low, 1.0)
    found = tuned_threshold({"s": [low, high]}, {"s": 1})
    assert found.rmse == 0
    assert low <= found.threshold < high


@pytest.mark.parametrize("top_scores", [{}, {"s": []}])
def test_there_is_nothing_to_tune_on_without_systems_or_questions(top_scores):
    with pytest.raises(EvaluationError, match="runs"):
        tuned_threshold(top_scores, {"s": 0})
