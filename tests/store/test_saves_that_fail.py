"""A save that the file or its disk refuses is told in one line, and changes nothing.

The states are made in ways that hold for root too.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from curator.bank.edits import Add, Retire
from curator.errors import WorkspaceError
from curator.workspace import Workspace
from tests.samples.workspaces import FakeEncoder, dump, question_bank, small_workspace


def read_only(workspace: Workspace) -> Callable[[], object]:
    connection = sqlite3.connect(
        f"{workspace.path.as_uri()}?mode=ro", uri=True, isolation_level=None
    )
    kept, workspace.connection = workspace.connection, connection

    def again() -> None:
        connection.close()
        workspace.connection = kept

    return again


def full_disk(workspace: Workspace) -> Callable[[], object]:
    connection = workspace.connection
    # No page is left: neither free ones within the file nor room at its end.
    connection.execute("VACUUM")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    return lambda: connection.execute(f"PRAGMA max_page_count = {pages + 10_000}")


def held(workspace: Workspace) -> Callable[[], object]:
    other = sqlite3.connect(workspace.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    workspace.connection.execute("PRAGMA busy_timeout = 50")
    return other.close


STATES = {
    "read-only": (read_only, "Nothing was saved: the workspace is read-only."),
    "full": (full_disk, "Nothing was saved: the disk is full or failing"),
    "held": (held, "Nothing was saved: another program has locked"),
}


def save_much(workspace: Workspace) -> None:
    workspace.apply(
        [Add("q1", f"{number} " + "and so on " * 150) for number in range(20)],
        nonce="n1",
    )


SAVES = {
    "edit": save_much,
    "undo": lambda workspace: workspace.undo(),
    "reason": lambda workspace: workspace.explain("q1/b", "off topic"),
    "setup": lambda workspace: workspace.set_up(guidelines="Read this. " * 1500),
    "grade": lambda workspace: workspace.grade("embedding", encoder=FakeEncoder()),
    "job": lambda workspace: workspace.start_job("embedding"),
    "import": lambda workspace: workspace.import_(
        bank=question_bank(
            workspace.path.parent / "more.jsonl",
            {"q1": {f"q1/{number}": "More? " * 300 for number in range(20)}},
        )
    ),
}


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    # Where a save succeeds after all, no process is to be left behind.
    monkeypatch.setattr("curator.verbs.grading.jobs._start_process", lambda *_: None)
    with small_workspace(tmp_path) as workspace:
        workspace.apply(Retire("q1/b"))
        yield workspace


@pytest.mark.parametrize(
    ("state", "save"),
    [
        *(("read-only", save) for save in SAVES),
        *(("full", save) for save in ("edit", "setup", "import")),
        *(("held", save) for save in ("edit", "grade")),
    ],
)
def test_a_refused_save_is_one_line_loses_nothing_and_can_be_made_again(
    workspace, state, save
):
    make, words = STATES[state]
    end = make(workspace)
    before = dump(workspace.path)
    with pytest.raises(WorkspaceError, match=words) as refused:
        SAVES[save](workspace)
    assert "Nothing was saved" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert not workspace.connection.in_transaction
    assert dump(workspace.path) == before
    # What can be read is read on.
    assert workspace.bank().question("q1/b").state == "retired"
    assert workspace.leaderboard().queries == 2
    end()
    SAVES[save](workspace)
    assert dump(workspace.path) != before
    assert workspace.verify().problems == ()


def test_a_file_that_turns_out_damaged_while_it_is_read_is_told_in_one_line(tmp_path):
    with small_workspace(tmp_path) as workspace:
        workspace.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = workspace.connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'pool'"
        ).fetchone()
        (size,) = workspace.connection.execute("PRAGMA page_size").fetchone()
    with open(tmp_path / "small.db", "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with Workspace.open(tmp_path / "small.db") as workspace:
        with pytest.raises(WorkspaceError, match="cannot be read") as refused:
            workspace.bank()
        assert "\n" not in str(refused.value)


def test_whether_a_held_workspace_can_be_written_is_known_at_once(
    tmp_path: Path,
) -> None:
    path = tmp_path / "held.db"
    with Workspace.open(path, create=True) as workspace:
        again = held(workspace)
        workspace.connection.execute("PRAGMA busy_timeout = 60000")
        start = time.monotonic()
        assert workspace.writable()
        # Less than the minute that a save would wait.
        assert time.monotonic() - start < 50
        (patience,) = workspace.connection.execute("PRAGMA busy_timeout").fetchone()
        assert patience == 60_000
        again()
