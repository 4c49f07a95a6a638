"""An import that is killed leaves the workspace as it was, or complete."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from curator.workspace import Workspace
from tests.samples.workspaces import (
    boards_of,
    demo_files,
    dump,
    row_counts,
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
        status = import_and_die(path, files, after=61 * killed)
        assert status in (0, -signal.SIGKILL)
        assert intact(path)
        killed += 1
    assert killed > 10
    assert intact(path)
    with Workspace.open(path) as workspace:
        assert len(list(workspace.bank())) == 3 + 26
        assert workspace.verify().problems == ()


IMPORTING = """
import sys
from curator.workspace import Workspace
with Workspace.open(sys.argv[1]) as workspace:
    print("go", flush=True)
    for option, file in zip(sys.argv[2::2], sys.argv[3::2]):
        workspace.import_(**{option: file})
"""


@pytest.mark.parametrize(
    "seed", [0, 1, 2, *(pytest.param(seed, marks=pytest.mark.long) for seed in (3, 4))]
)
def test_an_import_killed_at_a_random_moment_leaves_whole_files(
    tmp_path, demo_folder, seed
):
    """Each of six files is an import of its own: all of it is there or nothing."""
    path = tmp_path / "small.db"
    small_workspace(tmp_path).close()
    files = demo_files(demo_folder)
    arguments = [str(word) for pair in files.items() for word in pair]
    with subprocess.Popen(
        [sys.executable, "-c", IMPORTING, str(path), *arguments],
        stdout=subprocess.PIPE,
    ) as importing:
        assert importing.stdout is not None
        importing.stdout.readline()
        time.sleep(random.Random(seed).uniform(0, 0.12))
        importing.kill()
    assert intact(path)
    counts = row_counts(path)
    # by hand: 3 rows of the small collection and those of the demo's file
    assert counts["question"] in (3, 29)
    assert counts["ranking"] in (4, 4 + 18)
    assert counts["judgment"] in (3, 3 + 116)
    with Workspace.open(path) as workspace:
        workspace.import_(**files)
        assert len(list(workspace.bank())) == 29
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
