"""What is being written outlives a reload, a restart and a refusal; saved once."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.browser.curating import (
    adder,
    editor,
    held,
    impact,
    open_curate,
    open_page,
    ready,
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


def test_a_note_and_a_reason_are_written_by_keyboard_and_outlive_a_reload(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url("a"))
    page.keyboard.press("m")
    note = page.get_by_label("Note on the question")
    expect(note).to_be_focused()
    page.keyboard.type("Ask Bo.")
    page.reload()
    ready(page)
    expect(note).to_have_value("Ask Bo.")
    note.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    noted = row(page, task.question_id("a")).locator(".q-note")
    expect(noted).to_have_text("⚑me: Ask Bo.")
    page.keyboard.press("x")
    page.keyboard.press("w")
    page.get_by_label("Why, in your own words").press_sequentially("asks twice")
    page.keyboard.press("Enter")
    chip = page.get_by_role("button", name="asks twice", pressed=True)
    expect(chip).to_be_visible()
    saved(page)
    assert task.kinds() == ["note", "retire"]
    assert task.events()[-1].change.reason == "asks twice"


@pytest.mark.long
def test_typed_guidelines_stay_through_a_reload_and_are_saved(
    page: Page, server: Server, path: Path
) -> None:
    open_page(page, server.address, "Settings")
    page.get_by_label("Guidelines").fill("Read **this**.")
    expect(page.locator(".st-key-guidelines_preview")).to_contain_text("Read this.")
    page.reload()
    expect(page.get_by_label("Guidelines")).to_have_value("Read **this**.")
    state = page.locator(".s-state")
    expect(state).to_contain_text("Not saved yet.")
    page.get_by_label("Relevant from").fill("")
    page.locator(".s-form button[type=submit]").click()
    expect(page.locator(".s-form .c-error")).to_contain_text("is a whole number")
    page.get_by_label("Relevant from").fill("2")
    page.locator(".s-form button[type=submit]").click()
    expect(state).to_contain_text("Saved")
    with Workspace.open(path) as workspace:
        assert workspace.collection().guidelines == "Read **this**."
        assert workspace.collection().min_relevance == 2
