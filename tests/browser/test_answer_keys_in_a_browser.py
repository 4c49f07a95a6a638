"""A multiple-choice question written by keyboard, verified, and given another key."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.browser.curating import adder, editor, open_curate, selected
from tests.samples.chat_server import ChatServer

pytestmark = pytest.mark.browser

VERIFIED = "chat:test-model/qa/verified"


def verified(path: Path, text: str) -> list[int]:
    """The verified ratings of the question of this text, by pool position."""
    with closing(Workspace.open(path, judge="ann")) as workspace:
        snapshot = workspace.current_snapshot()
        (question,) = (one for one in snapshot.bank if one.text == text)
        pool = snapshot.collection.pools["q1"]
        record = snapshot.grader(VERIFIED)
        graded = snapshot.gradebook.graded(record, pool, [question])
        return [int(one) for one in graded.ratings[0]]


def test_a_multiple_choice_question_is_written_verified_and_undone_by_keyboard(
    page: Page, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_curate(page, server.address)
    page.keyboard.press("n")
    expect(adder(page)).to_be_focused()
    page.keyboard.type("Which gas?")
    page.keyboard.press("Tab")
    for line in ("- oxygen", "* carbon dioxide"):
        page.keyboard.type(line)
        page.keyboard.press("Shift+Enter")
    page.keyboard.type("- N) nitrogen")
    page.keyboard.press("Enter")
    expect(selected(page)).to_contain_text("key: B) carbon dioxide")
    expect(selected(page)).to_contain_text("3 choices")

    # by hand: p1 is answered "B", the right choice's letter, and p2 "oxygen"
    with ChatServer(answer=lambda asked: "oxygen" if "p2" in asked else "B") as model:
        model.lead(monkeypatch)
        with Workspace.open(server.path, judge="ann") as workspace:
            workspace.grade(VERIFIED)
    assert verified(server.path, "Which gas?") == [1, 0]

    page.keyboard.press("e")
    expect(editor(page)).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.type("!")
    holds = page.get_by_text("Does the key still hold")
    expect(holds).to_be_visible()
    page.keyboard.press("Backspace")
    page.keyboard.press("Tab")
    key = page.get_by_role("textbox", name="Answer key")
    expect(key).to_be_focused()
    expect(key).to_have_value("- A) oxygen\n* B) carbon dioxide\n- N) nitrogen")
    page.keyboard.type("* oxygen")
    page.keyboard.press("Escape")  # a draft, kept with its key
    page.reload()
    expect(page.get_by_role("group", name="A text that is not saved")).to_be_visible()
    page.keyboard.press("e")
    page.keyboard.press("Tab")
    page.keyboard.type("* oxygen")
    page.keyboard.press("Shift+Enter")
    page.keyboard.type("- carbon dioxide")
    page.keyboard.press("Enter")
    expect(selected(page)).to_contain_text("key: A) oxygen")
    expect(selected(page)).to_contain_text("2 choices")
    assert verified(server.path, "Which gas?") == [0, 1]

    page.keyboard.press("u")
    expect(selected(page)).to_contain_text("key: B) carbon dioxide")
    assert verified(server.path, "Which gas?") == [1, 0]
