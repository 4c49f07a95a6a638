"""A file is brought up to date whole or stays as it was, whatever state it is in."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlite_utils import Database

from curator.bank.edits import Add
from curator.errors import WorkspaceError
from curator.store import connection as store_connection
from curator.store import migrations as store_migrations
from curator.store.connection import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    exclusive,
    open_workspace,
)
from curator.workspace import Workspace
from tests.samples.workspaces import dump, small_workspace

pytestmark = pytest.mark.usefixtures("by_migrations")


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


def test_an_empty_file_becomes_a_workspace_of_the_current_version(tmp_path):
    path = tmp_path / "w.db"
    path.touch()
    open_workspace(path, create=True).close()
    assert version_of(path) == (SCHEMA_VERSION, APPLICATION_ID)


def test_every_step_says_its_number_in_its_name(tmp_path):
    names = [step.name for step in store_migrations.migrations._migrations]
    numbers = [int(name[1:4]) for name in names]
    assert numbers == list(range(1, SCHEMA_VERSION + 1))


def test_every_table_is_strict(tmp_path):
    path = tmp_path / "w.db"
    open_workspace(path, create=True).close()
    connection = sqlite3.connect(path)
    loose = [
        name
        for _, name, kind, _, _, strict in connection.execute("PRAGMA table_list")
        if kind == "table" and not strict and not name.startswith("sqlite_")
    ]
    assert loose == ["_sqlite_migrations"]  # sqlite-utils' own record


def test_migrating_twice_changes_nothing(tmp_path):
    small_workspace(tmp_path).close()
    before = dump(tmp_path / "small.db")
    connection = open_workspace(tmp_path / "small.db")
    with store_connection.exclusive(connection):
        store_migrations.migrate(Database(connection))
    connection.close()
    assert dump(tmp_path / "small.db") == before


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
    assert changed == {"schema", "_sqlite_migrations", "query"}
    assert [row[-1] for row in after["query"]] == ["later", "later"]


def as_it_was(new: Path, old: Path, *, before: str) -> Path:
    """The workspace ``new`` as the schema kept its rows before this step."""
    connection = sqlite3.connect(old, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    store_migrations.migrations.apply(Database(connection), stop_before=before)
    connection.execute("ATTACH ? AS new", (str(new),))
    for name, sql in connection.execute(
        "SELECT name, type FROM main.sqlite_schema"
    ).fetchall():
        if sql != "table" or name.startswith(("sqlite_", "_sqlite_")):
            continue
        columns = ", ".join(
            column for _, column, *_ in connection.execute(f"PRAGMA table_info({name})")
        )
        connection.execute(
            f"INSERT OR IGNORE INTO main.{name} SELECT {columns} FROM new.{name}"
        )
    connection.close()
    return old


def stays_where_a_step_fails(
    monkeypatch: pytest.MonkeyPatch, path: Path, script: str
) -> None:
    """The file is as it was after its next step failed in SQL, and then moves on."""
    before = (version_of(path), tables_of(path), dump(path))
    failing = getattr(store_migrations, script) + "INSERT INTO nowhere VALUES (1);"
    with monkeypatch.context() as patch:
        patch.setattr(store_migrations, script, failing)
        with pytest.raises(WorkspaceError, match="no such table"):
            open_workspace(path)
    assert (version_of(path), tables_of(path), dump(path)) == before
    open_workspace(path).close()
    assert version_of(path)[0] == SCHEMA_VERSION


def refuses(path: Path, row: str) -> None:
    connection = open_workspace(path)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(row)
    connection.close()


@pytest.fixture
def version_one(tmp_path):
    """A file of version 1 with a collection, grades, and a history of three batches."""
    with small_workspace(tmp_path) as workspace:
        workspace.apply(Add("q1", "Where is it?"), shown="board")
        workspace.undo()
    return as_it_was(
        tmp_path / "small.db",
        tmp_path / "one.db",
        before="m002_nonces_settings_jobs",
    )


@pytest.fixture
def version_two(tmp_path):
    """A file of version 2 with a collection, grades, and jobs in three states."""
    small_workspace(tmp_path).close()
    connection = open_workspace(tmp_path / "small.db")
    with exclusive(connection):
        for state, error in (("running", None), ("paused", None), ("failed", "why")):
            connection.execute(
                "INSERT INTO job (kind, spec, state, by, started_at, run_began, "
                "heartbeat, done, total, error) "
                "VALUES ('grade', ?, ?, 'ann', '2026', 1, 2, 3, 4, ?)",
                ('{"grader": "embedding"}', state, error),
            )
    connection.close()
    return as_it_was(
        tmp_path / "small.db",
        tmp_path / "two.db",
        before="m003_claims_and_stopped_jobs",
    )


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    rows = dump(path)
    del rows["schema"], rows["_sqlite_migrations"]  # written otherwise, and when
    return rows


def test_version_one_becomes_the_current_one_with_all_its_rows(tmp_path, version_one):
    assert version_of(version_one)[0] == 1
    assert "job" not in tables_of(version_one)
    with Workspace.open(version_one) as workspace:
        assert workspace.collection().min_relevance == 2
        assert workspace.history()[-1].shown == "board"
        assert workspace.verify().problems == ()
    assert version_of(version_one) == (SCHEMA_VERSION, APPLICATION_ID)
    assert rows_of(version_one) == rows_of(tmp_path / "small.db")
    assert tables_of(version_one) == tables_of(tmp_path / "small.db")


def test_a_second_step_that_fails_halfway_leaves_version_one(monkeypatch, version_one):
    stays_where_a_step_fails(monkeypatch, version_one, "_NONCES_SETTINGS_JOBS")


@pytest.mark.parametrize(
    "row",
    [
        "INSERT INTO setting VALUES ('colour', 'red')",
        "INSERT INTO batch (at, by, kind, nonce) VALUES ('', 'ann', 'edit', '')",
        "UPDATE batch SET nonce = 'the same'",
        "INSERT INTO job (kind, spec, state, by, started_at, run_began, heartbeat, "
        "done, total) VALUES ('grade', '{}', 'running', 'ann', '', 0, 0, 2, 1)",
    ],
)
def test_what_the_second_step_promises_is_checked(version_one, row):
    refuses(version_one, row)


def test_version_two_becomes_version_three_with_all_its_rows(tmp_path, version_two):
    assert version_of(version_two)[0] == 2
    assert "claim" not in tables_of(version_two)
    with Workspace.open(version_two) as workspace:
        assert [job.error for job in workspace.jobs()] == ["why", None, None]
        assert workspace.verify().problems == ()
    assert version_of(version_two) == (SCHEMA_VERSION, APPLICATION_ID)
    assert rows_of(version_two) == rows_of(tmp_path / "small.db")
    assert tables_of(version_two) == tables_of(tmp_path / "small.db")
    open_workspace(version_two).close()
    assert rows_of(version_two) == rows_of(tmp_path / "small.db")


def test_a_third_step_that_fails_halfway_leaves_version_two(monkeypatch, version_two):
    stays_where_a_step_fails(monkeypatch, version_two, "_CLAIMS_AND_STOPPED_JOBS")


@pytest.mark.parametrize(
    "row",
    [
        "UPDATE job SET state = 'asleep'",
        "UPDATE job SET prompts = 1, cut = 2",
        "UPDATE job SET unreadable = 1",
        "INSERT INTO claim VALUES (1, 1, 1, '', 0)",
        "INSERT INTO claim VALUES (99, 1, 1, 'me', 0)",
    ],
)
def test_what_the_third_step_promises_is_checked(version_two, row):
    refuses(version_two, row)


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


def test_a_step_that_fails_in_sql_is_told_in_one_line(tmp_path, later_steps):
    later_steps.on(sql="ALTER TABLE nowhere ADD COLUMN nothing")
    with pytest.raises(WorkspaceError, match="no such table") as refused:
        open_workspace(tmp_path / "w.db", create=True)
    assert "\n" not in str(refused.value)
    assert tables_of(tmp_path / "w.db") == set()


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
