"""The first board: nDCG@10 of questions, Cover of nuggets; the best rating counts."""

from __future__ import annotations

from pathlib import Path

import ir_measures
import pytest

from curator.bank.edits import Add, Retire
from curator.errors import UnknownNameError
from curator.evaluation.measures.labels import Precision
from curator.evaluation.settings import Settings
from curator.workspace import Workspace
from tests.samples.command_line import json_of
from tests.samples.workspaces import FakeEncoder


@pytest.fixture
def workspace(hand_made: Path):
    with Workspace.open(hand_made) as workspace:
        yield workspace


def test_a_bank_of_nuggets_has_cover(workspace):
    kept = [question for question in workspace.bank() if question.state == "kept"]
    workspace.apply([Retire(question.question_id) for question in kept])
    workspace.apply(Add("q1", "Ploughing", kind="nugget"))
    workspace.grade("instant", encoder=FakeEncoder())
    assert workspace.settings("instant") == Settings("instant", "cover")
    # A grader of questions has nothing to do with nuggets.
    assert workspace.settings("fake").measure == "nDCG@10"
    workspace.apply([Add("q1", "What else?"), Add("q1", "And what then?")])
    assert workspace.settings("instant").measure == "nDCG@10"


def test_the_instant_grader_comes_first_once_it_has_graded_every_query(workspace):
    queries = [*workspace.collection().pools]
    for query_id in queries[:-1]:
        workspace.grade("instant", query_id=query_id, encoder=FakeEncoder())
    assert workspace.settings().grader == "fake-llm/Rated"
    workspace.grade("instant", encoder=FakeEncoder())
    first = Settings("instant", "nDCG@10", k=10)
    assert workspace.settings() == first
    assert workspace.leaderboard().settings == first
    workspace.apply(Add("q1", "What else?"))
    assert workspace.settings() == first
    shown = json_of("leaderboard", workspace.path)["settings"]
    assert shown["grader"] == "instant"
    assert shown.get("label", "max") == "max"


def test_a_measures_name_or_value_stands_in_the_place_of_settings(workspace):
    board = workspace.leaderboard("P@10")
    assert workspace.leaderboard(workspace.settings(measure="P@10")) == board
    assert workspace.leaderboard(measure=Precision("P@10", 4, 10)) == board
    assert workspace.leaderboard(ir_measures.P @ 10, min_rating=4) == board
    assert workspace.compare("P@10").boards == (board,)
    with pytest.raises(TypeError, match="two measures: P@10 and cover"):
        workspace.leaderboard("P@10", measure="cover")
    with pytest.raises(UnknownNameError, match="Did you mean nDCG"):
        workspace.scores("ndgc@10")
