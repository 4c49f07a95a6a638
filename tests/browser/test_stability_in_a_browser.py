"""How stable the board is stands beside the work, and follows an edit by itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.curating import open_board, open_curate, row
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_what_more_questions_would_do_comes_by_itself_and_follows_an_edit(
    page: Page, task: Task
) -> None:
    # By the best rating both systems are alike.
    open_curate(page, task.url(measure="Cover"))
    open_board(page)
    panel = page.get_by_role("region", name="Good enough?")
    expect(panel).to_contain_text("2 more questions here would change the top ten with")
    for letter in ("a", "b"):
        row(page, task.question_id(letter)).click()
        page.keyboard.press("x")
        expect(row(page, task.question_id(letter))).to_contain_text("Retired")
    # With a single question left, others can tell nothing here.
    expect(panel).not_to_contain_text("questions here")
