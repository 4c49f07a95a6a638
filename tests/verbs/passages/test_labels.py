"""Labels, ratings and runs leave as the dictionaries that other tools take."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest

from curator import Workspace
from curator.bank.edits import Add, Retire
from curator.errors import EvaluationError, UnknownNameError


@pytest.fixture
def opened(hand_made: Path):
    """q1 has p1, rated 5 on a and 4 on b, and p2, rated 5 on c; q2 has p3, rated 0."""
    with Workspace.open(hand_made, judge="ann") as workspace:
        yield workspace


def test_a_label_is_the_highest_rating(opened):
    assert opened.labels() == {"q1": {"p1": 5, "p2": 5}, "q2": {"p3": 0}}
    assert opened.labels(query_id="q2") == {"q2": {"p3": 0}}
    assert opened.qrels() == opened.labels()
    assert opened.qrels(binary=True) == {"q1": {"p1": 1, "p2": 1}, "q2": {"p3": 0}}


def test_ratings_are_by_question_and_passage(opened):
    assert opened.ratings("q1") == {
        "q1/a": {"p1": 5, "p2": 0},
        "q1/b": {"p1": 4, "p2": 0},
        "q1/c": {"p1": 0, "p2": 5},
    }
    with pytest.raises(UnknownNameError):
        opened.ratings("q7")


def test_judgments_and_runs_are_what_was_imported(opened):
    assert opened.judgments() == {"q1": {"p1": 2, "p2": 0}}  # nobody judged p3
    assert opened.runs() == {
        "one": {"q1": {"p1": -1.0}, "q2": {"p3": -1.0}},
        "two": {"q1": {"p2": -1.0}, "q2": {"p3": -1.0}},
    }


def test_a_new_question_has_no_ratings_and_leaves_labels_to_the_others(opened):
    opened.apply(Add("q2", "What is new?"))
    (new,) = [one for one in opened.bank() if one.text == "What is new?"]
    assert opened.ratings("q2") == {"q2/d": {"p3": 0}, new.question_id: {"p3": None}}
    assert opened.labels()["q2"] == {"p3": 0}
    with pytest.raises(EvaluationError, match="1 of 8 grades is missing"):
        opened.qrels()
    assert opened.qrels(allow_partial=True)["q2"] == {"p3": 0}


@pytest.mark.parametrize("name", ["P@10", "nDCG@10", "AP", "RR", "Success@5"])
def test_ir_measures_makes_the_board_of_qrels_and_runs(built_demo: Path, name: str):
    """The demo's rankings have gaps and end at different ranks."""
    with Workspace.open(built_demo) as workspace:
        board = workspace.leaderboard(name).scores()
        qrels, runs = workspace.qrels(), workspace.runs()
    measure = ir_measures.parse_measure(name)
    if "rel" in measure.SUPPORTED_PARAMS:
        measure = measure(rel=4)
    for system, run in runs.items():
        found = ir_measures.calc_aggregate([measure], qrels, run)[measure]
        assert found == pytest.approx(board[system], abs=1e-12)


def test_a_label_by_two_items_is_the_second_highest_rating(opened):
    # By hand: p1 has 5, 4, 0 and p2 5, 0, 0; q2 has one question, so nothing there.
    by_two = {"q1": {"p1": 4, "p2": 0}, "q2": {"p3": 0}}
    assert opened.labels(min_answered=2) == by_two
    assert opened.qrels(min_answered=2) == by_two
    assert opened.qrels(min_answered=2, binary=True)["q1"] == {"p1": 1, "p2": 0}
    assert [one.label for one in opened.pool("q1", min_answered=2)] == [4, 0]
    # Without b, one question is left that p1 answers: of two it takes, 5 and 0 remain.
    (fell,) = opened.impact([Retire("q1/b")], min_answered=2).labels
    assert (fell.passage_id, fell.before, fell.after) == ("p1", 4, 0)
