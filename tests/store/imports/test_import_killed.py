"""An import that is killed leaves the workspace as it was, or complete."""

from __future__ import annotations

import os
import signal
import sqlite3

from curator.workspace import Workspace
from tests.samples.workspaces import (
    boards_of,
    demo_files,
    dump,
    small_collection,
    small_workspace,
)


def import_and_die(path, files, *, after: int) -> int:
    """How the process ended: killed at its ``after``-th hundred steps of SQLite."""
    child = os.fork()
    if child == 0:
        try:
            workspace = Workspace.open(path)
            left = after

            def count() -> None:
                nonlocal left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

            workspace.connection.set_progress_handler(count, 100)
            workspace.import_(**files, min_relevance=2)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def intact(path) -> bool:
    connection = sqlite3.connect(path)
    said = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return said == [("ok",)]


def test_an_import_killed_at_any_step_leaves_the_workspace_as_it_was(
    tmp_path, demo_folder
):
    files = demo_files(demo_folder)
    path = tmp_path / "small.db"
    small_workspace(tmp_path).close()
    before = dump(path)
    killed = 0
    while dump(path) == before:  # it may also be killed after it has committed
        status = import_and_die(path, files, after=91 * killed)
        assert status in (0, -signal.SIGKILL)
        assert intact(path)
        killed += 1
    assert killed > 8
    assert intact(path)
    with Workspace.open(path) as workspace:
        assert len(list(workspace.bank())) == 3 + 26
        assert workspace.verify().problems == ()


def test_a_killed_import_is_made_good_by_the_next(tmp_path, demo_folder):
    files = small_collection(tmp_path / "files")
    for name in ("killed", "whole"):
        Workspace.open(tmp_path / f"{name}.db", create=True).close()
    assert import_and_die(tmp_path / "killed.db", files, after=3) < 0
    seen = []
    for name in ("killed", "whole"):
        with Workspace.open(tmp_path / f"{name}.db") as workspace:
            workspace.import_(**files, min_relevance=2)
            seen.append(boards_of(workspace))
    assert seen[0] == seen[1]
