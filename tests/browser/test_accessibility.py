"""axe-core finds no serious or critical fault, light and dark, whatever is open."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from curator.bank.edits import Add, Reword, Vote
from tests.browser.axe import faults
from tests.browser.curating import (
    editor,
    go_to,
    impact,
    open_board,
    open_curate,
    open_settings,
    row,
    saved,
)
from tests.browser.tasks import Task
from tests.samples.asked_models import answered

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
    found["after an edit"] = faults(page)
    open_settings(page)
    found["with the settings"] = faults(page)
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


@pytest.mark.long
def test_no_serious_fault_on_the_other_pages(page: Page, task: Task) -> None:
    found: dict[str, list[str]] = {}
    reworded = Reword(task.question_id("a"), "Why was it?")
    added = Add(task.query_id, "Was it ever?")
    task.ben_saves(reworded, added, Vote(task.question_id("b"), "okay"))
    answered(task.path, "I cannot say.", query_id=task.query_id)
    open_curate(page, task.url("b"))
    for name, place in {
        "Overview": ".o-next",
        "Ranking": ".c-said",
        "Compare": ".m-matrix",
        "Trust": "h1.c-title",
        "System": "h1.c-title",
        "Check": "h1.c-title",
        "Export": "h1.c-title",
        "Settings": "h1.c-title",
        "People": "h1.c-title",
        "Grading": ".st-key-graders",
        "History": ".c-event",
    }.items():
        go_to(page, name)
        expect(page.locator(place).first).to_be_visible()
        found[name] = faults(page)
    go_to(page, "Judge")
    page.keyboard.press("v")
    page.keyboard.press("k")
    expect(page.locator(".c-meta .c-warning")).to_be_visible()
    found["votes"] = faults(page)
    page.keyboard.press("p")
    expect(page.get_by_role("dialog").locator(".v-table")).to_be_visible()
    found["proposals"] = faults(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    go_to(page, "Trust")
    expect(page.locator(".st-key-votes .v-table").first).to_be_visible()
    found["agreement"] = faults(page)
    go_to(page, "History")
    page.locator(".c-event").first.click()
    expect(page.locator(".c-impact")).to_be_visible()
    found["an event"] = faults(page)
    assert not any(found.values()), found
