"""A judge goes through a query's passages, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Locator, Page, WebSocketRoute, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from curator.workspace import Workspace
from tests.browser.curating import go_to
from tests.samples.hand_made import HOSTILE

pytestmark = pytest.mark.browser


def current(page: Page) -> Locator:
    """The passage that is marked."""
    return page.locator(".p-passage[aria-current]")


def show(page: Page, name: str) -> Locator:
    """The button of this filter."""
    return page.locator(f'[data-filter="show:{name}"]')


def open_passages(page: Page, address: str) -> None:
    """Query q1's passages, by the page's own address."""
    page.goto(f"{address}/passages?query=q1")
    expect(current(page)).to_be_visible()
    expect(page.locator("html[data-listener=ready]")).to_be_attached()
    # The list is drawn a moment before the controls that keys press.
    expect(page.get_by_role("button", name="Add a question")).to_be_visible()


@pytest.mark.long
def test_a_question_is_added_from_a_passage_with_one_key(
    page: Page, address: str, path: Path
) -> None:
    open_passages(page, address)
    page.keyboard.press("]")
    expect(current(page)).to_contain_text("Text of p2.")
    page.keyboard.press("a")
    field = page.get_by_placeholder("A question this passage answers")
    expect(field).to_be_focused()
    page.keyboard.type("Where [ does it o stand?")
    expect(current(page)).to_contain_text("Text of p2.")  # letters are only letters

    # Filtering does not lose what is being written.
    show(page, "nonrelevant-answered").click()
    expect(show(page, "nonrelevant-answered")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".p-passage")).to_have_count(1)
    expect(field).to_have_value("Where [ does it o stand?")

    field.press("Enter")
    expect(page.locator(".p-said:visible")).to_contain_text("Added.")
    expect(field).to_be_hidden()
    expect(page.locator(".p-question")).to_have_count(4)
    with Workspace.open(path) as workspace:
        texts = [q.text for q in workspace.bank().questions_of("q1")]
    assert texts.count("Where [ does it o stand?") == 1


def test_a_draft_survives_leaving_the_page_and_another_query(
    page: Page, address: str, path: Path
) -> None:
    open_passages(page, address)
    page.keyboard.press("a")
    field = page.get_by_placeholder("A question this passage answers")
    field.fill("Half a question")
    page.locator(".c-query").filter(has_text="Who?").click()
    expect(current(page)).to_contain_text("Text of p3.")
    expect(field).to_be_hidden()
    go_to(page, "Judge")
    expect(page.locator(".c-question").first).to_be_visible()
    go_to(page, "Passages")
    page.locator(".c-query").filter(has_text="What is it?").click()
    expect(field).to_have_value("Half a question")
    with Workspace.open(path) as workspace:
        assert len(workspace.bank().questions_of("q1")) == 3


@pytest.mark.long
def test_reloading_comes_back_to_the_same_view(page: Page, unchanged: str) -> None:
    page.goto(f"{unchanged}/passages?query=q1&show=nonrelevant-answered&system=two")
    for _ in range(2):
        expect(current(page)).to_contain_text("Text of p2.")
        expect(page.locator(".p-passage")).to_have_count(1)
        pressed = show(page, "nonrelevant-answered")
        expect(pressed).to_have_attribute("aria-pressed", "true")
        expect(page.locator('select[data-filter="system"]')).to_have_value("two")
        page.reload()


def test_passages_are_inert_and_are_filtered_by_a_question(
    page: Page, unchanged: str
) -> None:
    open_passages(page, unchanged)
    expect(current(page)).to_contain_text(HOSTILE)
    assert page.evaluate("window.hurt") is None
    assert page.locator("main img").count() == 0

    # Nothing scrolls sideways.
    for width in (1440, 1280, 1024):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(
            "document.documentElement.scrollWidth <= innerWidth &&"
            "[...document.querySelectorAll("
            "'.st-key-pool, .st-key-middle, .st-key-right')]"
            ".every(pane => pane.scrollWidth <= pane.clientWidth)"
        )
    page.set_viewport_size({"width": 1440, "height": 900})

    expect(page.locator(".p-passage")).to_have_count(2)
    asked = page.locator(".p-question").filter(has_text="When is it?")
    asked.click()
    expect(page.locator(".p-passage")).to_have_count(1)
    expect(current(page)).to_contain_text("Text of p2.")
    expect(page).to_have_url(re.compile("question=q1%2Fc"))
    page.locator(".p-chip").click()
    expect(page.locator(".p-passage")).to_have_count(2)

    page.locator(".p-passage").filter(has_text="Text of p2.").click()
    expect(current(page)).to_contain_text("Text of p2.")


@pytest.mark.long
def test_what_the_page_before_asks_late_does_not_empty_the_next(
    page: Page, unchanged: str
) -> None:
    """A look that a page takes by itself reaches the server while it draws another."""
    late: list[str | bytes] = []
    left = False

    def connect(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def to_server(message: str | bytes) -> None:
            asked = BackMsg.FromString(cast("bytes", message)).rerun_script
            (late.append if left and asked.is_auto_rerun else server.send)(message)

        def to_browser(message: str | bytes) -> None:
            # Sent when the script begins, long before the page in it is drawn.
            if ForwardMsg.FromString(cast("bytes", message)).HasField("navigation"):
                while late:
                    server.send(late.pop())
            browser.send(message)

        browser.on_message(to_server)
        server.on_message(to_browser)

    page.route_web_socket("**/_stcore/stream", connect)
    open_passages(page, unchanged)
    page.locator(".p-passage").filter(has_text="Text of p2.").click()
    expect(current(page)).to_contain_text("Text of p2.")
    left = True
    while not late:
        page.wait_for_timeout(50)
    page.keyboard.press("o")
    expect(page.locator(".c-reader")).to_contain_text("Text of p2.")
    while not late:  # what comes of it is here, and the next page looks by itself too
        page.wait_for_timeout(50)
    expect(page.locator(".c-reader")).to_contain_text("Text of p2.")


def test_passages_are_searched_ordered_marked_and_undone_by_keys(
    page: Page, address: str, path: Path
) -> None:
    open_passages(page, address)
    found = page.locator(".p-found h2")
    page.keyboard.press("f")
    expect(page.locator(".p-find")).to_be_focused()
    page.keyboard.type("p2")
    page.keyboard.press("Enter")
    expect(found).to_have_text("1 of 2 passages")
    expect(page).to_have_url(re.compile("words=p2"))
    page.keyboard.press("i")
    expect(page.locator(".p-said")).to_contain_text("Marked the whole passage")
    page.keyboard.press("u")
    expect(page.locator(".p-said")).to_contain_text("Undone: marked as an ideal answer")
    page.keyboard.press("Escape")
    expect(found).to_have_text("2 passages")
    page.keyboard.press("t")
    page.keyboard.press("ArrowDown")
    expect(page).to_have_url(re.compile("sort=label"))
    expect(page.locator(".p-order")).to_be_focused()  # by now it is another element
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Escape")
    expect(page.locator(".p-order")).not_to_be_focused()
    expect(page).to_have_url(re.compile("sort=label"))
    page.keyboard.press("b")
    expect(page).to_have_url(re.compile("reverse=yes"))
    with Workspace.open(path) as workspace:
        kinds = [one.kind for one in workspace.history(limit=2)]
    assert kinds == ["undo ideal", "ideal"]
