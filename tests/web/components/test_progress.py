"""What goes on beside the page is a line each, with what can be done about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curator.verbs.grading import jobs as work
from curator.verbs.grading.jobs import Job
from curator.web.components import session
from curator.web.components.background_status import (
    StatusLine,
    status_lines,
)
from curator.web.components.shell import line_html
from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html, remember, sent

NOTHING: dict[str, Any] = {
    "loading": False,
    "failed": "",
    "grading": False,
    "progress": None,
    "error": "",
    "jobs": (),
}


def job(state: work.JobState, **more: Any) -> Job:
    given = {"done": 215, "total": 430, "seconds_left": None} | more
    return Job(7, "grade", "flan-t5-large", state, "ann", "2026-03-14T10:42", **given)


@pytest.mark.parametrize("name", ["failed", "error"])
def test_an_error_takes_the_place_of_grading(name: str) -> None:
    (line,) = status_lines(**NOTHING | {name: "No model.", "grading": True})
    assert line == StatusLine("No model.", error=True)


def test_a_line_is_escaped_and_an_error_is_an_alert() -> None:
    shown = line_html("<b>no</b>", error=True, act="Resume", pick='resume:"7')
    assert "&lt;b&gt;no&lt;/b&gt;" in shown
    assert 'data-pick="resume:&#34;7"' in shown
    assert 'role="alert"' in shown
    assert 'role="status"' in line_html("Grading")


@pytest.fixture
def started(hand_made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in which a job was started, whose process is only said to run."""
    monkeypatch.setattr(work, "_start_process", lambda *_: None)
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.start_job("embedding")
    return hand_made


def test_a_job_is_paused_and_resumed_from_its_line(
    open_app: OpenApp, started: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state() -> work.JobState:
        with Workspace.open(started) as workspace:
            return workspace.jobs()[0].state

    monkeypatch.setenv(WORKSPACE_VARIABLE, str(started))
    for click, then in (("pause", "paused"), ("resume", "running")):
        pick(f"{click}:1")
        assert state() == then
    pick("pause:1")
    html = page_html(open_app(started))
    assert "Paused. embedding: 0 of 7 grades kept." in html
    assert 'data-pick="resume:1">Resume</button>' in html


def pick(value: str) -> tuple[str, bool] | None:
    """Click what sends this; the line that is then to be shown."""

    remember()
    kind, _, name = value.partition(":")
    assert sent(kind, name=name).ok
    return session.current().note
