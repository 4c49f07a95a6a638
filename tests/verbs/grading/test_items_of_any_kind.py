"""A grader of any kind of items is asked about questions and nuggets alike."""

from __future__ import annotations

import pytest

from curator.bank.edits import Add, Reword
from curator.snapshot.gradebook import GraderRecord
from curator.store.connection import open_workspace
from curator.verbs.grading.resolve_grader import register_grader
from curator.workspace import Workspace
from grading.errors import UnknownGraderError
from grading.graders import embedding
from tests.samples.workspaces import FakeEncoder

FACT = "It is a fact."


def added(workspace: Workspace, query_id: str, text: str) -> str:
    """The id of a nugget that is added to the query."""
    before = {one.question_id for one in workspace.bank()}
    workspace.apply(Add(query_id, text, "nugget"))
    (new,) = {one.question_id for one in workspace.bank()} - before
    return new


@pytest.fixture
def both(workspace):
    """q1 has two questions and a nugget on 3 passages, q2 a question on 2."""
    added(workspace, "q1", FACT)
    workspace.grade("embedding", encoder=FakeEncoder())
    return workspace


def test_its_board_rests_on_all_kept_items(both):
    board = both.leaderboard(grader="embedding")
    # by hand: (2 questions + 1 nugget) x 3 passages and 1 question x 2
    assert (board.known, board.needed) == (11, 11)
    assert [one.item_kind for one in both.graders() if one.name == "embedding"] == [
        "any"
    ]
    by_questions = both.leaderboard(grader="fake-llm/Rated")
    assert by_questions.needed == 8


def test_what_a_nugget_would_do_is_what_it_does(both):
    settings = both.settings(grader="embedding", measure="cover")
    for edit in (
        Add("q2", "Another fact.", "nugget"),
        Reword(next(q for q in both.bank() if q.text == FACT).question_id, "No fact."),
    ):
        told = both.impact([edit], settings=settings, encoder=FakeEncoder())
        both.apply(edit)
        both.grade("embedding", encoder=FakeEncoder())
        assert told.boards[1].scores() == both.leaderboard(settings).scores()


def test_one_that_a_workspace_had_before_goes_on_with_questions(workspace):
    stored = embedding.spec(reading=embedding.READINGS[-1])
    connection = open_workspace(workspace.path)
    register_grader(connection, GraderRecord(0, stored))
    connection.close()
    added(workspace, "q1", FACT)
    done = workspace.grade("embedding", encoder=FakeEncoder())
    assert (done.asked, done.nuggets) == (8, 1)
    assert "'embedding (2)'" in str(done)
    before = workspace.leaderboard(grader="embedding").scores()
    with pytest.raises(UnknownGraderError):
        workspace.grade("embedding (3)", encoder=FakeEncoder())
    beside = workspace.grade("embedding (2)", encoder=FakeEncoder())
    assert (beside.grader, beside.asked, beside.nuggets) == ("embedding (2)", 11, 0)
    assert workspace.leaderboard(grader="embedding").scores() == before
    assert workspace.leaderboard(grader="embedding (2)").known == 11
    assert workspace.grade("embedding (2)", encoder=FakeEncoder()).asked == 0
    agreed = workspace.grade("both:embedding+embedding (2)", encoder=FakeEncoder())
    assert [g.item_kind for g in workspace.graders() if g.name == agreed.grader] == [
        "question"
    ]
