"""What is typed is shown until it is saved, or thrown away by who typed it."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from curator.bank.edits import Add, Reword
from curator.workspace import Workspace
from tests.browser.curating import (
    adder,
    begin,
    conflict,
    editor,
    held,
    left,
    open_curate,
    question,
    row,
    saved,
    write,
)
from tests.browser.tasks import TASKS, Task

pytestmark = pytest.mark.browser

MINE, THEIRS = "Why was it?", "Why will it be?"


def in_conflict(page: Page, task: Task, text: str = MINE) -> None:
    """Question a is open; what was typed is refused, for ben was faster."""
    write(page, task.url("a"), text)
    task.ben_saves(Reword(task.question_id("a"), THEIRS))
    page.keyboard.press("Enter")
    expect(conflict(page)).to_contain_text("ben changed this question")
    expect(conflict(page)).to_contain_text(text)
    saved(page)


def test_what_is_typed_after_a_key_that_opens_nothing_presses_nothing(
    page: Page, task: Task
) -> None:
    in_conflict(page, task)
    page.keyboard.type("e2xux")  # 2 is "Keep theirs", x retires, u takes back
    expect(page.get_by_text("e opened nothing here")).to_be_visible()
    expect(conflict(page)).to_contain_text(MINE)
    expect(page.get_by_text("e opened nothing here")).to_have_count(0)
    page.keyboard.press("x")  # after a pause it is a key again
    expect(row(page, task.question_id("a"))).to_contain_text("Retired.")
    saved(page)
    assert task.kinds() == ["reword", "retire"]


def test_a_conflict_outlives_a_retirement_and_any_other_edit_of_its_question(
    page: Page, task: Task
) -> None:
    in_conflict(page, task)
    page.keyboard.press("x")
    expect(row(page, task.question_id("a"))).to_contain_text("Retired.")
    saved(page)
    expect(conflict(page)).to_contain_text(MINE)
    page.keyboard.press("x")
    saved(page)
    expect(conflict(page)).to_contain_text(MINE)
    page.keyboard.press("1")
    expect(conflict(page)).to_have_count(0)
    saved(page)
    assert task.question("a").text == MINE


@pytest.mark.long
def test_who_writes_on_a_question_that_is_taken_back_goes_on_and_loses_nothing(
    page: Page, task: Task
) -> None:
    task.ben_saves(Add(task.query_id, "Who is it?"))
    open_curate(page, task.url())
    question(page, "Who is it?").get_by_role("button").first.click()
    begin(page, "Who was it")
    with Workspace.open(task.path, judge="ben") as workspace:
        workspace.undo(task.query_id)
    expect(page.get_by_text("no longer in the list")).to_be_visible()
    expect(editor(page)).to_be_focused()
    page.keyboard.type(", x?")  # no key of the list
    expect(editor(page)).to_have_value("Who was it, x?")
    page.keyboard.press("Enter")
    expect(left(page)).to_contain_text("Who was it, x?")
    saved(page)
    page.reload()
    expect(left(page)).to_contain_text("Who was it, x?")
    left(page).get_by_role("button", name="add as new").click()
    expect(adder(page)).to_have_value("Who was it, x?")
    page.keyboard.press("Enter")
    expect(question(page, "Who was it, x?")).to_be_visible()
    expect(left(page)).to_have_count(0)
    saved(page)
    assert "Who was it, x?" in [one.text for one in task.questions()]


def test_a_text_refused_in_the_query_before_is_said_and_led_to(
    page: Page, task: Task
) -> None:
    other = Task(task.path, task.address, next(TASKS))
    write(page, task.url("a"), MINE)
    task.ben_saves(Reword(task.question_id("a"), THEIRS))
    with held(task.path):
        page.keyboard.press("Enter")
        page.locator(f'[data-pick="query:{other.query_id}"]').first.click()
    expect(page.locator(f"html[data-questions={other.query_id}]")).to_be_attached()
    expect(conflict(page)).to_have_count(0)
    way = page.get_by_role("button", name=f"in {task.query_id}")
    expect(way).to_be_visible()
    way.click()
    expect(conflict(page)).to_contain_text(MINE)
