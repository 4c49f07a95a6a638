"""What pages say of how stable a board is, and when they have it said."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.background.service import Task
from curator.background.tasks import StabilityTask
from curator.web.components import session
from curator.web.components.session import Session
from curator.web.pages.results.stability import stability
from curator.workspace import Workspace
from tests.samples.noted_tasks import NotedTasks


class Done(NotedTasks):
    """Tasks as they are noted; whether the server has rested is said by a test."""

    quiet = False

    def tasks(self, kind: type[Any]) -> tuple[Any, ...]:
        return tuple(self.sent) if self.then is None else ()

    def has_rested(self, kind: type[Task], times: float) -> bool:
        return self.quiet


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, hand_made: Path) -> Done:
    found, this = Done(), Session()
    monkeypatch.setattr(session, "service", lambda: found)
    monkeypatch.setattr(session, "current", lambda: this)
    monkeypatch.setattr(session, "workspace_path", lambda: hand_made)
    return found


def test_it_is_said_once_nobody_has_clicked_for_a_moment(
    service: Done, hand_made: Path
) -> None:
    this = session.current()
    with Workspace.open(hand_made, judge="ann") as workspace:
        settings = workspace.settings()
        assert stability.latest(workspace, settings) is None
        task = StabilityTask(hand_made, "ann", settings, workspace.version())
        this.drawn_at = time.monotonic() + 60  # drawn just now
        assert not stability.arrived()
        assert service.sent == []
        this.drawn_at -= 120
        assert not stability.arrived()
        assert service.sent == []  # one was said of another edit just now
        service.quiet = True
        assert not stability.arrived()
        assert not stability.arrived()
        assert service.sent == [task]
        service.then = found = workspace.stability(settings)
        assert stability.arrived()
        assert not stability.arrived()  # the page is drawn anew once
        assert stability.latest(workspace, settings) is found
        # After an edit what was known last stays until there is more.
        service.then = None
        assert stability.latest(workspace, settings) is found
        other = replace(settings, measure="P@10")
        assert stability.latest(workspace, other) is None
        assert stability.latest(workspace, None) is None
