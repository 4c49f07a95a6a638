"""What is missing before a bank goes out, counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add, Done, Propose, Vote
from curator.store.connection import open_workspace, write_transaction
from curator.store.grades import write_ratings
from curator.verbs.releases import Readiness
from curator.workspace import Workspace
from grading.ratings import UNREADABLE
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two queries: q1 with a, b, c over p1 and p2, q2 with d over p3."""
    return hand_made_workspace(tmp_path / "made")


def lacks(found: Readiness, name: str) -> dict[str, int]:
    """How many are missing, by query."""
    return dict(getattr(found, name))


def test_nothing_is_missing_where_every_pair_is_graded(path: Path) -> None:
    with Workspace.open(path, judge="ann") as workspace:
        assert workspace.readiness(None).not_done == ()
        found = workspace.readiness(workspace.settings())
        workspace.apply(Done("q2"))
        marked = workspace.readiness(None)
    assert (marked.marks_done, marked.not_done) == (True, ("q1",))
    # By hand: 3 questions x 2 passages and 1 x 1.
    assert (found.needed, found.known, found.kept, found.queries) == (7, 7, 4, 2)
    assert found.complete
    assert not found.marks_done


def test_what_is_assigned_is_missing_until_every_judge_of_it_is_done(
    path: Path,
) -> None:
    with Workspace.open(path, judge="ann") as workspace:
        workspace.assign(["ann", "bo"], ["q1"])
        workspace.assign(["bo"], ["q2"], work="votes")
        workspace.apply([Done("q1"), Done("q2")])
        found = workspace.readiness(workspace.settings())
        left = (("curate", "q1", "bo"), ("votes", "q2", "bo"))
        assert (found.assigned, found.not_done, found.complete) == (left, (), False)
        workspace.apply([Done("q1"), Vote("q2/d", "vital")], by="bo")
        assert workspace.readiness(workspace.settings()).complete


def test_proposals_are_undecided_and_no_grade_is_missing_for_them(path: Path) -> None:
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply([Propose("q2", text, "{}") for text in ("What?", "Where?")])
        found = workspace.readiness(workspace.settings())
    assert lacks(found, "undecided") == {"q2": 2}
    assert (found.missing, found.proposals) == (0, 2)
    assert not found.complete


def test_an_unreadable_response_is_missing_apart_from_what_nobody_asked(
    path: Path,
) -> None:
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(Add("q2", "And when?"))
    connection = open_workspace(path)
    with write_transaction(connection):
        grader_id, item_id = connection.execute(
            "SELECT grader_id, item_id FROM rating_vector WHERE query_id = 'q2'"
        ).fetchone()
        write_ratings(connection, grader_id, "q2", {(item_id, 0): {0: UNREADABLE}})
    connection.close()
    with Workspace.open(path, judge="ann") as workspace:
        found = workspace.readiness(workspace.settings())
    # By hand: of q2's two questions over p3, d cannot be read and the new one is new.
    assert (found.needed, found.known, found.missing) == (8, 6, 2)
    assert lacks(found, "unreadable") == {"q2": 1}
    assert lacks(found, "ungraded") == {"q2": 1}


def test_what_a_judge_is_not_shown_yet_is_counted_and_not_told(path: Path) -> None:
    with Workspace.open(path, judge="ben") as workspace:
        workspace.set_up(human_first=1)
        workspace.apply([Vote("q1/a", "vital"), Propose("q1", "Hidden?", "{}")])
    with Workspace.open(path, judge="cleo", as_judge=True) as workspace:
        found = workspace.readiness(workspace.settings())
        assert (found.unseen, found.closed, found.undecided) == (1, 2, {})
    with Workspace.open(path, judge="cleo") as workspace:
        found = workspace.readiness(workspace.settings())
        assert (found.unseen, found.closed, found.proposals) == (0, 0, 1)
