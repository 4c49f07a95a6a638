"""Whatever was changed, lost or added by anything else than this program is found."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curator.bank.edits import Reword
from curator.bank.marks.vote import Vote
from curator.store import digests
from curator.store.connection import write_transaction
from curator.store.responses import put_responses
from curator.workspace import Workspace
from tests.samples.workspaces import FakeEncoder, small_workspace


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A workspace with something in most tables."""
    folder = tmp_path_factory.mktemp("digests")
    with small_workspace(folder) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
        workspace.set_up(title="Small")
        workspace.apply([Reword("q1/a", "Why so?"), Vote("q1/b", "vital")])
        assert workspace.verify().problems == ()
    return folder / "small.db"


def copied(file, path):
    with closing(sqlite3.connect(file)) as here, closing(sqlite3.connect(path)) as copy:
        here.backup(copy)
    return path


DAMAGE = {
    "a word of a response": (
        "UPDATE response SET raw = raw || ' '",
        "the responses of 'fake-llm' to question 'q1/",
    ),
    "the last bit of a vector": (
        "UPDATE embedding SET vectors = CAST(substr(vectors, 1, length(vectors) - 1) "
        "|| x'01' AS BLOB) WHERE text_id = 1",
        "the vectors of ",
    ),
    "a probability's last bit": (
        "UPDATE rating_vector SET probability = CAST(x'01' || substr(probability, 2) "
        "AS BLOB) WHERE probability IS NOT NULL",
        "the ratings of instant for query 'q1' are not what was written",
    ),
    "a vector that is gone": (
        "DELETE FROM rating_vector WHERE query_id = 'q2'",
        "the ratings of fake-llm/Rated for query 'q2' are not what was written",
    ),
    "a title": ("UPDATE query SET title = 'x'", "the rows of query of query 'q1'"),
    "an event": ("UPDATE event SET reason = 'x'", "the rows of event of query 'q1'"),
    "who did it": ("UPDATE batch SET by = 'x'", "the rows of batch are"),
    "a vote": ("UPDATE mark SET value = '\"okay\"'", "the rows of mark"),
    "a setting": ("UPDATE setting SET value = 'x'", "the rows of setting are"),
    "a judgment": ("UPDATE judgment SET grade = 7", "the rows of judgment of query"),
    "no text": (
        "UPDATE query SET title = CAST(x'ff' AS TEXT)",
        "the rows of query of query 'q1' are not what was written",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_row_that_something_else_changed_is_named(damage, file, tmp_path):
    statement, said = DAMAGE[damage]
    path = copied(file, tmp_path / "w.db")
    with closing(sqlite3.connect(path)) as connection:
        changed = connection.execute(statement).rowcount
        connection.commit()
    with Workspace.open(path) as workspace:
        problems = workspace.verify().problems
    assert changed
    assert any(one.startswith(said) for one in problems), problems


def test_the_hash_of_a_row_is_the_same_in_every_version_of_python():
    row = (1, 2**40, -0.5, None, b"word", b"")
    assert digests.row_hash(row) == GOLDEN
    for n, other in enumerate((2, 1, 0.5, b"", b"Word", None)):
        assert digests.row_hash((*row[:n], other, *row[n + 1 :])) != GOLDEN


# Of the first version that had digests; another value takes a migration.
GOLDEN = 13572122175076929896


def test_a_response_in_place_of_another_is_digested_once(tmp_path):
    with small_workspace(tmp_path) as workspace:
        connection = workspace.connection
        for raw in ("4", "5"):
            with write_transaction(connection):
                put_responses(connection, 1, [(1, 1, raw, None), (1, 2, raw, None)])
        assert list(digests.differing_portions(connection)) == []


def test_what_is_imported_beside_damage_does_not_hide_it(file, tmp_path):
    path = copied(file, tmp_path / "w.db")
    more = tmp_path / "more.jsonl"
    more.write_text('{"query_id": "q9", "text": "And this?"}\n')
    with Workspace.open(path) as workspace:
        workspace.connection.execute("UPDATE query SET title = 'x'")
        before = workspace.verify().problems
        workspace.import_(queries=more)
        assert workspace.verify().problems == before != ()


def test_what_is_rolled_back_was_never_digested(tmp_path):
    with small_workspace(tmp_path) as workspace:
        connection = workspace.connection

        def fail():
            with write_transaction(connection):
                put_responses(connection, 1, [(1, 5, "4", None)])
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            fail()
        assert list(digests.differing_portions(connection)) == []
