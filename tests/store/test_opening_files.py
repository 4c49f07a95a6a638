"""Whatever file is named, opening it works or says in one line why not."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.errors import WorkspaceError
from curator.store.connection import (
    open_workspace,
)
from curator.workspace import Workspace
from tests.samples.workspaces import in_processes, question_bank, small_workspace


def refusal(path: Path, *, create: bool = False) -> str:
    with pytest.raises(WorkspaceError) as refused:
        open_workspace(path, create=create)
    message = str(refused.value)
    assert "\n" not in message
    assert path.name[:50] in message
    return message


def test_a_missing_file_is_named_with_what_makes_one(tmp_path):
    message = refusal(tmp_path / "none.db")
    assert "curator import" in message
    assert not (tmp_path / "none.db").exists()


def test_an_empty_file_is_no_workspace_unless_one_is_made(tmp_path):
    (tmp_path / "empty.db").touch()
    assert "empty.db' is an empty file" in refusal(tmp_path / "empty.db")
    assert (tmp_path / "empty.db").stat().st_size == 0


def test_another_programs_database_is_left_alone(tmp_path):
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipe (name TEXT)")
    connection.close()
    before = path.read_bytes()
    assert "not a Curator workspace" in refusal(path, create=True)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "content", [b"query_id\ttext\n" * 100, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_file_that_is_not_sqlite_is_left_alone(tmp_path, content):
    path = tmp_path / "text.db"
    path.write_bytes(content)
    assert "not an SQLite file" in refusal(path, create=True)
    assert path.read_bytes() == content


def as_nobody(path: Path, *, create: bool = False) -> list[str]:
    """What a user without rights sees, line by line. As root nothing is read-only."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            said = read_and_save(path, create=create)
        except BaseException as error:
            said = [repr(error)]
        os.write(writing, "\n".join(said).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        said = stream.read().splitlines()
    os.waitpid(child, 0)
    return said


def read_and_save(path: Path, *, create: bool) -> list[str]:
    said = []
    try:
        with Workspace.open(path, create=create, judge="nobody") as workspace:
            said.append(f"questions {len(list(workspace.bank()))}")
            workspace.apply(Add("q1", "Where is it?"))
            said.append("saved")
    except WorkspaceError as error:
        said.append(f"refused: {error}")
    return said


@pytest.fixture
def open_folder():
    """A folder that everyone may enter; pytest's own are private."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield Path(name)
        os.chmod(name, 0o755)


def test_a_file_in_a_read_only_folder_can_be_read_too(open_folder):
    small_workspace(open_folder).close()
    os.chmod(open_folder / "small.db", 0o666)
    os.chmod(open_folder, 0o555)
    shown, refused = as_nobody(open_folder / "small.db")
    assert shown == "questions 3"
    assert refused.startswith("refused: Nothing was saved: the workspace is read-only.")
    os.chmod(open_folder, 0o755)
    assert not Path(f"{open_folder}/small.db-wal").exists()


def test_a_file_whose_log_cannot_be_read_is_not_shown_without_it(open_folder):
    """As when both were copied to where nobody may write: the log has the last save."""
    with small_workspace(open_folder) as workspace:
        workspace.apply(Add("q1", "Where is it?"))
        (open_folder / "copy").mkdir()
        for name in ("small.db", "small.db-wal"):
            shutil.copy(open_folder / name, open_folder / "copy")
            os.chmod(open_folder / "copy" / name, 0o644)
    os.chmod(open_folder / "copy", 0o555)
    (refused,) = as_nobody(open_folder / "copy" / "small.db")
    os.chmod(open_folder / "copy", 0o755)
    assert "Copy both files" in refused
    assert "small.db-wal" in refused


def test_processes_that_make_one_workspace_at_once_all_succeed(tmp_path):
    path = tmp_path / "new.db"
    bank = question_bank(tmp_path / "bank.jsonl", {"q1": {"q1/a": "Why?"}})
    start = time.time() + 0.2

    def make(_: int) -> None:
        while time.time() < start:
            time.sleep(0.001)
        with Workspace.open(path, create=True) as workspace:
            workspace.import_(bank=bank)
            assert len(list(workspace.bank())) == 1

    in_processes(4, make)
    with Workspace.open(path) as workspace:
        assert len(list(workspace.bank())) == 1
        assert workspace.verify().problems == ()
