"""A model proposes on the Judge page, people decide: from the button to the bank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Locator, Page, expect

from curator.workspace import Workspace
from tests.browser.asked import NAMES, QUERIES, SUBTOPIC, Place, asked_workspace
from tests.browser.conftest import Server, serving
from tests.browser.curating import (
    adder,
    editor,
    impact,
    open_curate,
    question,
    ready,
    saved,
    selected,
)
from tests.samples.asked_models import answered
from tests.samples.chat_server import ChatServer, Streamed
from tests.samples.hand_made import HOSTILE
from tests.samples.page_proposals import LISTED, NAMED, TEXTS, listing

pytestmark = pytest.mark.browser

# The process of the model of vectors is this: one vector a text, by its length.
READER = """
import numpy as np
from grading.worker import Worker
Worker.start = lambda self: None
Worker.state = "ready"
Worker.encode = lambda self, texts, timeout=None: [
    np.eye(1, 4, len(text) % 4, dtype=np.float16) for text in texts
]
"""
ASKED_WITHIN = 60_000  # milliseconds in which a process has asked, on a busy machine


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ChatServer]:
    """A model that the module's servers ask."""
    with ChatServer(LISTED) as found:
        yield found


@pytest.fixture
def chat(endpoint: ChatServer) -> ChatServer:
    """It lists four questions, unless the test lets it say something else."""
    endpoint.answer = lambda prompt: LISTED
    endpoint.requests.clear()
    return endpoint


@contextmanager
def asking(path: Path, endpoint: ChatServer, importing: Path) -> Iterator[Server]:
    """A server of this workspace, which asks that model."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in endpoint.environment.items():
            patch.setenv(name, value)
        with serving(path, importing) as found:
            yield found


@pytest.fixture(scope="module")
def tasks_server(
    tmp_path_factory: pytest.TempPathFactory,
    endpoint: ChatServer,
    without_model: Path,
) -> Iterator[Server]:
    """A server of many such queries, started once a test process."""
    path = asked_workspace(tmp_path_factory.mktemp("asked"), NAMES)
    with asking(path, endpoint, without_model) as found:
        yield found


@pytest.fixture
def place(tasks_server: Server, chat: ChatServer) -> Place:
    """A query of its own for the test."""
    return Place(tasks_server.path, tasks_server.address, next(QUERIES))


@pytest.fixture
def reading() -> bool:
    """Whether the test's server reads new texts; a test says so by a parameter."""
    return False


@pytest.fixture
def server(
    tmp_path: Path, chat: ChatServer, without_model: Path, reading: bool
) -> Iterator[Server]:
    """A server of one such query, the test's own."""
    path, site = asked_workspace(tmp_path, ["q"]), without_model
    if reading:
        site = tmp_path / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(READER)
    with asking(path, chat, site) as found:
        yield found


@pytest.fixture
def alone(server: Server) -> Place:
    """That query."""
    return Place(server.path, server.address, "q")


class Halting(list[str]):
    """Pieces of which all but the first wait until the test lets them."""

    def __init__(self, pieces: Iterable[str], first: int, rest: Event) -> None:
        super().__init__(pieces)
        self._first, self._rest = first, rest

    def __iter__(self) -> Iterator[str]:
        for number, piece in enumerate(super().__iter__()):
            if number == self._first:
                self._rest.wait(60)
            yield piece


def proposed(page: Page) -> Locator:
    """The proposals in the list."""
    return page.locator(".c-proposed")


def beneath(page: Page) -> Locator:
    """What stands beneath the questions."""
    return page.locator(".q-new")


def summary(page: Page) -> Locator:
    """How many questions are kept, proposed and retired."""
    return page.locator(".c-listhead").first


def dialog(page: Page) -> Locator:
    """The dialog in which a model is asked."""
    return page.get_by_role("dialog")


