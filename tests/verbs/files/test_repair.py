"""``repair`` derives again what follows from the rest, and names what does not."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curator.bank.edits import Reword
from curator.bank.marks.vote import Vote
from curator.workspace import Workspace
from tests.samples.workspaces import FakeEncoder, dump, small_workspace


@pytest.fixture
def path(tmp_path):
    with small_workspace(tmp_path) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
        workspace.apply([Reword("q1/a", "Why so?"), Vote("q1/b", "vital")])
    return tmp_path / "small.db"


def damage_file(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute(statement).rowcount


DERIVED = {
    "imported ratings": "UPDATE rating_vector SET ratings = x'0505' "
    "WHERE query_id = 'q2' AND grader_id = 1",
    "a question": "UPDATE question SET state = 'retired' WHERE question_id = 'q1/a'",
    "a vote": "UPDATE mark SET value = '\"okay\"' WHERE kind = 'vote'",
    "a count of words": "UPDATE frequencies SET texts = 99",
    "an index": "DROP INDEX event_by_batch",
}


@pytest.mark.parametrize("damage", DERIVED)
def test_rows_that_follow_from_others_are_as_before_and_a_copy_is_kept(damage, path):
    before = dump(path)
    damage_file(path, DERIVED[damage])
    wrong = dump(path)
    with Workspace.open(path) as workspace:
        repaired = workspace.repair()
        assert repaired.mended
        assert repaired.remaining == workspace.verify().problems == ()
    assert {**dump(path), "clock": []} == {**before, "clock": []}
    assert dump(repaired.copy) == wrong


COMPUTED = {
    "a probability": "UPDATE rating_vector SET probability = CAST("
    "substr(probability, 1, 3) || x'00' || substr(probability, 5) AS BLOB) "
    "WHERE probability IS NOT NULL",
    "a vector": "UPDATE embedding SET vectors = zeroblob(length(vectors)) "
    "WHERE text_id = 1",
}


@pytest.mark.parametrize("damage", COMPUTED)
def test_ratings_that_a_grader_computes_are_removed_and_computed_again(damage, path):
    with Workspace.open(path) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
        board = workspace.leaderboard(grader="instant").scores()
    damage_file(path, COMPUTED[damage])
    with Workspace.open(path) as workspace:
        repaired = workspace.repair()
        assert "`curator grade` computes them again" in repaired.mended[0]
        assert repaired.remaining == ()
        workspace.grade("instant", encoder=FakeEncoder())
        assert workspace.leaderboard(grader="instant").scores() == board


def test_a_changed_text_is_named_and_left(path):
    damage_file(path, "UPDATE text SET body = body || '!' WHERE body = 'Text of p1.'")
    with Workspace.open(path) as workspace:
        problems = workspace.verify().problems
        repaired = workspace.repair()
        assert "is not the one that was stored" in problems[0]
        assert problems[0] in repaired.remaining
        assert not any("ratings" in sentence for sentence in repaired.mended)


def test_a_sound_workspace_is_left_alone(path):
    before = dump(path)
    with Workspace.open(path) as workspace:
        found = workspace.repair()
    assert (found.mended, found.remaining, found.copy) == ((), (), None)
    assert dump(path) == before
