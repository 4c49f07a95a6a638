"""A judge votes by keyboard; how others voted is on the page only beside one's own."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from curator.bank.edits import Vote
from curator.workspace import Workspace
from tests.browser.curating import saved, selected
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser

READY = "html[data-listener=ready][data-questions]"


def votes(task: Task) -> list[dict[str, str]]:
    """The votes on questions a, b and c as they are saved, by judge."""
    return [dict(question.votes) for question in task.questions()]


def test_three_votes_by_keyboard_outlive_a_reload_and_are_blind_until_given(
    page: Page, task: Task
) -> None:
    with Workspace.open(task.path, judge="Benedict") as workspace:
        workspace.apply([Vote(task.question_id(one), "okay") for one in "abc"])
    asked = urlencode({"query": task.query_id, "judge": "ann"})
    page.goto(f"{task.address}/votes?{asked}")
    expect(page.locator(READY)).to_be_attached()
    expect(selected(page)).to_contain_text("Why is it?")
    assert "Benedict" not in page.content()

    page.keyboard.press("v")
    page.keyboard.press("o")
    # At once: the third question is there to be voted on, whatever was answered.
    expect(selected(page)).to_contain_text("When is it?")
    saved(page)
    expect(page.locator(".c-question").nth(0)).to_contain_text("okay: Benedict")
    assert "Benedict" not in page.locator(".c-question").nth(2).inner_html()
    page.keyboard.press("v")
    following = page.get_by_role("button", name="Next: ")
    expect(following).to_be_focused()
    saved(page)
    mine = [one["ann"] for one in votes(task)]
    assert mine == ["vital", "okay", "vital"]

    page.reload()
    expect(page.locator(READY)).to_be_attached()
    expect(page.locator('[aria-pressed="true"]')).to_have_count(3)
    page.keyboard.press("u")
    expect(page.locator('.c-questions [aria-pressed="true"]')).to_have_count(2)
    expect(selected(page)).to_contain_text("When is it?")
    expect(selected(page)).not_to_contain_text("Benedict")
    saved(page)
    assert ["ann" in one for one in votes(task)] == [True, True, False]

    page.keyboard.press("k")
    page.keyboard.press("w")
    expect(page.locator('.c-questions [aria-pressed="true"]')).to_have_count(1)
    saved(page)
    assert ["ann" in one for one in votes(task)] == [True, False, False]
