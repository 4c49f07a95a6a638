"""An edit and what it moves, links, Back, and the width of the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.curating import (
    editor,
    impact,
    open_board,
    open_curate,
    open_settings,
    question,
    ready,
    row,
    saved,
    selected,
)
from tests.browser.tasks import NAMES, Task

pytestmark = pytest.mark.browser


def test_a_retired_question_moves_a_rank_survives_a_reload_and_is_undone(
    page: Page, server: Server
) -> None:
    open_curate(page, server.address)
    expect(impact(page)).to_contain_text("You have no edits in this query.")

    question(page, "Why is it?").click()
    selected(page).get_by_role("button", name="Retire").click()
    # By hand: the best rating of p1 falls from 5 to 4, that of p2 stays 5.
    expect(impact(page)).to_contain_text("1 system moves; one")
    open_board(page)
    moved = page.locator(".st-key-drawer .c-board tr.c-moved")
    expect(moved).to_have_count(1)
    expect(moved).to_contain_text("one")

    page.reload()
    expect(impact(page)).to_contain_text("1 system moves; one")
    expect(question(page, "Why is it?")).to_contain_text("Retired")

    page.get_by_role("button", name="Undo u").click()
    expect(impact(page)).to_contain_text("You have no edits in this query.")
    expect(moved).to_have_count(0)
    expect(page.locator("s")).to_have_count(0)


@pytest.mark.long
def test_a_nugget_is_written_by_keyboard_and_says_where_it_does_not_count(
    page: Page, server: Server
) -> None:
    open_curate(page, server.address)
    page.keyboard.press("N")
    expect(page.get_by_role("textbox", name=re.compile("New nugget"))).to_be_focused()
    page.keyboard.type("It is a fact.")
    page.keyboard.press("Enter")
    expect(selected(page)).to_contain_text("It is a fact.")
    # The grader here is one of questions.
    expect(selected(page)).to_contain_text("nugget · does not count under this grader")
    expect(impact(page)).to_contain_text("no label changes")


def test_a_deep_link_opens_query_question_passage_and_settings(
    page: Page, unchanged: str
) -> None:
    link = "?query=q1&question=q1%2Fc&passage=p2&measure=P%401&rating=5"
    open_curate(page, f"{unchanged}/{link}")
    expect(page.locator(".c-query[aria-current]")).to_contain_text("What is it?")
    expect(selected(page)).to_contain_text("When is it?")
    expect(page.locator(".c-reader")).to_contain_text("Text of p2.")
    open_settings(page)
    expect(page.get_by_role("combobox", name="Measure")).to_have_value("P@1")
    expect(page.get_by_role("combobox", name="Rating")).to_have_value("5")
    page.locator(".c-query").filter(has_text="Who?").click()
    expect(page).to_have_url(re.compile(r"query=q2&measure=P%401&rating=5"))
    expect(row(page, "q2/d")).to_be_visible()
    # A question that is not there is no fault.
    open_curate(page, f"{unchanged}/?query=q1&question=q9&passage=p9")
    expect(row(page, "q1/a")).to_be_visible()
    expect(selected(page)).to_have_count(0)


def test_back_and_forward_go_through_queries_and_done_opens_the_next(
    page: Page, task: Task
) -> None:
    here = re.compile(f"query={task.query_id}&")
    heading = page.get_by_role("heading", level=1)
    open_curate(page, task.url("b", judge=f"judge of {task.query_id}"))
    expect(selected(page)).to_contain_text("How is it?")
    expect(page).to_have_url(here)
    page.keyboard.press("J")
    expect(heading).not_to_contain_text(task.query_id)
    expect(page).not_to_have_url(here)
    page.go_back()
    expect(heading).to_contain_text(task.query_id)
    expect(selected(page)).to_contain_text("How is it?")
    expect(page).to_have_url(here)
    page.go_forward()
    expect(heading).not_to_contain_text(task.query_id)
    page.go_back()
    expect(heading).to_contain_text(task.query_id)
    ready(page)
    # Back again before the page has come to where Forward leads.
    page.evaluate("history.forward(); setTimeout(() => history.back(), 40)")
    page.wait_for_timeout(500)
    expect(heading).to_contain_text(task.query_id)
    expect(page).to_have_url(here)
    ready(page)

    page.get_by_role("button", name="Done, next").click()
    expect(heading).not_to_contain_text(task.query_id)
    expect(page.locator(".c-progress")).to_contain_text(f"1 of {len(NAMES)} done")
    page.keyboard.press("K")
    expect(heading).to_contain_text(task.query_id)
    page.get_by_role("button", name="Reopen").click()
    expect(page.get_by_role("button", name="Done, next")).to_be_visible()
    expect(page.locator(".c-progress")).to_contain_text(f"0 of {len(NAMES)} done")
    assert task.kinds() == ["done", "reopen"]


@pytest.mark.long
def test_by_mouse_a_question_is_selected_and_edited_and_the_list_ordered(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url("a"))
    rows = page.locator(".c-question .q-text")
    page.get_by_role("combobox", name="Order").select_option("influence")
    in_order = rows.all_inner_texts()
    assert sorted(in_order) == ["How is it?", "When is it?", "Why is it?"]
    page.keyboard.press("x")
    expect(impact(page)).to_contain_text("Retired")
    saved(page)
    expect(rows).to_have_text(in_order)  # though questions change

    dialog = page.get_by_role("dialog", name="Keys")
    for _ in range(2):
        page.get_by_role("button", name="keys").click()
        expect(dialog).to_be_visible()
        # It opens at its top, whatever was read last, and scrolls inside.
        body = dialog.locator(".c-keysbody")
        assert body.evaluate("one => one.scrollTop") == 0
        words = dialog.locator("details:not([open]) > summary")
        if words.count():
            words.click()
        body.evaluate("one => one.scrollTo(0, 1e6)")
        expect(
            dialog.get_by_text("An information need that systems answer")
        ).to_be_visible()
        dialog.get_by_role("button", name="Close").click()
        expect(dialog).to_be_hidden()
        # Drawn anew, the button is another one.
        page.keyboard.press("x")
        saved(page)
    # The closed box has the focus for a moment still: a key is for the page.
    closed = page.locator("dialog.c-keys button").last
    closed.dispatch_event("keydown", {"key": "x", "bubbles": True})
    expect(question(page, "Why is it?")).not_to_contain_text("Retired")
    saved(page)
    assert task.kinds() == ["retire", "restore"] * 2

    # A click on a row selects it, a second one on its text edits it.
    row(page, task.question_id("b")).click()
    expect(selected(page)).to_contain_text("How is it?")
    expect(page).to_have_url(re.compile(f"question={task.query_id}%2Fb"))
    expect(editor(page)).to_have_count(0)
    page.get_by_role("button", name="When is it?").dblclick()
    expect(editor(page)).to_have_value("When is it?")

    # With an editor open, and from the second time with a preview, nothing scrolls
    # sideways.
    widths = (1440, 1280, 1024)
    expect(impact(page)).to_be_visible()
    for width in (widths[0], *widths):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(
            "document.documentElement.scrollWidth <= innerWidth &&"
            "[...document.querySelectorAll('.st-key-left, .st-key-middle, "
            ".st-key-right, .st-key-bottom, .st-key-toolbar, .st-key-question_list')]"
            ".every(pane => pane.scrollWidth <= pane.clientWidth)"
        )
        row(page, task.question_id("b")).hover()
        expect(page.locator(".q-preview")).to_be_visible()
    ready(page)
