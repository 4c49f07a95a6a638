"""A page that loses its server says so, keeps what is typed, and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, WebSocketRoute, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.conftest import GONE, Server, watched
from tests.browser.curating import editor, ready, row, saved, write
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser

LOST = "Not connected. What you type is kept here"


@dataclass
class Wire:
    """The websockets of a page: they can be cut, refused and spoken into."""

    sockets: list[WebSocketRoute] = field(default_factory=list)
    refusing: bool = False

    def opened(self, socket: WebSocketRoute) -> None:
        """The page has opened one."""
        if self.refusing:
            socket.close()
        else:
            socket.connect_to_server()
            self.sockets.append(socket)

    def cut(self) -> None:
        """Close the latest."""
        self.sockets[-1].close()

    def confuse(self) -> None:
        """Refer to a message that the page does not have."""
        message = ForwardMsg(ref_hash="0" * 32)
        message.metadata.delta_path.extend([0, 0])
        self.sockets[-1].send(message.SerializeToString())


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose server goes, and which may load itself again.

    Streamlit then asks the page's own address for its health, too.
    """
    with watched(context.new_page(), f"{GONE}|/_stcore/") as opened:
        yield opened


@pytest.fixture
def wire(page: Page) -> Wire:
    """What the page below hangs on."""
    found = Wire()
    page.route_web_socket("**/_stcore/stream", found.opened)
    return found


def line(page: Page) -> Locator:
    """What a page says that is not connected."""
    return page.locator(".c-lost")


def mark(page: Page) -> None:
    """To tell whether the page is loaded again."""
    page.evaluate("window.unloaded = 'never'")


@pytest.mark.long
def test_who_is_writing_when_the_server_goes_loses_no_letter(
    page: Page, tasks_server: Server, task: Task
) -> None:
    write(page, task.url("a"))
    mark(page)
    tasks_server.kill()
    # By then Streamlit has opened its box several times.
    more = " And how, and since when, and who has ever said that it was so, and why?"
    page.keyboard.type(more, delay=120)
    expect(line(page)).to_contain_text(LOST)
    expect(page.get_by_text("Connection error")).to_have_count(0)
    expect(editor(page)).to_have_value(f"Why was it?{more}")
    expect(editor(page)).to_be_focused()
    tasks_server.start()
    expect(line(page)).to_be_hidden()
    page.keyboard.press("Enter")
    saved(page)
    assert task.question("a").text == f"Why was it?{more}"
    assert page.evaluate("window.unloaded") == "never"


def test_a_cut_wire_is_said_while_it_is_cut_and_nothing_typed_is_lost(
    page: Page, wire: Wire, task: Task
) -> None:
    write(page, task.url("a"))
    mark(page)
    wire.refusing = True
    wire.cut()
    expect(line(page)).to_contain_text(LOST)
    editor(page).press_sequentially(" And how?")
    page.keyboard.press("Enter")
    expect(row(page, task.question_id("a"))).to_contain_text("Why was it? And how?")
    wire.refusing = False
    expect(line(page)).to_be_hidden()
    saved(page)
    assert task.question("a").text == "Why was it? And how?"
    assert task.kinds() == ["reword"]
    assert page.evaluate("window.unloaded") == "never"


@pytest.mark.long
def test_a_page_that_could_not_read_a_message_loads_itself_with_what_was_typed(
    page: Page, wire: Wire, task: Task
) -> None:
    write(page, task.url("a"))
    mark(page)
    wire.confuse()
    # Not under the hands of who is typing.
    for letters in (" And", " how", ", and", " since", " when?"):
        page.keyboard.type(letters)
        page.wait_for_timeout(700)
    assert page.evaluate("window.unloaded") == "never"
    expect(line(page)).to_contain_text("loads again by itself")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.wait_for_function("window.unloaded !== 'never'")
    ready(page)
    typed = "Why was it? And how, and since when?"
    expect(editor(page)).to_have_value(typed)
    expect(editor(page)).to_be_focused()
    expect(line(page)).to_be_hidden()

    # No loop: what is wrong again at once waits, and says so.
    mark(page)
    wire.confuse()
    expect(line(page)).to_contain_text("loads again by itself")
    page.wait_for_timeout(8000)
    assert page.evaluate("window.unloaded") == "never"
    line(page).get_by_role("button", name="Load it again").click()
    page.wait_for_function("window.unloaded !== 'never'")
    ready(page)
    expect(editor(page)).to_have_value(typed)
    page.keyboard.press("Enter")
    saved(page)
    assert task.question("a").text == typed
