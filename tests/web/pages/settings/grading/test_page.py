"""The Grading tab in every state of its graders and jobs; its texts do nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from curator.background.service import Task
from curator.background.tasks import CommandTask
from curator.verbs.grading import jobs as work
from curator.web.components import session
from curator.web.pages.settings.grading.graders import grader_list
from curator.workspace import Workspace
from grading.registry import grader_names
from tests.samples.hand_made import HOSTILE
from tests.samples.local_grader import LOCAL, PAID, grade, job_row
from tests.samples.noted_tasks import NotedTasks
from tests.web.conftest import ESCAPED, OpenApp, page_html, remember
from tests.web.conftest import sent as hears

PAGE = "settings/grading/page.py"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """What was to be counted and started; nothing is."""
    service = NotedTasks()
    monkeypatch.setattr(session, "service", lambda: service)
    return service.sent


STATES: dict[str, dict[str, Any]] = {
    "running": {"heartbeat": 4e9, "done": 3, "cut": 1, "prompts": 3},
    "paused": {"state": "paused", "done": 3},
    "stopped": {"state": "stopped", "done": 3},
    "failed": {"state": "failed", "done": 3, "error": HOSTILE},
    "done": {"state": "done", "done": 7},
    "stopped: its process has ended": {"heartbeat": 1.0, "done": 3},
}


SAID = {
    "running": "Grading: 3 of 7 grades",
    "done": "Done: 7 grades",
    "stopped: its process has ended": "Stopped, its process has ended: 3 of 7 grades",
}


@pytest.mark.parametrize("state", STATES)
def test_the_page_opens_on_a_job_in_every_state(
    open_app: OpenApp, hand_made: Path, state: str
) -> None:
    app = open_app(job_row(hand_made, by="<b>eve</b>", **STATES[state]), PAGE)
    html = page_html(app)
    assert f">{LOCAL}</b>" in html
    assert "<b>eve</b>" not in html
    assert "<script" not in html
    assert SAID.get(state, f"{state.capitalize()}: 3 of 7 grades kept") in html
    buttons = {button.key for button in app.button}
    assert ("pause_1" in buttons) == (state == "running")
    assert ("resume_1" in buttons) == (state not in ("running", "done"))
    assert ("stop_1" in buttons) == (state not in ("stopped", "done"))
    if state == "failed":
        assert ESCAPED in html


def test_a_job_is_paused_resumed_and_stopped_by_its_buttons(
    open_app: OpenApp, hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "_start_process", lambda *_: None)
    app = open_app(job_row(hand_made, **STATES["running"]), PAGE)
    for act, then in (("pause", "paused"), ("resume", "running"), ("stop", "stopped")):
        app.button(key=f"{act}_1").click().run()
        assert not app.exception
        with Workspace.open(hand_made) as workspace:
            assert workspace.jobs()[0].state == then


def test_unreadable_responses_are_listed_with_the_way_to_their_passages(
    open_app: OpenApp, judging: Path
) -> None:
    grade(judging, PAID, {("q1/a", "p1"): "As it were.", ("q1/b", "p2"): HOSTILE})
    app = open_app(judging, PAGE)
    app.session_state[session.KEY].unreadable_of = PAID
    html = page_html(app.run())
    assert "2 responses of chat:some-model" in html
    assert "<q>As it were.</q><span>Why is it?</span>" in html
    assert html.count(ESCAPED) == 2  # the question and the response
    assert "<script" not in html
    place = "at:query=q1&amp;passage=p1&amp;question=q1%2Fa"
    assert f'data-pick="{place}"' in html
    pick("at:query=q1&passage=p1&question=q1%2Fa")
    view = session.view()
    assert (view.query, view.passage, view.question) == ("q1", "p1", "q1/a")
    assert session.current().go_to == "Judge"
    # A grader that is no more is one line.
    app.session_state[session.KEY].unreadable_of = "gone"
    assert "No grader &#39;gone&#39; has grades here." in page_html(app.run())


def pick(value: str) -> None:
    """Click what sends this."""
    remember()
    kind, _, name = value.partition(":")
    assert hears(kind, name=name).ok


def test_the_form_counts_within_a_budget_and_the_grader_is_started_so(
    open_app: OpenApp, hand_made: Path, sent: list[Task]
) -> None:
    app = open_app(hand_made, PAGE, judge="ann")
    app.text_input(key="grader_name").input(f" {PAID} ")
    for label, value in (
        ("depth", 10),
        ("sample", 5),
        ("$ per million tokens in", 1.0),
        ("$ per million tokens out", 2.0),
    ):
        (field,) = [one for one in app.number_input if one.label == label]
        field.set_value(value)
    app.button(key="FormSubmitter:grader_form-Count").click().run()
    budget = (("depth", "10"), ("sample", "5"))
    counted = CommandTask(hand_made, "count", PAID, "ann", "1,2", budget)
    assert sent == [counted]
    remember(app.session_state[session.KEY].view).counted = counted
    assert hears("start", name=PAID).ok
    assert sent[1] == CommandTask(hand_made, "start", PAID, "ann", about=budget)
    assert "--depth=10" in sent[1].arguments
    assert session.current().counted is None


def test_everything_the_registry_offers_is_explained() -> None:
    assert all(what for _, what in grader_list())
    names = [name for name, _ in grader_list() if not name.startswith("/")]
    assert len(names) == len(grader_names())
    assert not any("<" in name for name in names)
