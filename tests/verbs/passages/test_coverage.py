"""``coverage``: how many questions each passage answers.

By hand, in the hand-made workspace: of q1's three questions p1, judged relevant,
answers a (rated 5) and b (4), p2, judged not, answers c (5); p3 of q2, which nobody
judged, answers nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add, Retire
from curator.errors import EvaluationError
from curator.verbs.passages.coverage import CoverageCount, CoveredPassage
from curator.workspace import Workspace


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
