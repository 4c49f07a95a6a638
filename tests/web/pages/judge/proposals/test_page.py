"""The dialog Proposals and the form of its request on Settings."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from curator.background.tasks import CommandResult, CommandTask
from curator.verbs.proposals.request import GenerationRequest
from curator.web.components import session
from curator.web.components.channel import Answer, received
from curator.web.pages.judge.proposals import request_form
from curator.workspace import Workspace
from tests.samples.asked_models import MODEL, answered
from tests.samples.hand_made import HOSTILE
from tests.samples.noted_tasks import NotedTasks
from tests.web.conftest import ESCAPED, OpenApp, page_html, remember

HOST = "models.test:8000"
KEY = "sk-not-to-be-shown"
FORM = {
    "nonce": "1" * 8,
    "save": True,
    "model": f" {MODEL} ",
    "endpoint": "",
    "temperature": "0.5",
    "prompt": "own",
    "count": "7",
    "text": "Ask {count} things about {query_title}.",
    "kind": "nugget",
}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Something that could be asked."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://ann:secret@{HOST}/path")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> NotedTasks:
    """What was to be asked; nothing is."""
    noted = NotedTasks()
    monkeypatch.setattr(session, "service", lambda: noted)
    return noted


@pytest.fixture
def ready(hand_made: Path, endpoint: None) -> Path:
    """A workspace whose usual model is named, with something to ask it at."""
    with Workspace.open(hand_made) as workspace:
        workspace.set_up(generation=GenerationRequest(MODEL))
    return hand_made


def tell(*told: dict[str, Any]) -> tuple[Answer, ...]:
    """What the form hears of saying all this, one after the other."""
    remember()
    meant = {"type": "request", "workspace": session.workspace_id()}
    events = [meant | value for value in told]
    st.session_state[request_form.FORM.key] = SimpleNamespace(events=events)
    received(request_form.FORM.key)
    return session.current().answers


def test_what_is_saved_is_what_the_workspace_asks(judging: Path) -> None:
    tell(FORM, {**FORM, "model": "another"})  # one nonce: heard once
    with Workspace.open(judging) as workspace:
        order = workspace.default_request()
    assert (order.model, order.temperature, order.count) == (MODEL, 0.5, 7)
    assert order.prompt is not None
    assert (order.prompt.template, order.prompt.kind) == (FORM["text"], "nugget")
    assert session.current().request_draft is None


def opened(open_app: OpenApp, path: Path, **params: str) -> AppTest:
    """Open Judge with the dialog."""
    given = {"query": "q1", "judge": "ann", "proposals": "yes"} | params
    return open_app(path, **given)


def test_of_the_endpoint_only_the_host_is_shown(
    open_app: OpenApp, ready: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(open_app, ready)
    html = page_html(app)
    assert f"at {HOST}" in html
    assert not app.button(key="ask_now").disabled
    assert not [secret for secret in ("OPENAI", "secret", KEY) if secret in html]
    monkeypatch.setenv("OPENAI_API_KEY", "two words")
    app = opened(open_app, ready)
    assert "(OPENAI_API_KEY) contains a character" in page_html(app)
    assert "two words" not in page_html(app)
    assert app.button(key="ask_now").disabled


def test_every_query_and_uncovered_passages_are_asked_by_a_job(
    open_app: OpenApp, ready: Path, tasks: NotedTasks
) -> None:
    app = opened(open_app, ready)
    app.segmented_control(key="ask_about").set_value("Every query").run()
    assert "2 prompts, about " in page_html(app)
    app.button(key="ask_now").click().run()
    assert tasks.sent == [CommandTask(ready, "ask all", "", "ann")]
    assert app.button(key="ask_now").disabled
    tasks.then = CommandResult(line=f"No: {HOSTILE}")
    assert f'role="alert">No: {ESCAPED}' in page_html(app.run())
    app.segmented_control(key="ask_about").set_value("Uncovered passages").run()
    app.number_input(key="grounded").set_value(3).run()
    # by hand: 3 passages of 2 queries
    assert "At most 6 prompts" in page_html(app)
    app.button(key="ask_now").click().run()
    assert tasks.sent[-1].about == (("grounded", "3"),)


def test_a_response_that_could_not_be_read_is_shown_as_it_came_and_asked_again(
    open_app: OpenApp, ready: Path, tasks: NotedTasks
) -> None:
    number = answered(ready, HOSTILE, model="<b>eve</b>", error=HOSTILE)
    app = opened(open_app, ready)
    html = page_html(app)
    assert f"<pre>{ESCAPED}" in html
    assert "<script" not in html
    assert "<b>eve</b>" not in html
    app.button(key=f"again_{number}").click().run()
    about = (("query", "q1"), ("again", ""))
    assert tasks.sent == [CommandTask(ready, "ask", "", "ann", about=about)]
