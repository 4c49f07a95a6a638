"""The first page after opening, by keyboard: from the picture of the bank to Judge."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.curating import ready, selected

pytestmark = pytest.mark.browser


def test_arrows_go_about_the_picture_and_enter_opens_the_question(
    page: Page, unchanged: str
) -> None:
    page.goto(unchanged)
    expect(page).to_have_url(re.compile("/overview"))
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    bar = page.get_by_role("button", name="1. Why is it?")
    expect(bar).to_have_count(1)
    expect(page.locator("html[data-listener=ready]")).to_be_attached()
    expect(page.locator(".o-next")).to_be_attached()  # drawn last
    bar.focus()
    said = page.locator(".o-said")
    expect(said).to_contain_text("Why is it? answered by 1 passage, 1 of 2 systems")
    page.keyboard.press("End")
    expect(said).to_contain_text("When is it?")
    page.keyboard.press("ArrowDown")  # the next query has one question
    expect(said).to_contain_text("Who is it?")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("Is <script>")  # shown, and does nothing
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    ready(page)
    expect(selected(page)).to_contain_text("When is it?")
    expect(page).to_have_url(re.compile(r"/\?.*question=q1%2Fc"))
