"""A judge marks ideal answers in the reader, and calls a grader's right.

In a real browser.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.bank.marks import Ideal
from curator.workspace import Workspace
from tests.browser.curating import open_curate
from tests.browser.curating import saved as all_saved
from tests.browser.test_passages_in_a_browser import SELECT, open_passage, reads
from tests.samples.local_grader import ANSWERING, grade

pytestmark = pytest.mark.browser


def saved(path: Path) -> tuple[Ideal, ...]:
    """The ideal answers of the query as the file has them."""
    with Workspace.open(path) as workspace:
        return workspace.bank().ideals_of("q1")


def test_words_are_marked_and_answers_judged_with_one_key_and_taken_back(
    page: Page, address: str, path: Path
) -> None:
    press = page.keyboard.press
    open_passage(page, address, "p2")
    control = page.locator("button[data-key=i]")
    page.evaluate(SELECT, [0, 4])
    press("i")
    expect(page.locator(".p-ideal")).to_have_text("Text")
    expect(control).to_have_attribute("aria-pressed", "true")
    assert saved(path) == (Ideal("p2", 0, 4),)
    press("L")
    expect(page.locator(".p-tag")).to_have_text("ideal answer in it")
    press("L")
    # Without a selection the control takes it away.
    control.click()
    expect(page.locator(".p-ideal")).to_have_count(0)
    expect(control).to_have_attribute("aria-pressed", "false")
    assert saved(path) == ()

    # Pressed twice before the page hears anything: marked and unmarked, nothing left.
    press("i")
    press("i")
    all_saved(page)
    expect(control).to_have_attribute("aria-pressed", "false")
    with Workspace.open(path) as workspace:
        made = [event.change.mark for event in workspace.history(query_id="q1")]
    assert len(made) == 4  # two marks, each taken back
    assert saved(path) == ()
    press("i")
    expect(page.locator(".p-whole")).to_be_visible()
    press("u")
    expect(page.locator(".p-whole")).to_have_count(0)
    assert saved(path) == ()

    # Under a grader that answers, its answer is called right, with one key too.
    told = {("q1/a", "p1"): "Because", ("q1/a", "p2"): "Text\r\n--> of"}
    grade(path, ANSWERING, told)
    open_curate(page, f"{address}/judge?query=q1&passage=p1&grader={ANSWERING}")
    reads(page, "p1")
    controls = page.locator(".p-answer[data-meant] [data-verdict]")
    expect(controls).to_have_count(2)
    press("y")
    expect(controls.first).to_have_attribute("aria-pressed", "true")
    # The other, and the same again before the page has heard of it: taken back.
    press("w")
    press("w")
    all_saved(page)
    expect(page.locator(".p-answer [aria-pressed=true]")).to_have_count(0)
    with Workspace.open(path) as workspace:
        made = [event.change.mark for event in workspace.history(limit=3)]
        assert workspace.bank().verdicts_of("q1") == ()
    assert [mark.after for mark in made] == [None, "wrong", "right"]

    # Faster than the page: each key means the passage that the one before went to.
    for key in ("y", "]", "y"):
        press(key)
    reads(page, "p2")
    all_saved(page)
    with Workspace.open(path) as workspace:
        made = [event.change.mark for event in workspace.history(limit=2)]
    assert [(mark.answer, mark.after) for mark in made] == [
        ("Text\r\n--> of", "right"),
        ("Because", "right"),
    ]
