"""``verify`` derives everything again and names whatever is not as it was."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curator.bank.edits import Add, Retire, Reword
from curator.bank.marks.vote import Vote
from curator.workspace import Workspace
from tests.samples.workspaces import FakeEncoder, demo_workspace, dump, small_workspace


@pytest.fixture
def workspace(tmp_path):
    with small_workspace(tmp_path) as opened:
        opened.grade("embedding", encoder=FakeEncoder())
        yield opened


def test_a_healthy_workspace_has_no_problems(workspace):
    workspace.apply(Reword("q1/a", "Why so?"))
    workspace.apply([Retire("q2/c"), Add("q2", "Where?")])
    workspace.grade("embedding", encoder=FakeEncoder())
    workspace.undo("q2")
    found = workspace.verify()
    assert found.problems == ()
    # by hand: 5 passages, 3 questions, 2 that an edit brought
    assert found.texts == 5 + 3 + 2
    # by hand: 3 imported vectors, 3 of ours, and one each of the edits' texts
    assert found.vectors == 3 + 3 + 2


TAMPERING = {
    "a passage's text": (
        "UPDATE text SET body = body || '!' WHERE body = 'Text of p1.'",
        "the text 'Text of p1.!' is not the one that was stored",
    ),
    "an item's choices": (
        """UPDATE item SET choices = '[["A", "yes"]]' WHERE item_id = 1""",
        "question 'q1/a' is not the question that was stored",
    ),
    "an answer key": (
        "INSERT INTO answer_key VALUES (7, 'g1:nothing', '[\"yes\"]')",
        """the answer key '["yes"]' is not the one that was stored""",
    ),
    "an imported vector": (
        "UPDATE rating_vector SET ratings = x'0505' WHERE query_id = 'q2' "
        "AND grader_id = 1",
        "ratings of fake-llm/Rated for query q2, question 'q2/c' do not follow",
    ),
    "a response": (
        "UPDATE response SET given_rating = 3 WHERE given_rating = 5",
        "do not follow from what is stored",
    ),
    "a computed vector": (
        "UPDATE rating_vector SET ratings = x'050505', "
        "probability = x'0000803f0000803f0000803f' "  # 1.0, three times
        "WHERE query_id = 'q1' AND grader_id = 2",
        "embedding for query q1",
    ),
    "an embedding": (
        "UPDATE embedding SET vectors = (SELECT vectors FROM embedding LIMIT 1 "
        "OFFSET 1) WHERE text_id = (SELECT text_id FROM text "
        "WHERE body = 'When is it?')",
        "embedding for query q2",
    ),
}


@pytest.mark.parametrize("what", TAMPERING)
def test_what_was_tampered_with_is_named(workspace, what):
    sql, said = TAMPERING[what]
    workspace.connection.execute("PRAGMA foreign_keys = OFF")
    assert workspace.connection.execute(sql).rowcount > 0
    problems = workspace.verify().problems
    assert said in " ".join(problems)
    assert all("\n" not in problem for problem in problems)


def test_a_damaged_file_is_told_and_not_read_any_further(tmp_path, demo_folder):
    path = tmp_path / "demo.db"
    demo_workspace(path, demo_folder).close()
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        # Not a page that is read when the file is opened.
        select = "SELECT rootpage FROM sqlite_schema WHERE name = 'text'"
        (page,) = connection.execute(select).fetchone()
    with open(path, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with Workspace.open(path) as workspace:
        problems = workspace.verify().problems
    assert problems
    assert all(problem.startswith("SQLite: ") for problem in problems)


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


def test_ratings_that_a_grader_computes_are_removed_and_computed_again(path):
    with Workspace.open(path) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
        board = workspace.leaderboard(grader="instant").scores()
    damage_file(
        path,
        "UPDATE embedding SET vectors = zeroblob(length(vectors)) WHERE text_id = 1",
    )
    with Workspace.open(path) as workspace:
        repaired = workspace.repair()
        assert "`curator grade` computes them again" in repaired.mended[0]
        assert repaired.remaining == ()
        workspace.grade("instant", encoder=FakeEncoder())
        assert workspace.leaderboard(grader="instant").scores() == board


def test_a_sound_workspace_is_left_alone(path):
    before = dump(path)
    with Workspace.open(path) as workspace:
        found = workspace.repair()
    assert (found.mended, found.remaining, found.copy) == ((), (), None)
    assert dump(path) == before
