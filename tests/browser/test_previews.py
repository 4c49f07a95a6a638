"""What retiring a question would do is seen before, and without asking the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.browser.conftest import Server, serving
from tests.browser.curating import impact, open_curate, row
from tests.browser.tasks import Task, tasks_workspace

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tasks_server(
    tmp_path_factory: pytest.TempPathFactory, without_model: Path
) -> Iterator[Server]:
    """A server of its own: grades that others' new text lacks would be missed here."""
    path = tasks_workspace(tmp_path_factory.mktemp("previews"))
    with serving(path, without_model) as found:
        yield found


def questions_asked(page: Page) -> list[BackMsg]:
    """What the page sends from now on, but for what it sends by the clock."""
    sent: list[BackMsg] = []

    def heard(payload: str | bytes) -> None:
        message = BackMsg.FromString(payload)
        if not message.rerun_script.is_auto_rerun:
            sent.append(message)

    def opened(socket: WebSocket) -> None:
        socket.on("framesent", heard)

    page.on("websocket", opened)
    return sent


def test_resting_on_a_question_shows_without_a_round_trip_what_retiring_it_does(
    page: Page, task: Task
) -> None:
    sent = questions_asked(page)
    open_curate(page, task.url())
    expect(impact(page)).to_be_visible()
    preview = page.get_by_role("complementary", name="If retired")
    expect(preview).to_be_hidden()
    assert sent
    sent.clear()

    row(page, task.question_id("a")).hover()
    # By hand: p has 5 by a and keeps 4 by b; no other label is a's.
    expect(preview).to_contain_text("1 label falls")
    row(page, task.question_id("c")).hover()
    expect(preview).to_contain_text("1 label falls")
    page.keyboard.press("Escape")
    expect(preview).to_be_hidden()
    row(page, task.question_id("b")).hover()
    # By hand: b's 4 is less than a's 5 on p, so no label is b's.
    expect(preview).to_contain_text("no label changes")
    page.get_by_role("heading", level=1).hover()
    expect(preview).to_be_hidden()
    assert sent == []

    # What it says is what happens; a retired question has none.
    row(page, task.question_id("a")).hover()
    expect(preview).to_contain_text("1 label falls")
    row(page, task.question_id("a")).click()
    page.keyboard.press("x")
    expect(preview).to_be_hidden()
    expect(impact(page)).to_contain_text("1 label falls")
    row(page, task.question_id("b")).hover()
    expect(preview).to_be_visible()
    row(page, task.question_id("a")).hover()
    expect(preview).to_be_hidden()
