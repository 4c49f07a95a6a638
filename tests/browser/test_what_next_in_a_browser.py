"""What next, gone through by keyboard alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.workspace import Workspace
from tests.browser.curating import adder, left, open_curate, selected

pytestmark = pytest.mark.browser


def test_the_next_things_are_done_written_and_left_alone_by_keys(
    page: Page, address: str, path: Path
) -> None:
    open_curate(page, address)
    press, steps = page.keyboard.press, page.get_by_role("region", name="What next")
    expect(steps).to_contain_text("All of the judged passages that answer it")
    # Enter goes to the first where no question is selected; nothing is changed by it.
    press("Enter")
    expect(selected(page)).to_contain_text("When is it?")
    expect(steps.get_by_role("button", name="Retire it")).to_be_visible()
    with Workspace.open(path) as workspace:
        assert workspace.history() == ()
    # What it would do is seen whether or not the question was selected before.
    preview = page.get_by_role("complementary", name="If retired")
    expect(preview).to_be_visible()
    press("Escape")
    expect(preview).to_be_hidden()
    steps.get_by_text("All of the judged passages").click()
    expect(preview).to_be_visible()
    press("x")
    expect(selected(page)).to_contain_text("Retired.")
    # With nothing else to do here it goes on to the other query.
    expect(steps).to_contain_text("Nothing else here would change much.")
    press(".")
    expect(steps.get_by_role("button", name="Mark it done")).to_be_visible()
    press(".")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Who?")
    expect(steps.get_by_role("button", name="Write from it")).to_be_visible()
    # It is over once a question is selected, and none is while it is gone about.
    press("j")
    expect(selected(page)).to_contain_text("Who is it?")
    expect(steps.get_by_role("button", name="Write from it")).to_be_hidden()
    steps.get_by_text("covered by no question").click()
    expect(selected(page)).to_have_count(0)
    expect(preview).to_be_hidden()
    press("n")
    expect(adder(page)).to_be_focused()
    page.keyboard.type("Who was there?")
    press("Enter")
    expect(steps).not_to_contain_text("covered by no question")
    press(".")
    expect(selected(page)).to_contain_text("Who is it?")
    press(",")
    expect(page.get_by_label("Why it is left alone")).to_be_focused()
    page.keyboard.type("It is asked for")
    press("Escape")
    expect(left(page)).to_contain_text("It is asked for")
    press(",")
    page.keyboard.type(", x and all.")
    press("Enter")
    expect(steps).not_to_contain_text("Answered by 0 of")
    press("u")
    expect(steps).to_contain_text("Answered by 0 of")
    with Workspace.open(path) as workspace:
        made = [one.change.kind for one in reversed(workspace.history())]
        assert made == ["retire", "add", "dismiss", "dismiss", "undo dismiss"]
        retired = [one for one in workspace.history() if one.change.kind == "retire"]
        assert [one.change.reason for one in retired] == ["off topic"]
