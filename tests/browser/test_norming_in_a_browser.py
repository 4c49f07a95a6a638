"""Two judges answer blind; revealed, both see both without reloading."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.browser.curating import go_to, held, saved

pytestmark = pytest.mark.browser

READY = "html[data-listener=ready][data-questions=norming]"


def opened(page: Page, address: str, judge: str) -> None:
    page.goto(f"{address}/norming?judge={judge}")
    expect(page.locator(READY)).to_be_attached()


@pytest.mark.long
def test_what_is_refused_loses_its_mark_and_says_why(
    page: Page, server: Server, path: Path
) -> None:
    with Workspace.open(path, judge="ann") as one:
        one.add_people("ann", "organizer")
        one.add_people("bo", "judge")
        one.open_norming(items=[("q1", "q1/a", "p1"), ("q1", "q1/c", "p1")])
    opened(page, server.address, "bo")
    first = page.locator(".d-said").first
    with held(path) as other:
        page.keyboard.press("y")
        expect(first).to_have_text("✓")
        other.execute(
            "UPDATE norming_round SET closed_at = opened_at, closed_by = ?", ["ann"]
        )
        other.execute("COMMIT")
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("Not saved: item 1. Round 1 was closed by ann")
    expect(first).to_have_text("")

    go_to(page, "Judge")
    page.locator(".c-question .q-text").first.click()
    vital = page.get_by_role("button", name="Vital").first
    with held(path) as other:
        vital.click()
        other.execute("UPDATE person SET role = 'viewer' WHERE name = 'bo'")
        other.execute("COMMIT")
    expect(refused).to_contain_text("under Settings › People")
    expect(vital).to_be_disabled()
    expect(vital).to_have_attribute("title", re.compile("For judges and organizers"))
    expect(vital).to_have_attribute("aria-pressed", "false")


def test_two_judges_answer_by_keys_one_item_each_and_talk_once_it_is_revealed(
    page: Page, context: BrowserContext, server: Server, path: Path
) -> None:
    with Workspace.open(path, judge="ann") as one:
        items = len(one.open_norming(count=7, seed=1).items)
    opened(page, server.address, "ann")
    # Faster than the page: every key is of the next item.
    pressed = "yyuuyuy"[:items]
    for key in pressed:
        page.keyboard.press(key)
    expect(page.locator(".d-bar")).to_contain_text("all answered")
    page.keyboard.press("n")  # for no item, so for none
    saved(page)
    expect(page.locator(".c-progress")).to_contain_text(f"{items} of {items}")
    with Workspace.open(path, judge="ann") as one:
        said = one.norming().round.latest()
    assert "".join(said[place, "ann"][0] for place in range(items)) == pressed
    page.keyboard.press("z")  # my last answer
    saved(page)
    with Workspace.open(path, judge="ann") as one:
        assert (items - 1, "ann") not in one.norming().round.latest()
    page.keyboard.press("y")
    expect(page.locator(".c-progress")).to_contain_text(f"{items} of {items}")

    other = context.new_page()
    opened(other, server.address, "bo")
    for answered in range(1, items + 1):
        other.keyboard.press("n")
        expect(other.locator(".c-progress")).to_contain_text(f"{answered} of {items}")
    expect(page.locator(".n-said")).to_contain_text(f"bo{items}")
    assert not [one for one in page.locator(".d-said").all_inner_texts() if "no" in one]
    page.get_by_role("button", name="Reveal to everybody").click()
    page.get_by_role("button", name="Reveal", exact=True).click()
    for tab in (page, other):
        expect(tab.locator(".d-said").first).to_have_text("yes · no")
    box = other.locator(".d-open").get_by_role("textbox", name="What you say of this")
    expect(box).to_be_in_viewport()
    # With everything answered it begins at the top again.
    expect(other.locator(".d-row").first).to_contain_class("d-open")
    box.fill("It names a year, not a cause.")
    other.reload()  # what is typed outlives it
    expect(other.locator(READY)).to_be_attached()
    expect(box).to_have_value("It names a year, not a cause.")
    other.locator(".c-question").last.click()
    expect(box).to_have_value("")
    # In one moment another item is opened, and then the one that the text is about.
    other.evaluate(
        """() => {
          [...document.querySelectorAll(".c-question")].at(-2).click()
          const links = [...document.querySelectorAll(".n-remark button")]
          links.find((one) => one.textContent.includes("item 1 of round 1")).click()
        }"""
    )
    expect(box).to_have_value("It names a year, not a cause.")
    box.press("Control+Enter")
    expect(box).to_have_value("")
    page.locator(".c-question").first.click()
    expect(page.locator(".d-row").first).to_contain_text("It names a year")
