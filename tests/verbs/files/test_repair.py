"""``repair`` derives again what follows from the rest, and names what does not."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curator.bank.edits import Reword
from curator.bank.marks.vote import Vote
from curator.workspace import Workspace
from grading.errors import MissingModelError
from tests.samples.workspaces import FakeEncoder, dump, small_workspace


@pytest.fixture
def path(tmp_path):
    with small_workspace(tmp_path) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
        workspace.apply([Reword("q1/a", "Why so?"), Vote("q1/b", "vital")])
    return tmp_path / "small.db"


def damaged(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement).rowcount
        connection.commit()


DERIVED = {
    "imported ratings": "UPDATE rating_vector SET ratings = x'0505' "
    "WHERE query_id = 'q2' AND grader_id = 1",
    "ratings that are gone": "DELETE FROM rating_vector WHERE query_id = 'q2'",
    "a probability": "UPDATE rating_vector SET probability = CAST("
    "substr(probability, 1, 3) || x'00' || substr(probability, 5) AS BLOB) "
    "WHERE probability IS NOT NULL",
    "a question": "UPDATE question SET state = 'retired' WHERE question_id = 'q1/a'",
    "a question that is gone": "DELETE FROM question WHERE question_id = 'q1/a'",
    "a vote": "UPDATE mark SET value = '\"okay\"' WHERE kind = 'vote'",
    "a length": "UPDATE text SET letters = 77 WHERE text_id = 1",
    "a count of words": "UPDATE frequencies SET texts = 99",
    "a vector": "UPDATE embedding SET vectors = zeroblob(length(vectors)) "
    "WHERE text_id = 1",
    "an index": "DROP INDEX event_by_batch",
}


@pytest.mark.parametrize("damage", DERIVED)
def test_what_follows_from_the_rest_is_as_it_was_and_a_copy_is_kept(damage, path):
    before = dump(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(DERIVED[damage])
        connection.commit()
    wrong = dump(path)
    with Workspace.open(path) as workspace:
        found = workspace.repair(encoder=FakeEncoder())
        assert found.mended
        assert found.remaining == workspace.verify().problems == ()
    assert {**dump(path), "clock": []} == {**before, "clock": []}
    assert dump(found.copy) == wrong


LOST = {
    "a text": "UPDATE text SET body = body || '!' WHERE body = 'Text of p1.'",
    "a response": "UPDATE response SET raw = raw || '!', given_rating = 1",
    "a judgment": "UPDATE judgment SET grade = grade + 1",
    "a title": "UPDATE query SET title = 'x'",
    "who did it": "UPDATE batch SET by = 'x'",
}


@pytest.mark.parametrize("damage", LOST)
def test_what_follows_from_nothing_is_named_and_left(damage, path):
    damaged(path, LOST[damage])
    before = path.read_bytes()
    with Workspace.open(path) as workspace:
        found = workspace.repair(encoder=FakeEncoder())
        assert found.mended == ()
        assert found.remaining == workspace.verify().problems != ()
    assert found.copy is None
    assert not list(path.parent.glob("*.before-*"))
    assert before[: 2**10] == path.read_bytes()[: 2**10]


def test_a_vector_without_its_model_is_left(path, monkeypatch):
    damaged(path, DERIVED["a vector"])

    def missing(name):
        raise MissingModelError("no model")

    monkeypatch.setattr("grading.graders.embedding.EmbeddingModel", missing)
    with Workspace.open(path) as workspace:
        assert workspace.repair().remaining


def test_a_sound_workspace_is_left_alone(path):
    before = dump(path)
    with Workspace.open(path) as workspace:
        found = workspace.repair()
    assert (found.mended, found.remaining, found.copy) == ((), (), None)
    assert dump(path) == before
