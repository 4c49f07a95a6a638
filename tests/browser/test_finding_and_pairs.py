"""Letters after g, what Ctrl+K finds, and answers to the pair in sight, by keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from curator.bank.marks.check import Checked
from tests.browser.curating import (
    arrived,
    begin,
    editor,
    open_curate,
    ready,
    saved,
    selected,
)
from tests.browser.tasks import TASKS, Task

pytestmark = pytest.mark.browser


def test_letters_and_names_lead_to_pages_queries_and_actions(
    page: Page, task: Task
) -> None:
    press, other = page.keyboard.press, next(TASKS)
    open_curate(page, task.url("a"))
    # The tenth stop of Tab: the main part comes before the left.
    page.get_by_role("link", name="Skip to main content").focus()
    reached = "document.activeElement.matches('.c-question .q-text')"
    for _ in range(9):
        press("Tab")
        if page.evaluate(reached):
            break
    assert page.evaluate(reached)
    for key, name in (("r", "Ranking"), ("o", "Overview")):
        press("g")
        press(key)
        arrived(page, name)
    press("g")
    press("j")
    ready(page)
    find = page.get_by_role("dialog", name="Find")

    def choose(words: str) -> None:
        press("Control+k")
        page.keyboard.type(words)
        expect(find.get_by_role("option", selected=True)).to_contain_text(words)
        press("Enter")
        expect(find).to_be_hidden()

    press("Control+k")
    page.keyboard.type("Can")
    press("Escape")
    expect(find).to_be_hidden()
    choose("Can I trust it?")
    arrived(page, "Trust")
    choose(f"What is {task.query_id}?")
    ready(page)
    heading = page.get_by_role("heading", level=1)
    # It is heard in a field, too, and takes nothing from it.
    choose("Why is it?")
    begin(page, "Why was it")
    choose(f"What is {other}?")
    expect(heading).to_contain_text(other)
    choose(f"What is {task.query_id}?")
    expect(editor(page)).to_have_value("Why was it")
    choose(f"What is {other}?")
    expect(heading).to_contain_text(other)
    choose("When is it?")
    expect(selected(page)).to_contain_text("When is it?")
    choose("Open the board")
    expect(page.locator(".st-key-drawer .c-board").first).to_be_visible()
    press("b")
    expect(page.locator(".st-key-drawer .c-board")).to_have_count(0)


def test_a_key_answers_the_pair_of_the_question_and_the_passage_asked_for(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url())
    press, yes = page.keyboard.press, page.locator(".c-pair [data-key=y]")
    # With nothing selected the first question comes into sight, unanswered.
    expect(page.locator(".c-pair")).to_have_count(0)
    press("y")
    expect(selected(page)).to_contain_text("Why is it?")
    expect(yes).to_have_attribute("aria-pressed", "false")
    assert task.kinds() == []
    press("y")
    expect(yes).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".c-pair")).to_contain_text("model: yes")
    shown = page.get_by_role("combobox", name="Passages to go through")
    shown.select_option("all")
    expect(page).to_have_url(re.compile("show=all"))
    # Faster than the page: each answer is of what the key before went to.
    for key in ("]", "Y", "j", "y", "[", "Y"):
        press(key)
    reader, no = page.locator(".c-reader"), page.locator(".c-pair [data-key=Y]")
    expect(reader).to_have_attribute("data-asked", task.question_id("b"))
    expect(reader).to_have_attribute("data-passage", f"{task.query_id}p")
    expect(no).to_have_attribute("aria-pressed", "true")
    saved(page)
    marks = [event.change.mark for event in task.events()]
    pairs = [
        (mark.question_id, mark.passage_id, mark.after.answer)
        for mark in marks
        if isinstance(mark, Checked) and mark.after is not None
    ]
    a, b = task.question_id("a"), task.question_id("b")
    p, q = f"{task.query_id}p", f"{task.query_id}q"
    assert pairs == [(a, p, "yes"), (a, q, "no"), (b, q, "yes"), (b, p, "no")]