def press_ask(page: Page) -> None:
    """Open the dialog and ask about what it offers."""
    page.keyboard.press("p")
    ask_button = dialog(page).get_by_role("button", name="Ask", exact=True)
    expect(ask_button).to_be_enabled()
    expect(dialog(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog(page)).to_have_count(0)


def ask(page: Page) -> None:
    """Have questions proposed, and wait until all are in the list."""
    press_ask(page)
    expect(proposed(page)).to_have_count(len(TEXTS), timeout=ASKED_WITHIN)


def asked(page: Page, place: Place, raw: str = LISTED) -> None:
    """Open the page on what a model has said, without the seconds that asking takes."""
    answered(
        place.path,
        raw,
        query_id=place.query_id,
        subtopic_id=place.subtopic_id,
        model=NAMED,
    )
    open_curate(page, place.url)
    expect(proposed(page).first).to_be_visible()


@pytest.mark.parametrize("reading", [True])
def test_a_model_proposes_and_a_judge_keeps_rewords_drops_and_undoes(
    page: Page, alone: Place, chat: ChatServer
) -> None:
    open_curate(page, alone.url)
    # The subtopic without a question is asked about.
    ask(page)
    assert SUBTOPIC in chat.requests[0].prompt
    headings = page.locator(".c-questions h2")
    expect(headings).to_have_text(["What it is", SUBTOPIC])
    expect(summary(page)).to_contain_text("1 kept")
    expect(summary(page)).to_contain_text("4 proposed")
    expect(proposed(page).first).to_contain_text("Proposed")
    expect(proposed(page).first).to_contain_text(NAMED)
    # They are graded by themselves, and resting on one says what keeping it would do.
    expect(proposed(page).first).to_contain_text("would reach", timeout=ASKED_WITHIN)
    proposed(page).first.hover()
    preview = page.get_by_role("complementary", name="If kept")
    expect(preview).to_contain_text("If kept: ")

    question(page, TEXTS[0]).locator(".q-text").click()
    page.keyboard.press("a")
    expect(impact(page)).to_contain_text(f"Kept “{TEXTS[0]}”")
    expect(selected(page)).to_contain_text(TEXTS[1])
    page.keyboard.press("e")
    editor(page).fill("How was it made?")
    editor(page).press("Enter")
    expect(question(page, "How was it made?")).not_to_contain_text("Proposed")
    expect(selected(page)).to_contain_text(TEXTS[2])
    selected(page).get_by_role("button", name="Drop").click()
    dropped = question(page, TEXTS[2])
    expect(dropped).to_contain_text("Dropped.")
    dropped.get_by_role("button", name="off topic").click()
    expect(selected(page)).to_contain_text(TEXTS[3])
    page.keyboard.press("a")
    expect(summary(page)).to_contain_text("4 kept")
    expect(summary(page)).to_contain_text("1 retired")
    expect(proposed(page)).to_have_count(0)
    saved(page)
    found = alone.bank()
    assert found["How was it made?"].state == "kept"
    assert found[TEXTS[2]].state == "retired"
    with Workspace.open(alone.path) as workspace:
        reason = workspace.retirements(alone.query_id)[
            found[TEXTS[2]].question_id
        ].reason
    assert reason == "off topic"
    ann = alone.decisions()
    assert (ann.unedited, ann.reworded, ann.dropped, ann.timed) == (2, 1, 1, 4)
    assert ann.seconds is not None
    assert 0 <= ann.seconds < 600

    # Each is taken back by itself, the latest first.
    for left in range(1, 5):
        page.keyboard.press("u")
        expect(proposed(page)).to_have_count(left)
        saved(page)
        expect(selected(page).locator(".q-text")).to_be_focused()
    assert alone.states() == ["proposed"] * 4
    assert alone.batches()[:4] == [{"keep"}, {"reword"}, {"drop"}, {"keep"}]


@pytest.mark.long
def test_what_is_shown_is_decided_in_one_step_and_undone_as_one(
    page: Page, place: Place
) -> None:
    asked(page, place)
    page.get_by_role("combobox", name="Show").select_option("proposed")
    expect(page.locator(".c-question")).to_have_count(4)
    proposed(page).first.locator(".q-text").click()
    for width in (1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        drop = selected(page).get_by_role("button", name="Drop")
        expect(drop).to_be_in_viewport(ratio=1)
        assert page.evaluate(
            "(list => list.scrollWidth <= list.clientWidth)"
            "(document.querySelector('.st-key-question_list'))"
        )
    keep_all = page.get_by_role("button", name="Keep all 4 shown")
    keep_all.click()
    # So many are asked about twice, and No changes nothing.
    expect(page.locator(".q-bulk")).to_contain_text("Keep 4?")
    page.get_by_role("button", name="No", exact=True).click()
    keep_all.click()
    page.get_by_role("button", name="Yes", exact=True).click()
    expect(summary(page)).to_contain_text("5 kept")
    expect(page.locator(".c-questions")).to_contain_text("No such question here.")
    saved(page)
    assert place.states() == ["kept"] * 4
    assert place.batches() == [{"keep"}]
    page.keyboard.press("u")
    expect(proposed(page)).to_have_count(4)
    saved(page)
    assert place.states() == ["proposed"] * 4

    # By hand: keeping one leaves three, which are dropped without a second question.
    proposed(page).first.locator(".q-text").click()
    page.keyboard.press("a")
    page.get_by_role("button", name="Drop all 3 shown").click()
    expect(summary(page)).to_contain_text("3 retired")
    saved(page)
    assert place.states() == ["kept", "retired", "retired", "retired"]
    # What is shown stays over another look; where that is nothing, all is a click away.
    page.reload()
    ready(page)
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".c-question")).to_have_count(5)


