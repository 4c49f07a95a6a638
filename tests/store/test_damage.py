"""Errors that come of damaged rows are told as damage, and nothing launders it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from curator.errors import WorkspaceError
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


DAMAGE = {
    "an item's kind": "UPDATE item SET kind = 'candidate'",
    "an item's key": "UPDATE item SET sha256 = 'x' || sha256",
    "a grader without a description": "UPDATE grader SET spec = '{}'",
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
    "repair": lambda one: one.repair(),
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
    assert errors or damage in ("an item's key", "a responder's description")
    for error in errors:
        assert isinstance(error, WorkspaceError)
        assert " is damaged: " in str(error)
        assert "`curator restore`" in str(error)
        assert "\n" not in str(error)


def test_no_bundle_is_made_of_a_damaged_file(file, tmp_path):
    changed = "UPDATE text SET body = body || '!'"
    path = damaged(file, tmp_path / "w.db", changed)
    message = "is damaged: .*, so no bundle is made of it. `curator verify` .*restore"
    with (
        Workspace.open(path) as workspace,
        pytest.raises(WorkspaceError, match=message),
    ):
        workspace.export("bundle", tmp_path / "b.zip", allow_partial=True)
    assert not (tmp_path / "b.zip").exists()
    arguments = ("--bundle", tmp_path / "b.zip", "--allow-partial")
    assert run("export", path, *arguments, code=1).stderr.count("\n") == 1
