"""An edit and what it moves, links, Back and Forward."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.curating import (
    impact,
    open_board,
    open_curate,
    open_settings,
    question,
    ready,
    row,
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
