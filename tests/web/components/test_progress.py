"""What goes on beside the page is a line each, with what can be done about it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curator.verbs.grading import jobs as work
from curator.verbs.grading.jobs import Job
from curator.web.components import session
from curator.web.components.background_status import (
    LOADING,
    StatusLine,
    job_line,
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


def test_nothing_going_on_is_no_line() -> None:
    assert status_lines(**NOTHING) == ()
    assert status_lines(**NOTHING | {"jobs": [job("done")]}) == ()


def test_the_model_loads_before_all_else() -> None:
    found = status_lines(**NOTHING | {"loading": True, "jobs": [job("running")]})
    assert found[0] == StatusLine(LOADING)
    assert len(found) == 2


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (None, "Grading new text"),
        ((1, 2), "Grading new text: 1 of 2 texts"),
        ((1200, 3400), "Grading new text: 1,200 of 3,400 texts"),
    ],
)
def test_grading_says_how_far_it_is(
    progress: tuple[int, int] | None, said: str
) -> None:
    (line,) = status_lines(**NOTHING | {"grading": True, "progress": progress})
    assert line == StatusLine(said)


@pytest.mark.parametrize("name", ["failed", "error"])
def test_an_error_takes_the_place_of_grading(name: str) -> None:
    (line,) = status_lines(**NOTHING | {name: "No model.", "grading": True})
    assert line == StatusLine("No model.", error=True)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (
            {"state": "running", "seconds_left": 118.0},
            StatusLine(
                "flan-t5-large: 215 of 430 grades, about 2 min", "Pause", "pause:7"
            ),
        ),
        (
            {"state": "running"},
            StatusLine("flan-t5-large: 215 of 430 grades", "Pause", "pause:7"),
        ),
        (
            {"state": "paused"},
            StatusLine(
                "Paused. flan-t5-large: 215 of 430 grades kept.", "Resume", "resume:7"
            ),
        ),
        (
            {"state": "stopped", "process_ended": True},
            StatusLine(
                "Stopped. flan-t5-large: 215 of 430 grades kept.",
                "Resume",
                "resume:7",
                error=True,
            ),
        ),
        (
            {"state": "failed", "error": "No memory."},
            StatusLine(
                "Failed. flan-t5-large: 215 of 430 grades kept. No memory.",
                "Resume",
                "resume:7",
                error=True,
            ),
        ),
    ],
)
def test_a_job_says_how_far_it_is_and_offers_to_pause_or_to_resume(
    given: dict[str, Any], line: StatusLine
) -> None:
    assert job_line(job(**given)) == line


def test_what_somebody_stopped_is_over_and_what_a_later_job_replaced() -> None:
    assert job_line(job("stopped")) is None
    later = replace(job("running"), job_id=8)
    found = status_lines(**NOTHING | {"jobs": [later, job("failed")]})
    assert [line.pick for line in found] == ["pause:8"]


def test_a_grading_about_to_begin_says_so_and_one_that_was_refused_says_why() -> None:
    (line,) = status_lines(**NOTHING | {"starting": "flan-t5-large", "refused": "No."})
    assert line == StatusLine("Starting flan-t5-large")
    (line,) = status_lines(**NOTHING | {"refused": "No model."})
    assert line == StatusLine("No model.", "Dismiss", "forget:begun", error=True)


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


def test_a_running_job_is_on_the_page_of_questions(
    open_app: OpenApp, started: Path
) -> None:
    html = page_html(open_app(started))
    # By hand: q1 has 3 questions and 2 passages, q2 one of each.
    assert "embedding: 0 of 7 grades" in html
    assert 'data-pick="pause:1">Pause</button>' in html


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


def test_what_cannot_be_paused_is_one_line(judging: Path) -> None:
    assert pick("pause:9") == (
        "No job 9 in this workspace. `curator jobs WORKSPACE` lists them.",
        True,
    )


def pick(value: str) -> tuple[str, bool] | None:
    """Click what sends this; the line that is then to be shown."""

    remember()
    kind, _, name = value.partition(":")
    assert sent(kind, name=name).ok
    return session.current().note
