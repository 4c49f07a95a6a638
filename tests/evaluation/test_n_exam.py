from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.errors import CuratorError
from curator.evaluation.n_exam import NExamUndefinedError, n_exam

NAN = math.nan


def test_n_exam_is_the_ratio_of_sums_not_the_mean_of_ratios():
    # by hand: (0.2 + 0.4) / (0.2 + 0.8) = 0.6; the mean of ratios would be 0.75
    result = n_exam([[0.2, 0.4]], [0.2, 0.8])
    assert result.scores.tolist() == pytest.approx([0.6])
    assert result.gold == pytest.approx(0.5)
    assert result.queries == 2


def test_queries_without_a_gold_article_leave_both_sums():
    # by hand: query 2 has no gold: (0.2 + 0.4) / (0.2 + 0.8)
    result = n_exam([[0.2, 1.0, 0.4]], [0.2, NAN, 0.8])
    assert result.scores.tolist() == pytest.approx([0.6])
    assert result.queries == 2


def test_the_standard_error_is_that_of_exam_over_mean_gold():
    # by hand: SD(0.2, 0.4) = 0.2/sqrt(2), SE = 0.1, over mean gold 0.5
    result = n_exam([[0.2, 0.4]], [0.2, 0.8])
    assert result.standard_errors.tolist() == pytest.approx([0.2])


def test_systems_within_their_own_error_of_gold_get_a_star():
    gold = [0.5, 0.5]
    exam = [
        [0.6, 0.6],  # above gold
        [0.5, 0.4],  # by hand: 0.45 >= 0.5 - SE 0.05, exactly within reach
        [0.48, 0.40],  # by hand: 0.44 < 0.5 - SE 0.04
        [0.4, 0.4],  # steady, and below
    ]
    assert n_exam(exam, gold).star.tolist() == [True, True, False, False]


def test_a_system_may_pass_the_gold_articles():
    assert n_exam([[0.9, 0.9]], [0.5, 0.4]).scores.tolist() == pytest.approx([2.0])


def test_one_query_has_a_score_but_no_standard_error():
    result = n_exam([[0.5], [0.4]], [0.5])
    assert result.scores.tolist() == pytest.approx([1.0, 0.8])
    assert result.standard_errors is None
    assert result.star.tolist() == [True, False]
    assert "no standard error" in result.note


@pytest.mark.parametrize(
    ("exam", "gold", "sentence"),
    [
        ([[0.5, 0.5]], [NAN, NAN], "no scored query has one"),
        (np.empty((1, 0)), [], "no scored query has one"),
        ([[0.5, 0.5]], [0.0, 0.0], "answer no question"),
        ([[0.5, 0.5]], [0.0, NAN], "answer no question"),
    ],
)
def test_gold_articles_that_are_missing_or_answer_nothing_are_an_error(
    exam, gold, sentence
):
    with pytest.raises(NExamUndefinedError, match=sentence) as error:
        n_exam(exam, gold)
    assert isinstance(error.value, CuratorError)


def test_a_board_without_systems_is_empty():
    assert n_exam(np.empty((0, 2)), [0.5, 0.5]).scores.tolist() == []


@pytest.mark.parametrize(
    ("exam", "gold"),
    [([[0.5, 0.5]], [0.5]), ([0.5, 0.5], [0.5, 0.5]), ([[NAN, 0.5]], [0.5, 0.5])],
)
def test_arrays_that_do_not_fit_together_are_a_bug(exam, gold):
    with pytest.raises(ValueError, match="EXAM"):
        n_exam(exam, gold)


@given(st.lists(st.integers(1, 20).map(lambda n: n / 20), min_size=1, max_size=20))
def test_the_gold_articles_themselves_score_one_with_a_star(gold):
    result = n_exam([gold], gold)
    assert result.scores.tolist() == pytest.approx([1.0])
    assert result.star.tolist() == [True]
