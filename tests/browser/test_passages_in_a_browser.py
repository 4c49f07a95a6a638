"""A judge goes through a query's passages and writes from them, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from curator.workspace import Workspace
from tests.browser.curating import adder, open_curate, saved, selected
from tests.samples.hand_made import HOSTILE

pytestmark = pytest.mark.browser

SELECT = """([from, to]) => {
  const text = document.querySelector(".c-body > .p-text")
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
  const range = document.createRange()
  let at = 0
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.parentElement.closest("sup")) continue
    const end = at + node.data.length
    if (from >= at && from < end) range.setStart(node, from - at)
    if (to > at && to <= end) range.setEnd(node, to - at)
    at = end
  }
  getSelection().removeAllRanges()
  getSelection().addRange(range)
}"""
"""Select the characters of the passage in the reader between two places."""


def reader(page: Page) -> Locator:
    """The passage, or the list in its place."""
    return page.locator(".c-reader")


def reads(page: Page, passage_id: str) -> None:
    """The passage is in the reader."""
    expect(reader(page)).to_have_attribute("data-passage", passage_id)
    expect(page.locator(".c-body")).to_be_visible()


def open_passage(page: Page, address: str, passage_id: str) -> None:
    """Open a passage of q1 by the address that the Passages tab had once."""
    open_curate(page, f"{address}/passages?query=q1&passage={passage_id}")
    reads(page, passage_id)


def test_a_question_is_written_from_words_of_a_passage(
    page: Page, address: str, path: Path
) -> None:
    open_passage(page, address, "p2")
    page.evaluate(SELECT, [0, 4])
    page.keyboard.press("n")
    expect(adder(page)).to_be_focused()
    expect(page.get_by_role("textbox", name="Answer key")).to_have_value("Text")
    page.keyboard.type("Where [ does it o stand?")
    reads(page, "p2")  # letters are only letters
    page.keyboard.press("Enter")
    saved(page)
    expect(selected(page)).to_contain_text("Where [ does it o stand?")
    reads(page, "p2")
    expect(adder(page)).to_have_value("")
    expect(adder(page)).not_to_be_focused()
    with Workspace.open(path) as workspace:
        (added,) = [
            question
            for question in workspace.bank().questions_of("q1")
            if question.text == "Where [ does it o stand?"
        ]
    assert added.answers == ("Text",)


def test_passages_are_searched_ordered_and_opened_by_keys(
    page: Page, unchanged: str
) -> None:
    open_passage(page, unchanged, "p1")
    expect(reader(page)).to_contain_text(HOSTILE)
    assert page.evaluate("window.hurt") is None
    rows = page.locator(".p-row")
    page.keyboard.press("L")
    expect(rows).to_have_count(2)
    page.keyboard.press("L")
    reads(page, "p1")
    page.keyboard.press("f")
    page.keyboard.type("p2")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("words=p2"))
    page.keyboard.press("Escape")
    expect(rows).to_have_count(0)
    page.keyboard.press("L")
    expect(rows).to_have_count(2)
    page.get_by_role("combobox", name="Passages to go through").select_option(
        "nonrelevant-answered"
    )
    expect(rows).to_have_count(1)
    rows.click()
    reads(page, "p2")
    expect(reader(page)).to_contain_text("Text of p2.")
    expect(page).not_to_have_url(re.compile("pool=yes"))
    page.reload()
    reads(page, "p2")


def test_a_phone_shows_question_passage_and_answers_first(
    page: Page, unchanged: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    open_curate(page, f"{unchanged}/judge?query=q1&question=q1/c&passage=p2")
    for part in (".c-pair [data-key=y]", ".c-pair q", ".c-body > .p-text"):
        expect(page.locator(part)).to_be_in_viewport()
    # Texts of the collection have a direction of their own.
    expect(page.locator(".c-body > .p-text")).to_have_attribute("dir", "auto")
    # Nothing scrolls sideways.
    page.wait_for_function(
        "document.documentElement.scrollWidth <= innerWidth &&"
        "[...document.querySelectorAll('.c-reader, .st-key-middle, .st-key-right')]"
        ".every(pane => pane.scrollWidth <= pane.clientWidth)"
    )
