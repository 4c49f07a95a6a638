"""What a judge finds on the Judge page."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect


def open_curate(page: Page, url: str) -> None:
    """Open it and wait until keys and clicks are heard.

    By an address without parameters, which opens the Overview, with one.
    """
    page.goto(url if "?" in url else f"{url}/?k=20")
    ready(page)


def ready(page: Page) -> None:
    """The page is there, with the questions of some query and the list of queries."""
    expect(page.locator("html[data-listener=ready][data-questions]")).to_be_attached()
    expect(page.locator(".c-query").first).to_be_attached()  # drawn last


def open_page(page: Page, address: str, name: str, **params: str) -> None:
    """Open the page of this name by its own address, and wait until keys are heard."""
    asked = f"?{urlencode(params)}" if params else ""
    page.goto(f"{address}/{name.lower()}{asked}")
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.locator("html[data-listener=ready]")).to_be_attached()


def begin(page: Page, text: str) -> None:
    """Begin to reword the question that is selected."""
    page.keyboard.press("e")
    expect(editor(page)).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def write(page: Page, url: str, text: str = "Why was it?") -> None:
    """Open a question and begin to reword it."""
    open_curate(page, url)
    begin(page, text)


def row(page: Page, question_id: str) -> Locator:
    """The row of this question."""
    return page.locator(f'[data-question="{question_id}"]')


def question(page: Page, text: str) -> Locator:
    """The row of the question with this text."""
    return page.locator(".c-question").filter(has_text=text)


def selected(page: Page) -> Locator:
    """The row that keys speak to."""
    return page.locator(".c-question[data-selected]")


def editor(page: Page) -> Locator:
    """The field in which a question is reworded."""
    return page.get_by_role("textbox", name="Text of the question")


def adder(page: Page) -> Locator:
    """The field for new questions."""
    return page.get_by_role("textbox", name="New question, or a list")


def conflict(page: Page) -> Locator:
    """The two texts of a question that two have changed."""
    return page.get_by_role("group", name="Two texts of this question")


def left(page: Page) -> Locator:
    """The texts that are not saved, other than those in conflict."""
    return page.get_by_role("group", name="A text that is not saved")


def saved(page: Page) -> None:
    """Everything that was asked for has been answered."""
    expect(page.locator("[data-unsaved]")).to_have_count(0)


def impact(page: Page) -> Locator:
    """The sentence on the right."""
    return page.locator(".c-impact")


@contextmanager
def held(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program writes, and takes its time."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()
