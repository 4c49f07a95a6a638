"""The list of questions by keyboard: what was chosen stays, what is said is kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.curating import open_curate, ready, row, saved
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser


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
