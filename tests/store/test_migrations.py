"""A file is brought up to date whole or stays as it was, whatever state it is in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from curator.errors import WorkspaceError
from curator.store import migrations as store_migrations
from curator.store.connection import (
    SCHEMA_VERSION,
    open_workspace,
)
from tests.samples.older_versions import older_workspace
from tests.samples.workspaces import dump


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


def test_a_step_that_fails_halfway_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path, steps = older_workspace(tmp_path, 31), store_migrations.STEPS
    before = (version_of(path), tables_of(path), dump(path))

    def failing(connection: sqlite3.Connection) -> None:
        steps[max(steps)](connection)
        raise ZeroDivisionError

    monkeypatch.setattr(store_migrations, "STEPS", {**steps, max(steps): failing})
    with pytest.raises(ZeroDivisionError):
        open_workspace(path)
    assert (version_of(path), tables_of(path), dump(path)) == before
    monkeypatch.undo()
    open_workspace(path).close()
    assert version_of(path)[0] == SCHEMA_VERSION


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
