"""Two checks on the same answers, and systems by the answers they give first."""

from __future__ import annotations

import numpy as np
import pytest

from curator.evaluation.answers.checks import (
    NO_ANSWER,
    NOT_ASKED,
    RIGHT,
    UNKNOWN,
    WRONG,
    Decisions,
    accuracies,
    two_checks,
)


def decisions(*values: int) -> Decisions:
    return np.array(values, dtype=np.int8)


def test_two_checks_are_counted_where_both_have_decided() -> None:
    first = decisions(RIGHT, RIGHT, WRONG, WRONG, RIGHT, UNKNOWN)
    second = decisions(RIGHT, WRONG, RIGHT, WRONG, UNKNOWN, WRONG)
    found = two_checks(first, second)
    # by hand: the last two are open to one of them
    assert (found.both, found.only_first, found.only_second, found.neither) == (
        *(1, 1),
        *(1, 1),
    )
    assert found.answers == 4
    assert found.agreement == 0.5
    assert found.kappa == 0  # by hand: as often alike as by chance


def test_the_second_check_is_the_truth_for_precision_and_recall() -> None:
    first = decisions(RIGHT, RIGHT, WRONG, WRONG)
    second = decisions(RIGHT, RIGHT, RIGHT, WRONG)
    found = two_checks(first, second).found
    assert found.precision == 1  # by hand: 2 of 2
    assert found.recall == pytest.approx(2 / 3)


def test_without_a_common_answer_nothing_is_said() -> None:
    found = two_checks(decisions(UNKNOWN), decisions(RIGHT))
    assert found.answers == 0
    assert found.agreement is None
    assert found.kappa is None


def test_no_answer_is_wrong_and_a_passage_nobody_read_does_not_count() -> None:
    said = decisions(RIGHT, WRONG)
    firsts = [[0, 1, NO_ANSWER, NOT_ASKED], [0, 0, 0, 0], [NOT_ASKED] * 4]
    # by hand: 1 of the 3 that count; all; none to count
    assert accuracies(said, np.array(firsts, dtype=np.int32)) == (1 / 3, 1.0, None)


def test_an_answer_that_is_not_decided_on_leaves_no_accuracy() -> None:
    said = decisions(RIGHT, UNKNOWN)
    firsts = np.array([[0, 1], [0, NO_ANSWER]], dtype=np.int32)
    assert accuracies(said, firsts) == (None, 0.5)


def test_systems_without_questions_have_no_accuracy() -> None:
    assert accuracies(decisions(), np.zeros((2, 0), dtype=np.int32)) == (None, None)
