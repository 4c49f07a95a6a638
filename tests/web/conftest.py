"""The app in Streamlit's own test runner, without a model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

import curator.web.pages.events  # noqa: F401, registers the handlers of events
from curator.background.service import Service, Task
from curator.figures.drawing import Drawing
from curator.web.components import channel, session
from curator.web.components.channel import Answer
from curator.web.components.session import Session
from curator.web.components.view import View
from curator.web.server import APP, WORKSPACE_VARIABLE
from curator.workspace import Workspace
from grading.worker import Worker

OpenApp = Callable[..., AppTest]
# How ``HOSTILE`` stands on a page as text.
ESCAPED = "&lt;script&gt;window.hurt=1&lt;/script&gt;"


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """What a server reads once is read once for all of these tests.

    The test runner looks through every installed package in each AppTest, and compiles
    the app's scripts in each run; that takes many times as long as the run itself.
    While a script runs it asks a thousand times a second whether it has ended. The
    variable by which a server notes nothing of its elements says nothing to it. And
    what a server has drawn it keeps for one run only.
    """
    figures: dict[str, bytes] = {}
    draw = Drawing.svg

    def drawn(self: Drawing) -> bytes:
        if self.digest not in figures:
            figures[self.digest] = draw(self)
        return figures[self.digest]

    scripts = ScriptCache()
    scan = cache(manifest_scanner.scan_component_manifests)
    tell = config.get_option("browser.gatherUsageStats")
    ask = local_script_runner.require_widgets_deltas

    def wait(runner: LocalScriptRunner, timeout: float = 3) -> None:
        assert runner._script_thread is not None
        runner._script_thread.join(timeout)
        ask(runner, 0.1)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", scan)
        patch.setattr(app_test, "ScriptCache", lambda: scripts)
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        patch.setattr(Drawing, "svg", drawn)
        config.set_option("browser.gatherUsageStats", False)
        yield
    config.set_option("browser.gatherUsageStats", tell)


@pytest.fixture(autouse=True)
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing says where a model is to be asked, unless a test does."""
    for name in session.ENDPOINT:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def open_app(monkeypatch: pytest.MonkeyPatch) -> OpenApp:
    """Opens the app on a workspace, at a page, with what the URL says."""
    monkeypatch.setattr(Worker, "start", lambda self: None)
    st.cache_resource.clear()

    def opened(path: Path | None, page: str | None = None, **params: str) -> AppTest:
        if path is None:
            monkeypatch.delenv(WORKSPACE_VARIABLE, raising=False)
        else:
            monkeypatch.setenv(WORKSPACE_VARIABLE, str(path))
        app = AppTest.from_file(str(APP), default_timeout=30)
        # Without any parameter the Overview opens. Cover is easy to compute by hand.
        for name, value in {"k": "20", "measure": "cover", **params}.items():
            app.query_params[name] = value
        if page is not None:
            app.run()
            app.switch_page(f"pages/{page}")
        app.run()
        assert not app.exception, [error.value for error in app.exception]
        return app

    return opened


@pytest.fixture
def without_model_here(tmp_path: Path) -> Path:
    """A folder on whose import path servers load no model."""
    folder = tmp_path / "without-model"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "from grading.worker import Worker\nWorker.start = lambda self: None\n"
    )
    return folder


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes on beside the page is done before it goes on itself."""

    def send(self: Service, task: Task) -> None:
        self._results[task] = task.run(self)

    monkeypatch.setattr(Service, "send", send)


@pytest.fixture
def empty_workspace(tmp_path: Path) -> Path:
    """A workspace with nothing in it."""
    path = tmp_path / "empty.db"
    Workspace.open(path, create=True).close()
    return path


@pytest.fixture
def judging(hand_made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The hand-made workspace, looked at by ann outside any server."""
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(hand_made))
    remember()
    yield hand_made
    st.session_state.clear()


def page_html(app: AppTest) -> str:
    """Every piece of HTML on the page but the app's own script."""
    html = [element.proto for element in app.get("html")]
    return "\n".join(one.body for one in html if not one.unsafe_allow_javascript)


def given(app: AppTest, component: str = "question_list") -> dict[str, Any]:
    """What a component in the browser is given."""
    (found,) = [
        element.proto.json
        for element in app.get("bidi_component")
        if element.proto.component_name == f"curator_{component}"
    ]
    data: dict[str, Any] = json.loads(found)
    return data


def question_rows(app: AppTest) -> dict[str, dict[str, Any]]:
    """The questions of the question list, by their ids."""
    groups = given(app)["groups"]
    return {row["id"]: row for group in groups for row in group["rows"]}


def settings(app: AppTest) -> dict[str, str]:
    """What the lists of the toolbar stand at, by the setting."""
    lists = re.findall(
        r'<select data-setting="(\w+)">(.*?)</select>', page_html(app), re.DOTALL
    )
    return {
        name: re.findall(r'<option value="([^"]*)" selected>', options)[0]
        for name, options in lists
    }


def remember(view: View | None = None) -> Session:
    """A session without a page, ann's where no view says whose."""
    st.session_state.clear()
    st.session_state[session.KEY] = Session(view or View(query="q1", judge="ann"))
    return session.current()


def sent(kind: str, nonce: str = "0123456789ab", **payload: object) -> Answer:
    """What becomes of an event of the browser, sent for this workspace and judge."""
    meant = {"type": kind, "workspace": session.workspace_id()}
    return channel.handled(nonce, meant | payload)


def picks(app: AppTest, pick: str) -> None:
    """Click on the row, or choose the setting, that sends this."""
    st.session_state.clear()
    st.session_state[session.KEY] = app.session_state[session.KEY]
    kind, _, name = pick.partition(":")
    assert sent(kind, name=name).ok
    st.session_state.clear()
