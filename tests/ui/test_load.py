"""Many sessions at once: what is acknowledged is kept, and nobody holds up another."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from benchmarks.load import run
from curator.ui.shared import background_status, session
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace
from tests.ui.conftest import remember


def test_every_edit_that_sessions_are_answered_is_in_the_history(
    tmp_path: Path,
) -> None:
    path = hand_made_workspace(tmp_path / "work")
    found = run(path, 3, seconds=6, every=0.5)
    assert found.clicks == found.acknowledged + found.refused > 3
    assert found.kept == found.acknowledged
    assert found.lost == 0
    with Workspace.open(path) as workspace:
        batches = {e.batch_id for e in workspace.history()}
        assert len(batches) >= found.acknowledged
    assert all(found.lines())


def test_the_log_is_moved_by_one_session_at_a_time(
    judging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, leave = threading.Event(), threading.Event()
    calls = []

    class Kept:
        def checkpoint(self) -> None:
            calls.append(threading.current_thread().name)
            entered.set()
            assert leave.wait(30)

    monkeypatch.setattr(session, "kept_open", lambda path: Kept())
    remembered = remember()
    first = threading.Thread(target=lambda: session.checkpoint(1), name="first")
    monkeypatch.setattr(session, "current", lambda: remembered)
    first.start()
    assert entered.wait(30)
    session.checkpoint(2)  # does not wait
    leave.set()
    first.join()
    assert calls == ["first"]


def test_a_page_follows_other_queries_the_less_often_the_longer_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(background_status.time, "monotonic", lambda: now[0])
    this = remember()
    this.drawn_at, this.drawn_for = 100.0, 0.05
    now[0] = 100.5
    assert not background_status.rested()
    now[0] = 101.1  # by hand: 20 times 50 ms
    assert background_status.rested()
    this.drawn_for = 1.0
    now[0] = 119.0
    assert not background_status.rested()
    now[0] = 120.5
    assert background_status.rested()


def test_a_querys_own_version_moves_with_its_bank_alone(hand_made: Path) -> None:
    from curator.bank.edits import Retire

    with Workspace.open(hand_made) as one:
        one.apply(Retire("q1/a"))
        before = one.version_of("q1"), one.version_of("q2")
        one.apply(Retire("q1/c"))
        assert one.version_of("q1") != before[0]
        assert one.version_of("q2") == before[1]
        assert one.version_of(None) is None
