"""Labels, ratings and runs as dictionaries, and how many questions passages answer.

In the hand-made workspace p1, judged relevant, answers a (rated 5) and b (4) of q1's
three questions, p2, judged not, answers c (5); p3 of q2 is unjudged and rated 0.
"""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest

from curator.bank.edits import Add, Retire
from curator.errors import EvaluationError, UnknownNameError
from curator.verbs.passages.labels import CoverageCount, CoveredPassage
from curator.workspace import Workspace


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


def counted(one: Workspace, *, query: str | None = None, **options: int) -> list[int]:
    return [line.passages for line in one.coverage(query, **options)]


def test_passages_are_counted_by_answers_and_judgment(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        found = workspace.coverage()
        assert list(found.passages) == [
            CoveredPassage("q1", "p1", 2, 3, 0, 2, True),
            CoveredPassage("q1", "p2", 1, 3, 0, 0, False),
            CoveredPassage("q2", "p3", 0, 1, 0, None, None),
        ]
        assert list(found) == [
            CoverageCount(0, relevant=0, not_relevant=0, unjudged=1, passages=1),
            CoverageCount(1, relevant=0, not_relevant=1, unjudged=0, passages=1),
            CoverageCount(2, relevant=1, not_relevant=0, unjudged=0, passages=1),
        ]
        assert (found.mean, found.queries) == (1, 2)
        assert found.passages.frame()["answered"].to_list() == [2, 1, 0]
        # at rating 5 p1 answers a alone; by hand as well
        assert counted(workspace, min_rating=5) == [1, 2]
        assert counted(workspace, query="q2") == [1]
        # from judgment 3 on neither of the two judged is relevant
        assert [one.not_relevant for one in workspace.coverage(min_relevance=3)] == [
            *(0, 1, 1)
        ]


def test_a_retired_question_is_answered_by_nobody(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.apply(Retire("q1/a"))
        assert counted(workspace, query="q1") == [0, 2]
        workspace.apply(Retire("q2/d"))  # and then q2 counts no longer
        assert workspace.coverage().queries == 1
        with pytest.raises(EvaluationError, match="No query has an active question"):
            workspace.coverage("q2")


def test_passages_without_grades_are_left_out(workspace: Workspace) -> None:
    # small_collection: p1 answers a, p2 a and b, p0 is ungraded
    found = workspace.coverage("q1")
    assert [one.answered for one in found.passages] == [1, 2, None]
    assert (counted(workspace, query="q1"), found.ungraded) == ([0, 1, 1], 1)
    workspace.apply(Add("q1", "Who else?"))
    found = workspace.coverage("q1")
    assert (counted(workspace, query="q1"), found.missing) == ([0, 1, 1], 2)
