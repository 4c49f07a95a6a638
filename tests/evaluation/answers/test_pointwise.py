import numpy as np
import pytest

from curator.evaluation.answers.pointwise import (
    Confusion,
    confusion_at,
    mean_over_references,
)


def test_an_answer_is_called_right_above_the_threshold_and_not_on_it():
    scores = np.array([0.9, 0.5, 0.6, 0.1, 0.51])
    found = confusion_at(scores, [True, True, False, False, True], threshold=0.5)
    assert found == Confusion(2, 1, 1, 1)


def test_precision_recall_and_f1():
    found = Confusion(6, 2, 3, 9)
    assert found.precision == 6 / 8
    assert found.recall == 6 / 9
    # by hand: 2 * .75 * .6667 / 1.4167
    assert found.f1 == pytest.approx(12 / 17)
    assert found.note == ""


def test_a_model_that_calls_nothing_right_has_no_precision_and_an_f1_of_0():
    found = Confusion(0, 0, 3, 5)
    assert found.precision is None
    assert found.recall == 0
    assert found.f1 == 0  # as Table 6 of the paper prints it
    assert "no precision" in found.note


def test_without_a_right_answer_there_is_no_recall():
    found = Confusion(0, 2, 0, 5)
    assert found.recall is None
    assert found.f1 == 0
    assert "no recall" in found.note
    assert Confusion(0, 0, 0, 5).f1 is None


def test_a_candidates_score_is_the_mean_over_its_references():
    scores = np.array([0.2, 0.4, 0.9])
    means = mean_over_references(scores, np.array([0, 0, 1]))
    assert means.tolist() == pytest.approx([0.3, 0.9])
