"""The guided tour: six steps by keyboard, once, beside work that goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.web.server import TOUR_VARIABLE
from curator.workspace import Workspace
from tests.browser.curating import arrived, impact, ready, saved

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `curator demo` has it served."""
    monkeypatch.setenv(TOUR_VARIABLE, "yes")


@pytest.mark.long
def test_six_steps_are_taken_by_keyboard_once_and_edits_go_on(
    page: Page, address: str, path: Path
) -> None:
    page.goto(address)
    card, ring = page.locator(".c-tour"), page.locator(".c-ring")
    expect(card).to_contain_text("1 of 6")
    expect(ring).to_be_visible()
    ready(page)  # on Curate
    for step in (2, 3, 4):
        page.keyboard.press("ArrowRight")
        expect(card).to_contain_text(f"{step} of 6")
        expect(ring).to_be_visible()
    # Nothing is in the way of an edit, which is of the first question.
    page.keyboard.press("x")
    expect(impact(page)).to_contain_text("Retired")
    saved(page)
    with Workspace.open(path) as workspace:
        assert "retired" in [question.state for question in workspace.bank()]
    page.reload()
    expect(card).to_contain_text("4 of 6")
    steps = (("Right", 5, "Check"), ("Right", 6, "Export"), ("Left", 5, "Check"))
    for way, step, name in steps:
        page.keyboard.press(f"Arrow{way}")
        expect(card).to_contain_text(f"{step} of 6")
        arrived(page, name)
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()

    # Left once it comes no more, unless it is asked for.
    page.reload()
    arrived(page, "Check")
    expect(card).to_be_hidden()
    page.keyboard.press("?")
    page.get_by_role("button", name="Tour").press("Enter")
    expect(card).to_contain_text("1 of 6")
