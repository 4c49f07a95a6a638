"""A judge answers pairs by keyboard, takes one back, and goes on after a reload."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.bank.marks import Check
from curator.workspace import Workspace
from tests.browser.curating import saved

pytestmark = pytest.mark.browser

READY = "html[data-listener=ready][data-questions=checks]"


def opened(page: Page, address: str, judge: str, of: str = "pairs") -> None:
    page.goto(f"{address}/check?judge={judge}&of={of}&queue=pairs")
    expect(page.locator(READY)).to_be_attached()


def checks(path: Path) -> list[Check]:
    with Workspace.open(path) as workspace:
        return [one for many in workspace.bank().checks.values() for one in many]


def test_a_batch_by_keyboard_with_a_look_back_a_reload_and_a_second_judge(
    page: Page, address: str, path: Path
) -> None:
    opened(page, address, "ann")
    position, asked = page.locator(".k-bar b"), page.locator(".k-words")
    answered = page.locator(".k-said .c-question")
    expect(position).to_have_text("1 of 7")  # by hand: seven pairs may be drawn
    expect(answered).to_have_count(0)
    for place in (2, 3, 4, 5, 6, 7, 1):  # later: from one to the next, and round
        page.keyboard.press(".")
        expect(position).to_have_text(f"{place} of 7")
    for key in "ynu":
        page.keyboard.press(key)
    expect(position).to_have_text("4 of 7")
    # The last one is there again, and says what it asked.
    third = answered.first.locator("span").first.inner_text()
    page.keyboard.press("z")
    expect(position).to_have_text("3 of 7")
    expect(asked).to_have_text(third)
    saved(page)
    with Workspace.open(path, judge="ann", as_judge=True) as workspace:
        pairs = workspace.check_batch("pairs").pairs
    page.reload()
    expect(page.locator(READY)).to_be_attached()
    expect(position).to_have_text("3 of 7")
    expect(asked).to_have_text(third)
    for key in "yyyyn":
        page.keyboard.press(key)
    following = page.get_by_role("button", name="Another 20")
    expect(following).to_be_focused()
    saved(page)
    expect(answered).to_have_count(7)
    expect(page.locator(".k-told").first).to_contain_text("5 yes, 2 no, in ")
    found = {(one.item, one.passage_id): one for one in checks(path)}
    mine = [found[pair.drawn.item, pair.drawn.passage_id] for pair in pairs]
    assert [one.answer for one in mine] == ["yes", "no", *["yes"] * 4, "no"]
    assert [one.probability for one in mine] == [one.drawn.probability for one in pairs]
    assert all(one.drawn == 7 and one.seconds is not None for one in mine)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Everything here has been")
    # Any answered pair is opened again and corrected; its probability stays.
    answered.last.click()
    expect(position).to_have_text("1 of 7")
    page.keyboard.press("n")
    saved(page)
    first = {(one.item, one.passage_id): one for one in checks(path)}
    drawn = pairs[0].drawn
    corrected = first[drawn.item, drawn.passage_id]
    assert (corrected.answer, corrected.probability) == ("no", drawn.probability)

    opened(page, address, "ben", "opinions")
    expect(position).to_have_text("1 of 7")
    assert "ann" not in page.locator(".st-key-check_list").inner_text()
    page.keyboard.press("u")
    expect(answered.first).to_contain_text("ann ")
    saved(page)
    (second,) = [one for one in checks(path) if one.judge == "ben"]
    assert (second.answer, second.probability) == ("unsure", None)
