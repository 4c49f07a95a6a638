"""What a killed process has not finished goes with the next, a living one's stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from curator import unfinished
from tests.samples.command_line import run

BEGUN = """
import signal, sys
from pathlib import Path
from curator.unfinished import LockedFolder, unfinished_file
with LockedFolder() as folder, unfinished_file(Path(sys.argv[1])) as part:
    Path(folder, "upload").touch()
    Path(f"{part}-wal").touch()
    print(part, folder, flush=True)
    signal.pause()
"""


def test_what_a_killed_process_left_goes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    target = tmp_path / "copy.db"
    other = tmp_path / ".notes.curator-of-mine.part"
    for name in ("curator-1@mine", "curator-backups"):
        (tmp_path / name).mkdir()
    other.touch()
    (tmp_path / "curator-1@abcdefgh").symlink_to(tmp_path / "curator-backups")
    before = set(tmp_path.iterdir())
    begun = [
        subprocess.Popen(
            [sys.executable, "-c", BEGUN, str(target)], stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    try:
        killed, alive = (
            {Path(name) for name in one.stdout.readline().decode().split()}
            for one in begun
            if one.stdout is not None
        )
        begun[0].send_signal(signal.SIGKILL)
        begun[0].wait()
        assert killed | alive <= set(tmp_path.iterdir())
        unfinished.remove_abandoned_files(tmp_path)
        unfinished.remove_abandoned_folders()
        there = set(tmp_path.iterdir()) - before
        assert {one for one in there if not one.name.endswith("-wal")} == alive
        assert len(there) == len(alive) + 1
    finally:
        for one in begun:
            one.kill()
            one.wait()


def test_the_next_command_removes_what_a_killed_import_left(tmp_path: Path) -> None:
    path, pipe = tmp_path / "new.db", tmp_path / "queries"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "curator", "import", str(path)]
    importing = subprocess.Popen([*command, "--queries", str(pipe)])
    with open(pipe, "wb"):  # it waits for what never comes
        importing.kill()
        importing.wait()
    assert [one.suffix for one in tmp_path.glob(".new.db.*")]
    run("status", path, code=1)
    assert set(tmp_path.iterdir()) == {pipe}
