"""*Try it* on Settings, Proposals and Grading, and the host beside what sends texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.background.tasks import EndpointTask
from curator.tables.grading import REMEDIES, remedy
from curator.verbs.proposals.request import GenerationRequest
from curator.web.components import session
from curator.workspace import Workspace
from grading.models.endpoint import EndpointCheck
from tests.samples.hand_made import HOSTILE
from tests.samples.noted_tasks import NotedTasks
from tests.web.conftest import OpenApp, page_html, sent

URL = "http://models.test:8000/v1"
HOST = "models.test:8000"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> NotedTasks:
    noted = NotedTasks()
    monkeypatch.setattr(session, "service", lambda: noted)
    return noted


@pytest.fixture
def with_endpoint(judging: Path) -> Path:
    with Workspace.open(judging) as workspace:
        workspace.set_up(generation=GenerationRequest("m", endpoint=URL))
    return judging


@pytest.mark.parametrize("page", ["settings/page.py", "settings/grading/page.py"])
def test_each_page_says_where_models_are_asked_and_what_a_test_brought(
    open_app: OpenApp, with_endpoint: Path, service: NotedTasks, page: str
) -> None:
    assert sent("try_endpoint", name="chat:m", endpoint=f" {URL}x ").ok
    assert service.sent[0] == EndpointTask(with_endpoint, "ann", "m", f"{URL}x")
    kept = session.current()
    app = open_app(with_endpoint, page)
    app.session_state[session.KEY] = kept
    html = page_html(app.run())
    assert f"at {HOST}" in html
    assert "Sending one prompt" in html
    service.then = EndpointCheck(HOST, HOSTILE, HOSTILE, problem="unreadable")
    html = page_html(app.run())
    assert "states no rating" in html
    assert HOSTILE not in html


def test_only_organizers_have_a_prompt_sent(judging: Path, service: NotedTasks) -> None:
    with Workspace.open(judging) as workspace:
        workspace.add_people(["boss"], role="organizer")
        workspace.add_people(["ann"], role="judge")
    answer = sent("try_endpoint", name="m", endpoint=URL)
    assert (answer.ok, service.sent) == (False, [])
    assert "organizers" in answer.line


@pytest.mark.parametrize("problem", REMEDIES)
def test_every_problem_has_a_remedy(problem: str) -> None:
    check = EndpointCheck(
        *(HOST, "m{0}"), problem=problem, address=URL, detail="{x}", models=("a", "b")
    )
    line = remedy(check)
    assert line.endswith(".")
    assert "\n" not in line
