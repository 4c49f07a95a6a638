"""axe-core finds no serious or critical fault, light and dark, on the Judge page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import faults
from tests.browser.curating import (
    editor,
    impact,
    open_board,
    open_curate,
    open_settings,
    row,
    saved,
)
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser


def test_no_serious_fault_on_curate(page: Page, task: Task) -> None:
    found: dict[str, list[str]] = {}
    open_curate(page, task.url("a"))
    expect(impact(page)).to_be_visible()
    row(page, task.question_id("b")).hover()
    expect(page.get_by_role("complementary", name="If retired")).to_be_visible()
    found["with a preview"] = faults(page)
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(impact(page)).to_contain_text("Retired")
    open_board(page)
    open_settings(page)
    found["after an edit, with the settings"] = faults(page)
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog", name="Find")).to_be_visible()
    found["with what is found"] = faults(page)
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(row(page, task.question_id("a")).locator("s")).to_have_count(0)
    saved(page)

    page.keyboard.press("e")
    expect(editor(page)).to_be_focused()
    page.keyboard.type(" Or not?")
    found["with an editor"] = faults(page)
    assert not any(found.values()), found
