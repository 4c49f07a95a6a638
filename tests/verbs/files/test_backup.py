"""A copy of a workspace in use, and what becomes of it whatever happens."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.errors import WorkspaceError
from curator.unfinished import unfinished_file
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path / "work")


WRITER = """
import sys
from curator.bank.edits import Add
from curator.workspace import Workspace
with Workspace.open(sys.argv[1], judge=sys.argv[2]) as one:
    for number, _ in enumerate(sys.stdin):  # an edit for each line that it is given
        one.apply(Add("q1", f"Is it {sys.argv[2]} {number}?"))
        print(number, flush=True)
"""


def edits_made(writers: list[subprocess.Popen[str]], edits: int) -> list[str]:
    """Have each writer make edits; the number of the first, as each prints it."""
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("\n" * edits)
        writer.stdin.flush()
    return [writer.stdout.readline() for writer in writers if writer.stdout]


def texts(path: Path) -> set[str | None]:
    with Workspace.open(path) as workspace:
        return {question.text for question in workspace.bank()}


def test_a_copy_of_a_workspace_that_others_edit_is_of_one_moment(
    path: Path, tmp_path: Path
) -> None:
    names = ("ann", "bo", "cy")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in names
    ]
    try:
        assert edits_made(writers, 1) == ["0\n"] * 3  # they are at it
        copies = [tmp_path / f"copy{number}.db" for number in range(3)]
        for copy in copies:
            edits_made(writers, 12)
            with Workspace.open(path) as workspace:
                assert workspace.backup(copy).size == copy.stat().st_size
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    for copy in copies:
        with Workspace.open(copy) as one:
            assert not one.verify().problems
            events = len([e for e in one.history() if e.kind == "add"])
        added = {text for text in texts(copy) if text and text.startswith("Is it ")}
        assert events == len(added)
        for name in names:  # nothing in between is missing
            mine = sorted(
                int(text.split()[3][:-1]) for text in added if text.split()[2] == name
            )
            assert mine == list(range(len(mine)))
    assert not list(tmp_path.glob(".*.part*"))


def test_a_process_that_is_killed_leaves_the_copy_before_and_its_rest_is_removed(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    run("backup", path, copy)
    before = copy.read_bytes()
    killing = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from curator.workspace import Workspace\n"
        "import curator.store.bundles.copies as backup\n"
        "backup._require_intact = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Workspace.open(sys.argv[1]).backup(sys.argv[2], force=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", killing, str(path), str(copy)], check=False
    )
    assert done.returncode == -signal.SIGKILL
    assert copy.read_bytes() == before
    assert len(list(tmp_path.glob(".copy.db.*.part"))) == 1
    with unfinished_file(copy) as of_one_that_goes_on:
        run("backup", path, copy, "--force")
        assert list(tmp_path.glob(".copy.db.*.part*")) == [of_one_that_goes_on]


def test_a_copy_is_restored_and_what_was_there_is_kept(
    path: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    run("backup", path, copy)
    assert "exists already" in run("backup", path, copy, code=1).stderr
    with Workspace.open(path) as workspace:
        workspace.apply(Add("q1", "Is it new?"))
        with pytest.raises(WorkspaceError, match="itself"):
            workspace.backup(path, force=True)
        assert "is in use" in run("restore", copy, path, "--force", code=1).stderr
    assert "exists already" in run("restore", copy, path, code=1).stderr
    restored = run("restore", copy, path, "--force")
    assert "Is it new?" not in texts(path)
    (kept,) = path.parent.glob(f"{path.name}.before-*")
    assert str(kept) in restored.stderr
    assert "Is it new?" in texts(kept)
    assert json_of("backup", kept, copy, "--force")["file"] == str(copy)
    run("restore", copy, tmp_path / "elsewhere.db")
    assert "Is it new?" in texts(tmp_path / "elsewhere.db")
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE judgment SET grade = grade + 1")
    changed = run("restore", copy, tmp_path / "elsewhere.db", "--force", code=1)
    assert "'copy.db.sha256'. Delete that file" in changed.stderr


def test_what_is_no_sound_copy_is_refused_in_one_line_and_nothing_is_touched(
    path: Path, tmp_path: Path
) -> None:
    before = texts(path)
    copy = tmp_path / "copy.db"
    run("backup", path, copy)
    damaged = tmp_path / "damaged.db"
    data = bytearray(copy.read_bytes())
    data[4096 * 3 : 4096 * 6] = b"\xff" * 4096 * 3
    damaged.write_bytes(data)
    text = tmp_path / "text.db"
    text.write_text("no database at all, but a text of some length" * 100)
    for file in (damaged, text, tmp_path / "missing.db", path):
        refused = run("restore", file, path, "--force", code=1).stderr
        assert refused.startswith("Error: ")
        assert refused.count("\n") == 1
    assert texts(path) == before
    assert not list(path.parent.glob("*.before-*"))
