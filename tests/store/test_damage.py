"""Errors that come of damaged rows are told as damage, and nothing launders it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curator.errors import EvaluationError, UnknownNameError, WorkspaceError
from curator.snapshot.snapshot import forget
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.workspaces import FakeEncoder, small_workspace


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Graded by one that was imported and by one of ours, with a release."""
    folder = tmp_path_factory.mktemp("damage")
    with small_workspace(folder) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
        workspace.release("v1", allow_partial=True)
    return folder / "small.db"


def damaged(file, path, statement):
    with closing(sqlite3.connect(file)) as here, closing(sqlite3.connect(path)) as copy:
        here.backup(copy)
        copy.execute("PRAGMA ignore_check_constraints = ON")
        assert copy.execute(statement).rowcount
        copy.commit()
    return path


SPEC = "UPDATE grader SET spec = json_set(spec, '$.{}', '{}')"
DAMAGE = {
    "an item's kind": "UPDATE item SET kind = 'candidate'",
    "no kind of item": "UPDATE item SET kind = 'x'",
    "an item's choices": "UPDATE item SET choices = '[1]'",
    "an item's key": "UPDATE item SET sha256 = 'x' || sha256",
    "a grader without a description": "UPDATE grader SET spec = '{}'",
    "a grader's description cut": "UPDATE grader SET spec = '{'",
    "a grader's kind of reading": SPEC.format("reading.kind", "x"),
    "a grader's parser": SPEC.format("reading.parser", "x"),
    "a grader's thresholds": SPEC.format("reading.thresholds", "x"),
    "a grader's model": SPEC.format("responder.model", "x"),
    "a grader's name": SPEC.format("name", "x"),
    "a responder's description": "UPDATE responder SET spec = '{}'",
    "an answer key": "UPDATE answer_key SET answers = '3'",
}
STEPS = {
    "leaderboard": lambda one: one.leaderboard(grader="instant"),
    "questions": lambda one: one.questions(),
    "status": lambda one: one.status(),
    "grade": lambda one: one.grade("instant", encoder=FakeEncoder()),
    "autograder": lambda one: one.export("autograder", one.path.with_name("a.jsonl")),
    "verify": lambda one: one.verify(),
    "repair": lambda one: one.repair(encoder=FakeEncoder()),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_damaged_items_and_graders_end_in_is_told_as_damage(
    damage, file, tmp_path
):
    told = {}
    for name, step in STEPS.items():
        path = damaged(file, tmp_path / f"{name}.db", DAMAGE[damage])
        with Workspace.open(path) as workspace:
            try:
                told[name] = step(workspace)
            except Exception as error:
                told[name] = error
    assert told["verify"].problems == told["repair"].remaining != ()
    errors = [one for one in told.values() if isinstance(one, Exception)]
    assert errors or damage in ("an item's key", "a grader's name")
    for error in errors:
        assert isinstance(error, WorkspaceError)
        assert " is damaged: " in str(error)
        assert "`curator restore`" in str(error)
        assert "\n" not in str(error)


def test_the_heading_of_what_sqlite_finds_is_no_problem(file, tmp_path):
    path = tmp_path / "w.db"
    with closing(sqlite3.connect(file)) as connection:
        select = "SELECT rootpage FROM sqlite_schema WHERE name = 'text'"
        (page,) = connection.execute(select).fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(file.read_bytes())
    content[(page - 1) * size + 7] += 9  # how many bytes of the page are fragments
    path.write_bytes(content)
    with Workspace.open(path) as workspace:
        (problem,) = workspace.verify().problems
    assert problem.startswith("SQLite: Fragmentation of ")


def test_an_error_that_pages_show_in_its_place_is_told_so_by_its_verb(file, tmp_path):
    path = damaged(file, tmp_path / "w.db", DAMAGE["a grader's name"])
    with (
        Workspace.open(path) as workspace,
        pytest.raises(
            WorkspaceError, match=r"rows of grader are .* It may have caused this error"
        ),
    ):
        workspace.leaderboard(grader="instant")


def test_a_slip_in_a_sound_file_stays_what_it_is(file):
    with Workspace.open(file) as workspace:
        with pytest.raises(UnknownNameError, match="No grader 'other'"):
            workspace.leaderboard(grader="other")
        with pytest.raises(EvaluationError, match="Nothing to import"):
            workspace.import_()


LAUNDERED = {
    "a rating": "UPDATE rating_vector SET ratings = x'0505' WHERE query_id = 'q2'",
    "a response": "UPDATE response SET raw = raw || '!'",
    "a text": "UPDATE text SET body = body || '!'",
    "a judgment": "UPDATE judgment SET grade = grade + 1",
    "a row that is gone": "DELETE FROM rating_vector WHERE query_id = 'q2'",
    "an index": "DROP INDEX event_by_batch",
}


@pytest.mark.parametrize("damage", LAUNDERED)
def test_no_bundle_and_no_release_is_made_of_damage(damage, file, tmp_path):
    path = damaged(file, tmp_path / "w.db", LAUNDERED[damage])
    said = r"is damaged: .*, so {}\. `curator verify` .* `curator repair` .*restore"
    with Workspace.open(path) as workspace:
        with pytest.raises(
            WorkspaceError, match=said.format("no bundle is made of it")
        ):
            workspace.export("bundle", tmp_path / "b.zip", allow_partial=True)
        with pytest.raises(WorkspaceError, match=said.format("nothing is frozen")):
            workspace.release("v2", allow_partial=True)
        assert len(workspace.releases()) == 1
    assert not (tmp_path / "b.zip").exists()
    given = ("--bundle", tmp_path / "b.zip", "--allow-partial")
    assert run("export", path, *given, code=1).stderr.count("\n") == 1


def test_no_file_is_made_of_a_damaged_release(file, tmp_path):
    board = """UPDATE release SET board = '[["one", 1, 1.0, null]]'"""
    path = damaged(file, tmp_path / "w.db", board)
    with Workspace.open(path) as workspace:
        with pytest.raises(
            WorkspaceError, match=r"rows of release .* no leaderboard is"
        ):
            workspace.export("leaderboard", tmp_path / "b.tsv", release="v1")
        # What it does not rest on is no reason: the bank is as it was.
        assert workspace.export("bank", tmp_path / "bank.jsonl").written


def test_grades_whose_version_lost_its_name_are_read(tmp_path):
    with small_workspace(tmp_path) as workspace:
        board = workspace.leaderboard().scores()
        workspace.connection.execute(
            "UPDATE clock SET scope = replace(scope, 'grades/', 'grades//')"
        )
    forget(tmp_path / "small.db")  # as another process has read none of it
    with Workspace.open(tmp_path / "small.db") as workspace:
        assert workspace.leaderboard().scores() == board
