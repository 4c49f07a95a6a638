"""The tasks of a judge, in a real browser against the real server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from curator.workspace import Workspace
from tests.ui.hand_made import HOSTILE, HOSTILE_QUESTION

pytestmark = pytest.mark.browser


def question(page: Page, text: str) -> Locator:
    """The row of the question with this text."""
    return page.locator(".c-question").filter(has_text=text)


def button(page: Page, key: str) -> Locator:
    """The button of this key."""
    return page.locator(f".st-key-{key}").get_by_role("button")


def open_page(page: Page, address: str) -> None:
    """Open it and wait until rows can be clicked."""
    page.goto(address)
    expect(page.locator("html[data-picker=ready]")).to_be_attached()


def test_a_retired_question_moves_a_rank_survives_a_reload_and_is_undone(
    page: Page, address: str, hand_made_path: Path
) -> None:
    open_page(page, address)
    impact = page.locator(".c-impact")
    expect(impact).to_contain_text("No edit of yours stands in this query.")

    question(page, "Why is it?").click()
    button(page, "retire").click()
    # By hand: without it both systems have 1/2 in q1, so "two" rises from 2 to 1.
    expect(impact).to_contain_text("1 system moves; two ▲1 (2 → 1)")
    moved = page.locator(".c-board tr.c-moved")
    expect(moved).to_have_count(1)
    expect(moved).to_contain_text("▲1")
    expect(page.locator(".c-query[aria-current]")).to_contain_text("2")
    with Workspace.open(hand_made_path) as workspace:
        assert workspace.bank().question("q1/a").state == "retired"

    page.reload()
    expect(impact).to_contain_text("1 system moves; two ▲1 (2 → 1)")
    expect(question(page, "Why is it?")).to_contain_text("Retired")

    button(page, "undo").click()
    expect(impact).to_contain_text("No edit of yours stands in this query.")
    expect(page.locator(".c-board tr.c-moved")).to_have_count(0)
    with Workspace.open(hand_made_path) as workspace:
        assert workspace.bank().question("q1/a").state == "kept"


def test_html_in_questions_and_passages_is_shown_as_text(
    page: Page, address: str
) -> None:
    open_page(page, f"{address}/?question=q1%2Fb&passage=p1")
    expect(question(page, HOSTILE_QUESTION)).to_be_visible()
    expect(page.locator(".c-reader > p")).to_contain_text(HOSTILE)
    button(page, "retire").click()
    expect(page.locator(".c-impact")).to_contain_text("Retired “Is <script>")
    question(page, "Why is it?").click()
    button(page, "retire").click()
    expect(page.locator(".c-changed")).to_contain_text("<script>")
    assert page.evaluate("window.hurt") is None
    assert page.locator("main img").count() == 0


def test_a_deep_link_opens_query_question_passage_and_settings(
    page: Page, address: str
) -> None:
    link = "?query=q1&question=q1%2Fc&passage=p2&measure=P%401&rating=5"
    open_page(page, f"{address}/{link}")
    expect(page.locator(".c-query[aria-current]")).to_contain_text("What is it?")
    expect(page.locator(".c-question[aria-current]")).to_contain_text("When is it?")
    expect(page.locator(".c-reader")).to_contain_text("Text of p2.")
    expect(page.locator(".c-board thead")).to_contain_text("P@1")
    page.locator(".c-query").filter(has_text="Who?").click()
    expect(page).to_have_url(re.compile(r"query=q2&measure=P%401&rating=5"))
    expect(question(page, "Who is it?")).to_be_visible()


def test_back_returns_to_the_query_before(page: Page, address: str) -> None:
    open_page(page, f"{address}/?query=q1")
    expect(question(page, "Why is it?")).to_be_visible()
    page.locator(".c-query").filter(has_text="Who?").click()
    expect(question(page, "Who is it?")).to_be_visible()
    page.go_back()
    expect(question(page, "Why is it?")).to_be_visible()


def test_two_judges_who_write_at_once_see_both_texts(
    page: Page, address: str, hand_made_path: Path
) -> None:
    page.goto(f"{address}/?question=q1%2Fa&judge=ann")
    button(page, "reword").click()
    page.locator("textarea").fill("Why was it?")
    other = page.context.new_page()
    other.goto(f"{address}/?question=q1%2Fa&judge=ben")
    button(other, "reword").click()
    other.locator("textarea").fill("Why will it be?")
    other.locator("textarea").press("Control+Enter")
    expect(question(other, "Why will it be?")).to_be_visible()

    page.locator("textarea").press("Control+Enter")
    cards = page.locator(".c-cards")
    expect(cards).to_contain_text("Why was it?")
    expect(cards).to_contain_text("Why will it be?")
    expect(page.locator(".st-key-conflict")).to_contain_text("ben")
    button(page, "keep_mine").click()
    expect(question(page, "Why was it?")).to_be_visible()
    with Workspace.open(hand_made_path) as workspace:
        assert workspace.bank().question("q1/a").text == "Why was it?"


def test_a_text_being_written_stays_whatever_else_is_clicked(
    page: Page, address: str, hand_made_path: Path
) -> None:
    open_page(page, f"{address}/?query=q1&question=q1%2Fc")
    button(page, "reword").click()
    draft = page.locator("textarea")
    draft.fill("A draft?")
    question(page, "Why is it?").click()
    button(page, "retire").click()
    expect(page.locator(".c-impact")).to_contain_text("1 system moves")
    expect(draft).to_have_value("A draft?")
    page.locator(".c-query").filter(has_text="Who?").click()
    expect(page.locator(".c-error")).to_contain_text("Save or cancel")
    expect(draft).to_have_value("A draft?")
    button(page, "save_rewording").click()
    expect(question(page, "A draft?")).to_be_visible()
    with Workspace.open(hand_made_path) as workspace:
        assert workspace.bank().question("q1/c").text == "A draft?"


@pytest.mark.parametrize("width", [1440, 1280, 1024])
def test_nothing_scrolls_sideways(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}/?question=q1%2Fa")
    expect(page.locator(".c-board")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "[...document.querySelectorAll('.st-key-left, .st-key-middle, .st-key-right')]"
        ".every(pane => pane.scrollWidth <= pane.clientWidth)"
    )