def test_where_people_write_first_nothing_a_model_said_reaches_the_browser(
    page: Page, alone: Place
) -> None:
    asked(page, alone)
    with Workspace.open(alone.path) as workspace:
        workspace.set_up(human_first=1)
    sent: list[str] = []

    def heard(payload: str | bytes) -> None:
        sent.append(
            payload if isinstance(payload, str) else payload.decode("utf-8", "replace")
        )

    page.on("websocket", lambda socket: socket.on("framereceived", heard))
    page.reload()
    ready(page)
    expect(beneath(page)).to_contain_text(
        "Write 1 more question of your own; then proposals are shown."
    )
    expect(page.get_by_role("button", name="Proposals")).to_have_count(0)
    expect(proposed(page)).to_have_count(0)
    assert any("Why is it?" in text for text in sent)
    assert not any(one in text for text in sent for one in TEXTS)

    page.keyboard.press("n")
    adder(page).fill("Who has it?")
    adder(page).press("Enter")
    expect(proposed(page)).to_have_count(4)
    shown = proposed(page).locator(".q-text").all_inner_texts()
    assert sorted(shown) == sorted(TEXTS)
    page.reload()
    ready(page)
    expect(proposed(page).locator(".q-text")).to_have_text(shown)


def test_what_a_model_writes_is_text_wherever_it_stands(
    page: Page, place: Place
) -> None:
    asked(page, place, listing(f"Is {HOSTILE} a question?", f"Why {HOSTILE}?"))
    expect(proposed(page)).to_have_count(2)
    text = proposed(page).first.locator(".q-text")
    expect(text).to_have_text(f"Is {HOSTILE} a question?")
    text.hover()
    text.click()
    page.keyboard.press("e")
    expect(editor(page)).to_have_value(f"Is {HOSTILE} a question?")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    expect(impact(page)).to_contain_text("Kept “Is <script>")
    page.keyboard.press("x")
    expect(page.locator(".c-questions s")).to_have_text(f"Why {HOSTILE}?")
    saved(page)
    assert page.evaluate("window.hurt") is None
    assert page.locator(".st-key-middle :is(script, img)").count() == 0


@pytest.mark.long
def test_a_response_that_is_no_list_is_shown_folded_as_it_came(
    page: Page, place: Place, chat: ChatServer
) -> None:
    go = Event()

    def answer(prompt: str) -> str:
        go.wait(60)
        return f"I cannot say. {HOSTILE} "

    chat.answer = answer
    open_curate(page, place.url)
    press_ask(page)
    expect(page.locator(".c-arriving")).to_contain_text(f"Asking {NAMED}…")
    go.set()
    line = beneath(page).locator(".c-line")
    expect(line).to_contain_text("without a list", timeout=ASKED_WITHIN)
    page.keyboard.press("p")
    unread = dialog(page).locator(".u-row").filter(has_text=place.query_id)
    expect(unread).to_contain_text(SUBTOPIC)
    expect(unread.locator("pre")).to_be_hidden()
    unread.locator("summary").click()
    expect(unread.locator("pre")).to_contain_text(f"I cannot say. {HOSTILE}")
    assert page.evaluate("window.hurt") is None
    go.clear()
    dialog(page).get_by_role("button", name="Ask again").first.click()
    expect(dialog(page)).to_have_count(0)
    expect(page.locator(".c-arriving")).to_be_visible()
    go.set()
    expect(line).to_contain_text("without a list", timeout=ASKED_WITHIN)
    assert len(chat.requests) == 2


