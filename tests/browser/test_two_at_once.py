"""Two who work on one query: nothing is lost, and nobody writes over another."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from curator.bank.edits import Reword
from tests.browser.curating import (
    conflict,
    editor,
    impact,
    question,
    row,
    saved,
    write,
)
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser


def two_tabs_in_conflict(page: Page, context: BrowserContext, task: Task) -> Page:
    """Both tabs have written; the other one has saved, this one was refused."""
    write(page, task.url("a"))
    other = context.new_page()
    write(other, task.url("a"), "Why will it be?")
    expect(editor(page)).to_have_value("Why was it?")
    other.keyboard.press("Enter")
    expect(other.locator(".c-impact")).to_contain_text("Reworded")

    editor(page).press("Enter")
    expect(conflict(page)).to_have_count(1)
    expect(conflict(page)).to_contain_text("Why was it?")
    expect(conflict(page)).to_contain_text("Why will it be?")
    expect(conflict(page)).to_contain_text("Both began from: Why is it?")
    expect(conflict(other)).to_have_count(0)
    assert task.question("a").text == "Why will it be?"
    return other


def test_a_conflict_of_two_tabs_outlives_a_reload_and_ends_with_the_text_chosen(
    page: Page, context: BrowserContext, task: Task
) -> None:
    other = two_tabs_in_conflict(page, context, task)
    page.reload()
    expect(conflict(page)).to_contain_text("Why was it?")
    expect(conflict(page)).to_contain_text("Why will it be?")
    page.keyboard.press("1")
    expect(conflict(page)).to_have_count(0)
    for tab in (page, other):
        expect(question(tab, "Why was it?")).to_be_visible()
        expect(tab.get_by_role("button", name="draft", exact=True)).to_have_count(0)
    saved(page)
    assert task.question("a").text == "Why was it?"
    assert task.kinds() == ["reword"] * 2


@pytest.mark.long
def test_combining_starts_from_both_texts(
    page: Page, context: BrowserContext, task: Task
) -> None:
    two_tabs_in_conflict(page, context, task)
    page.get_by_role("button", name="Combine").click()
    expect(conflict(page)).to_have_count(0)
    expect(editor(page)).to_have_value("Why will it be?\nWhy was it?")
    editor(page).press("Control+a")
    editor(page).press_sequentially("Why was it? And why will it be?")
    editor(page).press("Enter")
    expect(question(page, "Why was it? And why will it be?")).to_be_visible()
    expect(editor(page)).to_have_count(0)
    expect(page.get_by_role("button", name="draft", exact=True)).to_have_count(0)
    expect(conflict(page)).to_have_count(0)
    saved(page)
    assert task.question("a").text == "Why was it? And why will it be?"
    assert task.kinds() == ["reword"] * 2


def test_a_draft_left_while_another_saved_comes_up_as_a_conflict(
    page: Page, task: Task
) -> None:
    write(page, task.url("a"))
    task.ben_saves(Reword(task.question_id("a"), "Why will it be?"))
    expect(question(page, "Why will it be?")).to_be_visible()
    expect(editor(page)).to_have_value("Why was it?")
    editor(page).press("Escape")
    expect(conflict(page)).to_contain_text("Why was it?")
    expect(conflict(page)).to_contain_text("Why will it be?")
    expect(page.get_by_role("button", name="Keep theirs")).to_be_visible()
    page.keyboard.press("2")
    expect(conflict(page)).to_have_count(0)
    expect(question(page, "Why will it be?")).to_be_visible()
    expect(page.get_by_role("button", name="draft", exact=True)).to_have_count(0)
    saved(page)
    assert task.question("a").text == "Why will it be?"
    assert task.kinds() == ["reword"]


def test_anothers_edit_appears_by_itself_and_leaves_the_open_editor_alone(
    page: Page, task: Task
) -> None:
    write(page, task.url("a"), "Why was it, and how?")
    field = editor(page)
    field.evaluate("node => { node.mine = true; node.setSelectionRange(4, 7) }")
    task.ben_saves(Reword(task.question_id("b"), "How did ben put it?"))
    expect(row(page, task.question_id("b"))).to_contain_text("How did ben put it?")
    expect(field).to_have_value("Why was it, and how?")
    expect(field).to_be_focused()
    assert field.evaluate(
        "node => [node.mine, node.selectionStart, node.selectionEnd]"
    ) == [True, 4, 7]
    page.keyboard.type("were")
    expect(field).to_have_value("Why were it, and how?")
    page.keyboard.press("Enter")
    expect(question(page, "Why were it, and how?")).to_be_visible()
    expect(impact(page)).to_contain_text("Reworded")
    expect(conflict(page)).to_have_count(0)
    assert task.question("a").text == "Why were it, and how?"
    assert task.question("b").text == "How did ben put it?"
