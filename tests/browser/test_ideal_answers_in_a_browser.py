"""A judge marks ideal answers on the Passages tab, and calls a grader's right.

In a real browser.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.bank.marks import Ideal
from curator.workspace import Workspace
from tests.browser.curating import go_to
from tests.samples.local_grader import ANSWERING, grade

pytestmark = pytest.mark.browser

SELECT = """([from, to]) => {
  const text = document.querySelector(".p-passage[aria-current] .p-text")
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

PLACE = """([from, to]) => {
  const range = document.createRange()
  const text = document.querySelector('[aria-label="Passage p1"] .p-text').firstChild
  const word = text.nodeType === Node.TEXT_NODE ? text : text.firstChild
  range.setStart(word, from)
  range.setEnd(word, to)
  const { left, right, top, bottom } = range.getBoundingClientRect()
  return [left, right, (top + bottom) / 2]
}"""


def saved(path: Path) -> tuple[Ideal, ...]:
    """The ideal answers of the query as the file has them."""
    with Workspace.open(path) as workspace:
        return workspace.bank().ideals_of("q1")


def test_words_are_marked_and_answers_judged_with_one_key_and_taken_back(
    page: Page, address: str, path: Path
) -> None:
    page.goto(f"{address}/passages?query=q1")
    control = page.locator("button[data-key=i]")
    expect(control).to_be_visible()
    expect(page.locator("html[data-listener=ready]")).to_be_attached()
    page.keyboard.press("]")
    current = page.locator(".p-passage[aria-current]")
    expect(current).to_contain_text("Text of p2.")
    page.evaluate(SELECT, [0, 4])
    page.keyboard.press("i")
    expect(current.locator(".p-ideal")).to_have_text("Text")
    expect(current.locator(".p-tag")).to_have_text("ideal answer in it")
    expect(control).to_have_attribute("aria-pressed", "true")
    assert saved(path) == (Ideal("p2", 0, 4),)

    # It is there after another page; without a selection its control takes it away.
    go_to(page, "History")
    go_to(page, "Passages")
    expect(current.locator(".p-ideal")).to_have_text("Text")
    control.click()
    expect(page.locator(".p-ideal")).to_have_count(0)
    expect(control).to_have_attribute("aria-pressed", "false")
    assert saved(path) == ()

    # Pressed twice before the page hears anything: marked and unmarked, nothing left.
    page.keyboard.press("i")
    page.keyboard.press("i")
    expect(page.locator("[data-unsaved]")).to_have_count(0)
    expect(control).to_have_attribute("aria-pressed", "false")
    with Workspace.open(path) as workspace:
        made = [event.change.mark for event in workspace.history(query_id="q1")]
    assert len(made) == 4  # two marks, each taken back
    assert saved(path) == ()

    # Words selected by the mouse in another passage: the click opens it, which draws
    # it anew, and the key marks the very words all the same.
    left, right, middle = page.evaluate(PLACE, [0, 7])
    page.mouse.move(left, middle)
    page.mouse.down()
    page.mouse.move(right, middle, steps=3)
    page.mouse.up()
    expect(current).to_contain_text("Because.")
    expect(page.locator("button[data-key=i]")).to_be_visible()
    page.keyboard.press("i")
    expect(current.locator(".p-ideal")).to_have_text("Because")
    said = page.locator(".p-said")
    expect(said).to_have_text("Marked ‘Because’ as an ideal answer.")
    assert saved(path) == (Ideal("p1", 0, 7),)
    control.click()
    expect(said).to_have_text("No longer marked as an ideal answer.")
    page.keyboard.press("i")
    expect(said).to_have_text("Marked the whole passage as an ideal answer.")

    # Under a grader that answers, its answer is called right, with one key too.
    told = {("q1/a", "p1"): "Because", ("q1/a", "p2"): "Text\r\n--> of"}
    grade(path, ANSWERING, told)
    page.goto(f"{address}/passages?query=q1&grader={ANSWERING}")
    controls = page.locator(".p-answer[data-meant] [data-verdict]")
    expect(controls).to_have_count(2)
    expect(page.locator("html[data-listener=ready]")).to_be_attached()
    # The list is drawn a moment before the controls that keys press.
    expect(page.get_by_role("button", name="Add a question")).to_be_visible()
    page.keyboard.press("y")
    expect(said).to_have_text("Called ‘Because’ right.")
    expect(controls.first).to_have_attribute("aria-pressed", "true")
    # The other, and the same again before the page has heard of it: taken back.
    page.keyboard.press("w")
    page.keyboard.press("w")
    expect(said).to_have_text("No longer a verdict of yours on ‘Because’.")
    expect(page.locator("[data-unsaved]")).to_have_count(0)
    expect(page.locator(".p-answer [aria-pressed=true]")).to_have_count(0)
    with Workspace.open(path) as workspace:
        made = [event.change.mark for event in workspace.history(limit=3)]
        assert workspace.bank().verdicts_of("q1") == ()
    assert [mark.after for mark in made] == [None, "wrong", "right"]

    # Faster than the page: each key means the passage that the one before went to.
    for key in ("y", "]", "y"):
        page.keyboard.press(key)
    expect(said).to_have_text("Called ‘Text --> of’ right.")
    expect(page.locator("[data-unsaved]")).to_have_count(0)
    with Workspace.open(path) as workspace:
        made = [event.change.mark for event in workspace.history(limit=2)]
    assert [(mark.answer, mark.after) for mark in made] == [
        ("Text\r\n--> of", "right"),
        ("Because", "right"),
    ]