@pytest.mark.long
def test_a_broken_line_keeps_what_arrived_and_asking_again_doubles_nothing(
    page: Page, place: Place, chat: ChatServer
) -> None:
    rest = Event()
    pieces = Halting(["[", *(f'"{text}", ' for text in TEXTS)], 2, rest)
    replies = iter([Streamed(pieces, broken_after=4)])
    chat.answer = lambda prompt: next(replies, LISTED)
    open_curate(page, place.url)
    press_ask(page)
    # What is there is decided on while the rest is on its way.
    expect(proposed(page)).to_have_count(1, timeout=ASKED_WITHIN)
    expect(proposed(page)).to_contain_text(TEXTS[0])
    expect(page.locator(".c-arriving")).to_contain_text("Asking")
    proposed(page).locator(".q-text").click()
    page.keyboard.press("a")
    expect(summary(page)).to_contain_text("2 kept")
    rest.set()
    line = beneath(page).locator(".c-error")
    expect(line).to_contain_text("arrived and can be decided", timeout=ASKED_WITHIN)
    assert 0 < proposed(page).count() < len(TEXTS) - 1
    line.get_by_role("button", name="Ask again").click()
    expect(proposed(page)).to_have_count(len(TEXTS) - 1, timeout=ASKED_WITHIN)
    expect(line).to_have_count(0)
    assert len(chat.requests) == 2
    assert place.states() == ["kept", "proposed", "proposed", "proposed"]
    assert len(place.bank()) == 1 + len(TEXTS)

    # All has been had: the dialog offers to ask again.
    page.keyboard.press("p")
    dialog(page).get_by_label("Subtopic").click()
    page.get_by_role("option", name=SUBTOPIC).click()
    expect(dialog(page)).to_contain_text("1 asked before.")
    expect(dialog(page).get_by_role("button", name="Ask again")).to_be_enabled()
    assert len(chat.requests) == 2


def test_a_reload_keeps_the_words_a_proposal_is_being_given(
    page: Page, place: Place
) -> None:
    asked(page, place)
    proposed(page).nth(1).locator(".q-text").click()
    page.keyboard.press("e")
    editor(page).fill("How would it be made?")
    page.reload()
    ready(page)
    expect(editor(page)).to_have_value("How would it be made?")
    expect(editor(page)).to_be_focused()
    assert place.states() == ["proposed"] * 4
    page.keyboard.press("Enter")
    expect(question(page, "How would it be made?")).not_to_contain_text("Proposed")
    expect(proposed(page)).to_have_count(3)
    saved(page)
    assert place.bank()["How would it be made?"].state == "kept"


@pytest.mark.long
def test_time_in_which_the_page_is_out_of_sight_does_not_count(
    page: Page, place: Place
) -> None:
    asked(page, place)
    proposed(page).first.locator(".q-text").click()
    turn = (
        "hidden => { Object.defineProperty(document, 'hidden', "
        "{ value: hidden, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange')) }"
    )
    page.evaluate(turn, True)
    # An hour passes.
    page.evaluate(
        "() => { const now = performance.now.bind(performance);"
        "performance.now = () => now() + 3_600_000 }"
    )
    page.evaluate(turn, False)
    page.keyboard.press("a")
    expect(summary(page)).to_contain_text("2 kept")
    saved(page)
    ann = place.decisions()
    assert ann.seconds is not None
    assert ann.seconds < 3_600


@pytest.mark.long
def test_without_an_endpoint_the_dialog_says_who_sets_a_model(
    page: Page, unchanged: str
) -> None:
    open_curate(page, unchanged)
    page.keyboard.press("p")
    expect(dialog(page)).to_contain_text("the organizer sets one on Settings")
    dialog(page).get_by_role("button", name="Settings").click()
    expect(page.get_by_role("heading", name="General")).to_be_visible()
    expect(dialog(page)).to_have_count(0)


@pytest.mark.long
def test_a_page_at_rest_looks_no_more_often_once_a_model_was_asked(
    page: Page, place: Place
) -> None:
    looks: list[object] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda one: looks.append(one)),
    )
    open_curate(page, place.url)
    ask(page)
    expect(page.locator(".c-arriving")).to_have_count(0)
    page.wait_for_timeout(1000)
    looks.clear()
    page.wait_for_timeout(3000)
    # By hand: one every 1.5 seconds is at most 3; while it was asked, 6 more.
    assert len(looks) <= 4
