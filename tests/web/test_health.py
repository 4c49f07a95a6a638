"""``/healthz`` tries a write, without a trace and without load."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from curator.web import health as health_module
from curator.web.health import health
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = hand_made_workspace(tmp_path / "work")
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(made))
    return made


def listing(path: Path) -> dict[str, bytes]:
    """The workspace's folder, without the log that SQLite keeps while it is open."""
    return {
        file.name: file.read_bytes()
        for file in path.parent.rglob("*")
        if file.is_file() and not file.name.endswith(("-wal", "-shm"))
    }


def test_a_full_disk_is_failing_and_a_test_of_it_leaves_no_trace(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_module, "WRITE_EVERY", 0.0)
    with Workspace.open(path) as server:
        version, before = server.changes_by_others(), listing(path)
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        for limit, expected in ((soft, 200), (40_000, 503), (soft, 200)):
            # Files grow no further: writes fail, as on a full disk, for root too.
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            try:
                answer, status = health()
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
            assert status == expected
            assert answer["status"] == ("ok" if expected == 200 else "failing")
        assert server.changes_by_others() == version
        assert listing(path) == before
