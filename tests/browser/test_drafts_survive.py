"""What is being written outlives the page, the server and a refusal; saved once."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect

from curator.workspace import Workspace
from tests.browser.conftest import Server, serving
from tests.browser.curating import (
    adder,
    editor,
    held,
    impact,
    left,
    open_curate,
    row,
    saved,
)
from tests.browser.tasks import Task
from tests.samples.hand_made import hand_made_workspace

pytestmark = pytest.mark.browser

NOT_CONNECTED = "Not connected. What you type is kept here"


def kinds(path: Path) -> list[str]:
    """The kinds of edits that were saved, the latest first."""
    with Workspace.open(path) as workspace:
        return [event.change.kind for event in workspace.history()]


def test_texts_outlive_a_reload_and_a_restart_and_are_saved_once(
    bereft: Page, tasks_server: Server, task: Task
) -> None:
    page, server = bereft, tasks_server
    open_curate(page, task.url("a"))
    page.keyboard.press("e")
    expect(editor(page)).to_have_value("Why is it?")
    page.keyboard.type(" Or")

    page.reload()
    expect(editor(page)).to_have_value("Why is it? Or")
    expect(editor(page)).to_be_focused()
    page.keyboard.type(" why not?")
    page.evaluate("window.unloaded = 'never'")
    # Keys pressed while a page is drawn wait for the server.
    page.wait_for_selector(".stApp[data-test-script-state=notRunning]")

    server.kill()
    expect(page.get_by_text(NOT_CONNECTED)).to_be_visible()
    expect(editor(page)).to_have_value("Why is it? Or why not?")
    editor(page).press_sequentially(" Gone.")
    editor(page).press("Enter")
    # Shown at once, though nobody has it yet.
    said = "Why is it? Or why not? Gone."
    expect(row(page, task.question_id("a"))).to_contain_text(said)
    # Another is not saved before the server is back.
    page.keyboard.press("j")
    page.keyboard.press("e")
    expect(editor(page)).to_have_value("How is it?")
    editor(page).press_sequentially(" Gone")

    server.start()
    expect(impact(page)).to_contain_text("Reworded")
    expect(page.get_by_text(NOT_CONNECTED)).to_be_hidden()
    expect(row(page, task.question_id("a"))).to_contain_text(said)
    assert task.kinds() == ["reword"]
    assert task.question("a").text == said
    expect(editor(page)).to_have_value("How is it? Gone")
    editor(page).press_sequentially(", too.")
    editor(page).press("Enter")
    expect(editor(page)).to_have_count(0)
    saved(page)
    assert task.kinds() == ["reword", "reword"]
    assert task.question("b").text == "How is it? Gone, too."
    drafts = "Object.keys(localStorage).filter(key => key.includes('/draft/'))"
    assert page.evaluate(drafts) == []
    assert page.evaluate("window.unloaded") == "never"


def test_an_edit_sent_before_a_reload_is_saved_once_after_it(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url("a"))
    with held(task.path):
        page.keyboard.press("x")
        expect(row(page, task.question_id("a"))).to_contain_text("Retired.")
        page.reload()
    expect(impact(page)).to_contain_text("Retired “Why is it?”")
    assert task.kinds() == ["retire"]


@pytest.mark.long
def test_two_edits_made_while_the_server_is_gone_outlive_a_reload(
    bereft: Page, tasks_server: Server, task: Task
) -> None:
    page, server = bereft, tasks_server
    open_curate(page, task.url("a"))
    server.kill()
    page.keyboard.press("x")
    expect(row(page, task.question_id("a"))).to_contain_text("Retired.")
    row(page, task.question_id("c")).get_by_role("button").first.click()
    page.keyboard.press("x")
    expect(row(page, task.question_id("c"))).to_contain_text("Retired.")
    server.start()
    page.reload()
    saved(page)
    expect(page.locator(".c-listhead").first).to_contain_text("2 retired")
    assert task.kinds() == ["retire", "retire"]


@pytest.mark.long
def test_an_edit_is_not_saved_in_another_workspace_on_the_same_port(
    bereft: Page, server: Server, tmp_path: Path
) -> None:
    page = bereft
    open_curate(page, f"{server.address}/?question=q1%2Fa")
    server.kill()
    page.keyboard.press("x")
    expect(row(page, "q1/a")).to_contain_text("Retired.")
    other = hand_made_workspace(tmp_path / "other")
    first, server.path = server.path, other
    server.start()
    expect(row(page, "q1/a")).not_to_contain_text("Retired.")
    saved(page)
    assert kinds(other) == []
    assert kinds(first) == []


def test_a_new_question_is_a_draft_until_it_is_saved_and_stays_when_refused(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url())
    page.keyboard.press("n")
    expect(adder(page)).to_be_focused()
    page.keyboard.type("Where is it")
    page.reload()
    expect(adder(page)).to_have_value("Where is it")
    page.keyboard.type("?")
    page.keyboard.press("Enter")
    expect(page.locator(".c-question")).to_have_count(4)
    saved(page)
    page.keyboard.press("n")
    expect(adder(page)).to_have_value("")

    # A list leaves none either, though it ends in a new line.
    page.keyboard.insert_text("Which is first?\nWhich is last?\n")
    adder(page).press("Enter")
    expect(page.locator(".c-listhead").first).to_contain_text("6 kept")
    saved(page)
    page.keyboard.press("n")
    expect(adder(page)).to_have_value("")

    page.keyboard.type("How is it?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("already asks")).to_be_visible()
    expect(adder(page)).to_have_value("How is it?")
    assert task.kinds() == ["add"] * 3


@pytest.mark.long
def test_a_save_waits_for_another_program_and_is_saved_once(
    page: Page, task: Task
) -> None:
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    open_curate(page, task.url("a"))
    page.keyboard.press("e")
    expect(editor(page)).to_be_focused()
    page.keyboard.type(" Or not?")

    def asks(payload: bytes | str) -> bool:
        return isinstance(payload, bytes) and b"Or not?" in payload

    with held(task.path):
        with sockets[-1].expect_event("framesent", asks):
            page.keyboard.press("Enter")
        expect(row(page, task.question_id("a"))).to_contain_text("Why is it? Or not?")
        with sockets[-1].expect_event("framesent", asks):
            pass  # unanswered, it is sent again
        assert task.kinds() == []
    expect(impact(page)).to_contain_text("Reworded")
    saved(page)
    assert task.kinds() == ["reword"]


@pytest.mark.long
def test_a_read_only_workspace_is_one_line_and_the_text_stays(
    bereft: Page, path: Path, without_model: Path
) -> None:
    page = bereft
    # SQLite cannot make its log beside the file; holds for root too.
    in_the_way = Path(f"{path}-shm")
    in_the_way.mkdir()
    with serving(path, without_model) as server:
        open_curate(page, f"{server.address}/?question=q1%2Fa")
        page.keyboard.press("e")
        expect(editor(page)).to_be_focused()
        page.keyboard.type(" Or not?")
        page.keyboard.press("Enter")
        line = page.get_by_text("Nothing was saved: the workspace is read-only.")
        expect(line).to_be_visible()
        expect(editor(page)).to_have_value("Why is it? Or not?")
        page.keyboard.press("Escape")
        expect(left(page)).to_contain_text("Why is it? Or not?")
        assert kinds(server.path) == []

        server.kill()
        in_the_way.rmdir()
        server.start()
        left(page).get_by_role("button", name="draft", exact=True).click()
        editor(page).press("Enter")
        expect(impact(page)).to_contain_text("Reworded")
        expect(line).to_be_hidden()
        assert kinds(server.path) == ["reword"]
