"""Pages and their parts as a judge finds them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

from curator.web.components.places import PLACES, area_page


def open_curate(page: Page, url: str) -> None:
    """Open it and wait until keys and clicks are heard.

    By an address without parameters, which opens the Overview, with one.
    """
    page.goto(url if "?" in url else f"{url}/?k=20")
    ready(page)


def ready(page: Page) -> None:
    """The page is there, with the questions of some query and the list of queries."""
    expect(page.locator("html[data-listener=ready][data-questions]")).to_be_attached()
    expect(page.locator(".c-query").first).to_be_attached()
    # The reader is drawn last.
    idle = '.stApp[data-test-script-state="notRunning"]'
    expect(page.locator(idle)).to_be_attached()


def open_page(page: Page, address: str, name: str, **params: str) -> None:
    """Open the page of this name by its own address, and wait until keys are heard."""
    asked = f"?{urlencode(params)}" if params else ""
    page.goto(f"{address}/{PLACES[name].address}{asked}")
    arrived(page, name)


def go_to(page: Page, name: str) -> None:
    """Go to the page of this name by the navigation: its area, then its tab."""
    area = PLACES[name].area
    here = area in page.locator(".st-key-area_here").inner_text()
    if not here:
        page.locator(".st-key-pages").get_by_role("link", name=area).click()
    if here or name != area_page(area):
        tab(page, name).click()
    arrived(page, name)


def arrived(page: Page, name: str) -> None:
    """The page of this name is shown, and keys are heard."""
    place = PLACES[name]
    expect(page.locator(".st-key-area_here")).to_contain_text(place.area)
    if sum(one.area == place.area for one in PLACES.values()) > 1:
        expect(tab(page, name)).to_have_attribute("aria-current", "page")
    expect(page.locator("html[data-listener=ready]")).to_be_attached()


def tab(page: Page, name: str) -> Locator:
    """The tab of the page of this name, in its area."""
    return page.locator(f'.c-tabs [data-pick="goto:{name}"]')


def open_settings(page: Page) -> None:
    """Open the control that holds the settings of the board."""
    page.locator("details.c-settings > summary").click()
    expect(page.locator("details.c-settings[open]")).to_be_attached()


def open_board(page: Page) -> None:
    """Open the board in its drawer."""
    page.keyboard.press("b")
    expect(page.locator(".st-key-drawer .c-board").first).to_be_visible()


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
    """The sentence at the bottom."""
    return page.locator(".st-key-bottom .c-impact")


@contextmanager
def held(path: Path) -> Iterator[sqlite3.Connection]:
    """Another program writes, and takes its time."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    yield other
    other.close()
