import pytest

from curator.evaluation.answers.systems import SystemMeasures, system_measures

LABELS = {
    "q1": {"a": True, "b": False, "c": True},
    "q2": {"a": False, "b": True},
}


def test_measures_of_a_ranking():
    found = system_measures({"q1": ("a", "b", "c"), "q2": ("a", "b")}, LABELS)
    assert found.p_at_1 == 1 / 2
    # by hand: q1 (1/1 + 2/3) / 2, q2 1/2
    assert found.map == pytest.approx((5 / 6 + 1 / 2) / 2)
    assert found.mrr == pytest.approx((1 + 1 / 2) / 2)


def test_a_question_that_was_skipped_counts_0():
    found = system_measures({"q1": ("a", "c", "b")}, LABELS)
    assert found == SystemMeasures(0.5, 0.5, 0.5)


def test_a_gap_and_an_unknown_candidate_keep_their_ranks():
    found = system_measures({"q1": (None, "other", "c"), "q2": ("b", "a")}, LABELS)
    assert found.p_at_1 == 1 / 2
    # by hand: q1's c stands third, and of two right ones; q2's b first
    assert found.map == pytest.approx((1 / 3 / 2 + 1) / 2)
    assert found.mrr == pytest.approx((1 / 3 + 1) / 2)


def test_a_candidate_called_like_a_placeholder_is_a_candidate():
    labels = {"q": {"empty-1": True, "x": False}}
    assert system_measures({"q": (None, "x", "empty-1")}, labels).mrr == 1 / 3


def test_a_question_without_a_right_answer_counts_0():
    labels = {"q1": {"a": True, "b": False}, "q2": {"a": False, "b": False}}
    found = system_measures({"q1": ("a", "b"), "q2": ("b", "a")}, labels)
    assert found == SystemMeasures(0.5, 0.5, 0.5)


def test_given_ranks_count_and_not_the_ids():
    labels = {"q": {"z": True, "a": False}}
    assert system_measures({"q": ("a", "z")}, labels).p_at_1 == 0
    assert system_measures({"q": ("z", "a")}, labels).p_at_1 == 1


def test_a_system_with_one_answer_a_question_has_accuracy_alone():
    found = system_measures({"q1": ("c",), "q2": ("a",)}, LABELS)
    assert found == SystemMeasures(0.5, None, None)


def test_a_system_that_answers_nothing_scores_0():
    assert system_measures({"q1": ()}, LABELS).p_at_1 == 0
