"""A judge votes by keyboard; how others voted is on the page only beside one's own."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from curator.bank.edits import Vote
from curator.workspace import Workspace
from tests.browser.curating import open_curate, question, saved, selected
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser


def votes(task: Task) -> list[dict[str, str]]:
    """The votes on questions a, b and c as they are saved, by judge."""
    return [dict(question.votes) for question in task.questions()]


def test_votes_by_keyboard_outlive_a_reload_and_are_blind_until_given(
    page: Page, task: Task
) -> None:
    with Workspace.open(task.path, judge="Benedict") as workspace:
        workspace.apply([Vote(task.question_id(one), "okay") for one in "abc"])
    open_curate(page, task.url())
    assert "Benedict" not in page.content()

    page.keyboard.press("v")  # nothing is selected: the first question
    expect(selected(page)).to_contain_text("How is it?")
    page.keyboard.press("o")
    # At once: the third question is there to be voted on, whatever was answered.
    expect(selected(page)).to_contain_text("When is it?")
    saved(page)
    assert "Benedict" not in page.locator(".c-questions").inner_html()
    page.keyboard.press("v")
    expect(selected(page)).to_contain_text("okay: Benedict")
    saved(page)
    assert [one["ann"] for one in votes(task)] == ["vital", "okay", "vital"]

    page.reload()
    expect(page.locator(".q-vote")).to_have_text(["vital", "okay", "vital"])
    expect(page.get_by_text("3 voted on")).to_be_visible()
    page.keyboard.press("u")
    expect(page.locator(".q-vote")).to_have_count(2)
    expect(selected(page)).to_contain_text("When is it?")
    expect(selected(page)).not_to_contain_text("Benedict")
    saved(page)
    assert ["ann" in one for one in votes(task)] == [True, True, False]

    # The same vote again takes it back.
    question(page, "How is it?").locator(".q-text").click()
    page.keyboard.press("o")
    expect(page.locator(".q-vote")).to_have_count(1)
    saved(page)
    assert ["ann" in one for one in votes(task)] == [True, False, False]
