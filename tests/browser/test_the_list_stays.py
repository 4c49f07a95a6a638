"""The list of questions by keyboard: what was chosen stays, what is said is kept."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from curator.bank.edits import Propose
from curator.workspace import Workspace
from tests.browser.curating import open_curate, ready, row, saved, selected
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


@pytest.mark.long
def test_order_and_choice_stay_in_the_next_query_and_a_search_ends_with_esc(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url("a"))
    order, show = page.get_by_label("Order:"), page.get_by_label("Show:")
    page.keyboard.press("t")
    expect(order).to_be_focused()
    order.select_option("influence")
    task.ben_saves(Propose(task.query_id, "Which is it?", "{}"))
    expect(show).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("T")
    expect(show).to_be_focused()
    show.select_option("proposed")
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    page.keyboard.type("Where is it?")
    page.keyboard.press("Enter")
    expect(selected(page)).to_contain_text("Where is it?")  # which is kept
    saved(page)
    show.select_option("kept")
    page.keyboard.press("Escape")
    page.keyboard.press("J")
    expect(page.locator(f'[data-question="{task.question_id("a")}"]')).to_have_count(0)
    expect(order).to_have_value("influence")
    expect(show).to_have_value("kept")

    page.keyboard.press("/")
    page.keyboard.type(task.query_id)
    page.keyboard.press("Enter")
    expect(page.locator(".c-filtered")).to_contain_text("1 of 90 match")
    page.keyboard.press("Escape")
    expect(page.locator(".c-filtered")).to_have_count(0)
    expect(page.locator(".c-query")).to_have_count(90)


@pytest.mark.long
def test_a_new_proposal_comes_into_sight_unless_something_is_written(
    page: Page, task: Task
) -> None:
    page.set_viewport_size({"width": 1280, "height": 500})
    with Workspace.open(task.path, judge="ben") as workspace:
        workspace.apply(
            [Propose(task.query_id, f"Is it so {n}?", "{}") for n in range(12)]
        )
    open_curate(page, task.url("a"))
    page.keyboard.press("e")
    task.ben_saves(Propose(task.query_id, "Which is it?", "{}"))
    expect(page.get_by_text("1 new proposal")).to_be_visible()
    new = page.locator(".c-question").filter(has_text="Which is it?")
    expect(new).not_to_be_in_viewport()
    expect(page.locator(".q-form textarea").first).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(new).to_be_in_viewport()
    expect(page.get_by_text("1 new proposal")).to_have_count(0)

    page.keyboard.press("k")
    expect(page).not_to_have_url(re.compile("question=.*b&"))
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile("question=.*b&"))
    expect(new).not_to_be_in_viewport()
    task.ben_saves(Propose(task.query_id, "What for is it?", "{}"))
    newer = page.locator(".c-question").filter(has_text="What for is it?")
    expect(newer).to_have_count(1)
    # A selection drawn at the same time may come first: then a line leads to it.
    show = page.get_by_role("button", name="Show", exact=True)

    def go(there: Locator) -> None:
        page.wait_for_timeout(2_500)  # until no selection comes into sight any more
        there.evaluate_all("all => all.forEach(b => b.click())")

    page.add_locator_handler(show, go)
    expect(newer).to_be_in_viewport()
