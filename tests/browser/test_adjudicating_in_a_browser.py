"""Deciding where judges differ, by keys, while another judge goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.bank.edits import Vote
from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.browser.curating import go_to, left, open_page, saved

pytestmark = pytest.mark.browser


def test_keys_decide_and_what_another_says_appears_without_taking_the_focus(
    page: Page, server: Server, path: Path
) -> None:
    with Workspace.open(path) as one:
        for by, vote in (("bo", "vital"), ("cy", "okay")):
            one.apply(Vote("q1/a", vote), by=by)  # type: ignore[arg-type]
        one.add_people("ann", "organizer")
    open_page(page, server.address, "Check", queue="disagreements")
    expect(page.locator(".c-question")).to_have_count(1)
    waiting = page.locator(".k-chips [aria-current] i")
    reason = page.get_by_role("textbox", name="Reason")
    reason.fill("as the guidelines say")
    with Workspace.open(path) as one:  # typed keys decide nothing
        assert not any(one.bank().decisions.values())
        one.apply(Vote("q1/c", "vital"), by="bo")
        one.apply(Vote("q1/c", "okay"), by="cy")
    expect(page.locator(".c-question")).to_have_count(2)
    expect(reason).to_be_focused()
    expect(reason).to_have_value("as the guidelines say")
    # It is of its own difference, through others, another page and a reload.
    reason.press("Escape")
    first, other = page.locator(".c-question").all()
    other.click()
    expect(reason).to_have_value("")
    expect(left(page)).to_contain_text("as the guidelines say")
    go_to(page, "History")
    open_page(page, server.address, "Check", queue="disagreements")
    expect(page.locator(".c-question")).to_have_count(2)
    first.click()
    expect(reason).to_have_value("as the guidelines say")
    page.keyboard.press("2")
    saved(page)
    expect(waiting).to_have_text("1")
    expect(reason).to_have_value("")
    expect(left(page)).to_have_count(0)
    with Workspace.open(path) as one:
        (found,) = (o for o in one.adjudication(decided=True).differences if o.decided)
        assert found.decision is not None
        assert (found.decision.value, found.decision.reason) == (
            *("okay", "as the guidelines say"),
        )
    page.keyboard.press("z")
    expect(waiting).to_have_text("2")
