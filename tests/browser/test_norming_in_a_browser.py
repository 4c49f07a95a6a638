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

READY = "html[data-listener=ready][data-questions=checks]"


def opened(page: Page, address: str, judge: str) -> None:
    page.goto(f"{address}/norming?judge={judge}")
    expect(page.locator(READY)).to_be_attached()
    expect(page.locator(".k-chips [aria-current]")).to_contain_text("Norming")


@pytest.mark.long
def test_what_is_refused_loses_its_mark_and_says_why(
    page: Page, server: Server, path: Path
) -> None:
    with Workspace.open(path, judge="ann") as one:
        one.add_people("ann", "organizer")
        one.add_people("bo", "judge")
        one.open_norming(items=[("q1", "q1/a", "p1"), ("q1", "q1/c", "p1")])
    opened(page, server.address, "bo")
    first = page.locator(".c-question .k-mine").first
    with held(path) as other:
        page.keyboard.press("y")
        expect(first).to_have_text("Yes")
        other.execute(
            "UPDATE norming_round SET closed_at = opened_at, closed_by = ?", ["ann"]
        )
        other.execute("COMMIT")
    refused = page.get_by_role("alert")
    expect(refused).to_contain_text("Round 1 was closed by ann")
    expect(refused).to_contain_text("Not saved: ")
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
    expect(page.locator(".k-words")).to_have_text(f"All {items} are answered")
    page.keyboard.press("n")  # for no item, so for none
    saved(page)
    with Workspace.open(path, judge="ann") as one:
        said = one.norming().round.answers
    assert "".join(answer.answer[0] for answer in said) == pressed
    page.keyboard.press("z")  # my last answer
    saved(page)
    with Workspace.open(path, judge="ann") as one:
        assert len(one.norming().round.answers) == items - 1
    page.keyboard.press("y")
    saved(page)
    page.keyboard.press("b")
    organize = page.locator(".st-key-right")
    expect(organize).to_contain_text(f"Answered of {items}: ann {items}.")

    other = context.new_page()
    opened(other, server.address, "bo")
    for answered in range(1, items + 1):
        other.keyboard.press("n")
        waits = f"{answered + 1} of" if answered < items else f"All {items}"
        expect(other.locator(".st-key-check_list")).to_contain_text(waits)
    expect(organize).to_contain_text(f"ann {items}, bo {items}")
    assert "no" not in page.locator(".c-question small").all_inner_texts()
    page.get_by_role("button", name="Reveal…").click()
    page.get_by_role("button", name="Reveal", exact=True).click()
    for tab in (page, other):
        expect(tab.locator(".c-question small").first).to_have_text("ann yesbo no")
    box = other.get_by_role("textbox", name="What you say of this")
    expect(box).to_be_in_viewport()
    # With everything answered it begins at the top again.
    expect(other.locator(".c-question").first).to_have_attribute("data-selected", "")
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
          const links = [...document.querySelectorAll(".k-remark button")]
          links.find((one) => one.textContent.includes("item 1 of round 1")).click()
        }"""
    )
    expect(box).to_have_value("It names a year, not a cause.")
    box.press("Control+Enter")
    expect(box).to_have_value("")
    page.locator(".c-question").first.click()
    expect(page.locator(".k-note")).to_contain_text("It names a year")
