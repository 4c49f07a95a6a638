"""What pages say of how stable a board is, and when they have it said."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from curator.background.tasks import StabilityTask
from curator.web.components import session
from curator.web.components.session import Session
from curator.web.pages.results.stability import stability
from curator.workspace import Workspace


@dataclass
class Done:
    """A service that keeps what it was sent, and has the results it is given."""

    sent: list[Any] = field(default_factory=list)
    results: dict[Any, Any] = field(default_factory=dict)
    quiet: bool = False

    def result(self, task: Any) -> Any:
        return self.results.get(task)

    def is_running(self, task: Any) -> bool:
        return task in self.sent

    def tasks(self, kind: type) -> tuple[Any, ...]:
        return tuple(one for one in self.sent if one not in self.results)

    def has_rested(self, kind: type, times: float) -> bool:
        return self.quiet

    def send(self, task: Any) -> None:
        self.sent.append(task)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch, demo_db: Path) -> Done:
    found, this = Done(), Session()
    monkeypatch.setattr(session, "service", lambda: found)
    monkeypatch.setattr(session, "current", lambda: this)
    monkeypatch.setattr(session, "workspace_path", lambda: demo_db)
    return found


def test_it_is_said_once_nobody_has_clicked_for_a_moment(
    service: Done, demo_db: Path
) -> None:
    this = session.current()
    with Workspace.open(demo_db, judge="ann") as workspace:
        settings = workspace.settings()
        assert stability.latest(workspace, settings) is None
        task = StabilityTask(demo_db, "ann", settings, workspace.version())
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
        service.results[task] = found = workspace.stability(settings)
        assert stability.arrived()
        assert not stability.arrived()  # the page is drawn anew once
        assert stability.latest(workspace, settings) is found
        # After an edit what was known last stays until there is more.
        assert replace(task, version=-1) not in service.results
        service.results.clear()
        assert stability.latest(workspace, settings) is found
        other = replace(settings, measure="P@10")
        assert stability.latest(workspace, other) is None
        assert stability.latest(workspace, None) is None
