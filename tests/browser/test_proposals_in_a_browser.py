"""A model is named on Settings and asked from Proposals, again where unreadable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from tests.browser.curating import go_to, open_page
from tests.samples.chat_server import ChatServer
from tests.samples.hand_made import HOSTILE

pytestmark = pytest.mark.browser

MODEL = "test-model"
KEY = "sk-not-to-be-shown"
A_LOOK = 2_000  # milliseconds; the page looks at everything once more meanwhile
JOB = 60_000  # milliseconds in which a job's process starts, on a busy machine


def answer(prompt: str) -> str:
    """Three questions about q1; about q2 what nobody can read, the first time."""
    if "'Who?'" in prompt and not answer.__dict__.setdefault("asked", False):
        answer.__dict__["asked"] = True
        return f"I would rather not. {HOSTILE}"
    name = "it" if "'What is it?'" in prompt else "they"
    return f"['Where is {name}?', 'How old is {name}?', 'Whose is {name}?']"


@pytest.fixture(autouse=True)
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A model at an endpoint that the served processes find in their environment."""
    answer.__dict__.clear()
    with ChatServer(answer, key=KEY, models=[MODEL]) as server:
        server.lead(monkeypatch)
        yield server


@pytest.mark.long
def test_a_model_is_named_asked_about_all_and_asked_again_where_it_was_unreadable(
    page: Page, address: str, path: Path, chat: ChatServer
) -> None:
    open_page(page, address, "Settings")
    field, state = page.get_by_label("Model"), page.locator(".o-state")
    field.fill(MODEL)
    expect(page.locator(".st-key-right")).to_contain_text("as typed, not saved yet")
    expect(state).to_have_text("Not saved yet.")
    field.press("Enter")
    expect(state).to_contain_text("Saved")
    expect(page.locator(".st-key-right")).to_contain_text("as saved")
    expect(page.locator(".st-key-right code")).to_contain_text("'What is it?'")
    go_to(page, "Judge")
    page.keyboard.press("p")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"at {chat.host}")
    dialog.get_by_role("radio", name="Every query").click()
    expect(dialog).to_contain_text("2 prompts, about ")
    assert not chat.requests

    dialog.get_by_role("button", name="Ask", exact=True).click()
    expect(dialog.get_by_text("1 over")).to_be_visible(timeout=JOB)
    expect(dialog).to_contain_text("2 asked before.")
    expect(dialog).to_contain_text("3 proposals undecided")

    # As it came: text, and nothing that does anything.
    row = dialog.locator(".u-row")
    expect(row).to_have_count(1)
    row.locator("summary").press("Enter")
    expect(row.locator("pre")).to_have_text(f"I would rather not. {HOSTILE}")
    page.wait_for_timeout(A_LOOK)
    expect(row.locator("pre")).to_be_visible()  # and it is not folded again
    assert page.evaluate("window.hurt") is None

    again = dialog.get_by_role("button", name="Ask again")
    again.focus()
    again.press("Enter")
    expect(row).to_have_count(0, timeout=JOB)
    expect(dialog).to_contain_text("6 proposals undecided")
    # Nothing was asked twice but what was to be.
    assert sorted(chat.answered.values()) == [1, 2]
    assert KEY not in page.content()
    with Workspace.open(path) as workspace:
        (job,) = workspace.jobs()
        assert (job.kind, job.state, job.by) == ("generate", "done", "ann")


@pytest.mark.long
def test_what_is_typed_outlives_redraws_and_another_persons_save(
    page: Page, address: str, path: Path
) -> None:
    open_page(page, address, "Settings")
    expect(page.locator(".o-state")).to_contain_text("Name a model")
    # What somebody else saves is shown where nothing is being written.
    with Workspace.open(path, judge="ben") as workspace:
        workspace.set_up(generation=GenerationRequest("bens-model"))
    field = page.get_by_label("Model")
    expect(field).to_have_value("bens-model")

    page.get_by_label("Prompt", exact=True).select_option("own")
    own = page.get_by_label("Your prompt")
    own.click()
    page.keyboard.type("Ask about {query_title} {{well known}}")
    page.wait_for_timeout(A_LOOK)
    page.keyboard.type(", and {count} times.")
    with Workspace.open(path, judge="ben") as workspace:
        workspace.set_up(generation=GenerationRequest("bens-other-model"))
    page.wait_for_timeout(A_LOOK)
    expect(own).to_be_focused()
    said = "Ask about {query_title} {{well known}}, and {count} times."
    expect(own).to_have_value(said)
    expect(page.locator(".st-key-right code")).to_have_text(
        "Ask about What is it? {{well known}}, and 10 times."
    )

    about = page.get_by_role("combobox", name="About")
    expect(about).to_have_value("the query")

    # To another page and back: it is there still, and saved as it stands.
    go_to(page, "Grading")
    page.go_back()
    expect(own).to_have_value(said)
    page.locator(".st-key-request_form").get_by_role("button", name="Save").click()
    expect(page.locator(".o-state")).to_contain_text("Saved")
    with Workspace.open(path) as workspace:
        order = workspace.default_request()
        assert order.prompt is not None
        assert (order.model, order.prompt.template) == ("bens-model", said)
