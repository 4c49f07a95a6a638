"""A file is brought up to date whole or stays as it was, whatever state it is in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.errors import WorkspaceError
from curator.store.connection import (
    SCHEMA_VERSION,
    open_workspace,
)
from curator.workspace import Workspace
from tests.samples.workspaces import dump, small_workspace


def version_of(path: Path) -> tuple[int, int]:
    connection = sqlite3.connect(path)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    connection.close()
    return version, application


def tables_of(path: Path) -> set[str]:
    connection = sqlite3.connect(path)
    names = {n for (n,) in connection.execute("SELECT name FROM sqlite_schema")}
    connection.close()
    return names


def test_every_table_is_strict(tmp_path):
    path = tmp_path / "w.db"
    open_workspace(path, create=True).close()
    connection = sqlite3.connect(path)
    loose = [
        name
        for _, name, kind, _, _, strict in connection.execute("PRAGMA table_list")
        if kind == "table" and not strict and not name.startswith("sqlite_")
    ]
    assert loose == []


def test_a_file_of_the_version_before_keeps_its_rows(tmp_path, later_steps):
    later_steps.off()
    workspace = small_workspace(tmp_path)
    workspace.apply(Add("q1", "Where is it?"))
    board = workspace.leaderboard().scores()
    workspace.close()
    before = dump(tmp_path / "small.db")
    assert version_of(tmp_path / "small.db")[0] == SCHEMA_VERSION

    later_steps.on()
    with Workspace.open(tmp_path / "small.db") as workspace:
        assert workspace.leaderboard().scores() == board
        assert workspace.verify().problems == ()
    after = dump(tmp_path / "small.db")
    assert version_of(tmp_path / "small.db")[0] == SCHEMA_VERSION + 1
    changed = {name for name in before if before[name] != after.get(name)}
    assert changed == {"schema", "query"}
    assert [row[-1] for row in after["query"]] == ["later", "later"]


@pytest.mark.parametrize("stored", ["nothing", "the version before"])
def test_a_step_that_fails_halfway_leaves_the_file_as_it_was(
    tmp_path, later_steps, stored
):
    path = tmp_path / "small.db"
    if stored != "nothing":
        later_steps.off()
        small_workspace(tmp_path).close()
    before = (version_of(path), tables_of(path), dump(path))
    later_steps.on(failing=True)
    with pytest.raises(ZeroDivisionError):
        open_workspace(path, create=True)
    assert (version_of(path), tables_of(path), dump(path)) == before
    later_steps.on()
    open_workspace(path, create=True).close()
    assert version_of(path)[0] == SCHEMA_VERSION + 1


def test_a_schema_written_by_a_later_program_is_refused(tmp_path):
    path = tmp_path / "w.db"
    open_workspace(path, create=True).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(WorkspaceError, match="newer Curator") as refused:
        open_workspace(path)
    assert str(SCHEMA_VERSION) in str(refused.value)
    assert "pip install" in str(refused.value)
    assert path.read_bytes() == before
