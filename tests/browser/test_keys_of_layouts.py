"""Single keys under every layout and state of the keyboard, and switched off."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from curator.web.server import HERE
from tests.browser.conftest import SITE, Server
from tests.browser.curating import adder, editor, open_curate, row, selected
from tests.browser.tasks import Task

pytestmark = pytest.mark.browser

KEYS_JS = (HERE / "components/keys.js").read_text("utf-8")
SHIFT = {"shiftKey": True}
CAPS = {"modifierCapsLock": True}
ALTGR = {"modifierAltGraph": True}
MAC, PC = "MacIntel", "Win32"

Press = tuple[str, str, dict[str, Any], str]
"""What a browser says of a key (key, code, modifiers), and its name for the page."""

LAYOUTS: dict[str, list[Press]] = {
    "US": [
        ("j", "KeyJ", {}, "j"),
        ("J", "KeyJ", SHIFT, "J"),
        ("?", "Slash", SHIFT, "?"),
        ("&", "Digit7", SHIFT, "&"),
        ("Enter", "NumpadEnter", {}, "Enter"),
        ("Process", "KeyJ", {}, "Process"),
    ],
    "Dvorak": [
        ("n", "KeyL", {}, "n"),
        ("z", "Slash", {}, "z"),
        ("/", "BracketLeft", {}, "/"),
    ],
    "German": [
        ("z", "KeyY", {}, "z"),
        ("[", "Digit8", ALTGR, "["),
        ("[", "Digit8", ALTGR | {"ctrlKey": True, "altKey": True}, "["),
        ("/", "Digit7", SHIFT, "/"),
        ("€", "KeyE", ALTGR, "€"),
    ],
    "French": [
        ("a", "KeyQ", {}, "a"),
        ("&", "Digit1", {}, "1"),
        ("1", "Digit1", SHIFT, "1"),
        ("]", "Minus", ALTGR, "]"),
        ("Dead", "BracketLeft", {}, "["),
    ],
    "Russian": [
        ("о", "KeyJ", {}, "j"),
        ("О", "KeyJ", SHIFT, "J"),
        ("О", "KeyJ", CAPS, "j"),
        ("х", "BracketLeft", {}, "["),
        ("?", "Digit7", SHIFT, "?"),
        ("№", "Digit3", SHIFT, "№"),
    ],
    "Greek": [("ξ", "KeyJ", {}, "j"), ("ς", "KeyW", {}, "w"), (";", "KeyQ", {}, "q")],
    "Arabic": [
        ("ت", "KeyJ", {}, "j"),
        ("لا", "KeyB", {}, "b"),
        ("ـ", "KeyJ", SHIFT, "J"),
        ("]", "KeyD", SHIFT, "D"),
        ("؟", "Slash", SHIFT, "?"),
        ("١", "Digit1", {}, "1"),
    ],
    "Japanese": [("ま", "KeyJ", {}, "j")],
}
OTHERS = {"Russian", "Greek", "Arabic", "Japanese"}
COMMANDS = [
    ("j", PC, {"ctrlKey": True}, True),
    ("j", PC, {"altKey": True}, True),
    ("[", PC, {"altKey": True}, True),
    ("j", MAC, {"metaKey": True}, True),
    ("j", PC, {"metaKey": True} | ALTGR, True),
    ("[", PC, ALTGR | {"ctrlKey": True, "altKey": True}, False),
    ("[", MAC, {"altKey": True}, False),
    ("∆", MAC, {"altKey": True}, True),
    ("[", MAC, {"altKey": True, "ctrlKey": True}, True),
    ("J", PC, SHIFT | CAPS, False),
]


@pytest.fixture
def keys(context: BrowserContext) -> Page:
    """An empty page with the functions that name keys."""
    page = context.new_page()
    page.route(SITE, lambda route: route.fulfill(content_type="text/html"))
    page.goto(SITE)
    page.add_script_tag(content=KEYS_JS)
    return page


def test_a_key_is_the_letter_it_shows_or_its_place(keys: Page) -> None:
    named = """([key, code, modifiers, other]) =>
        keyName(new KeyboardEvent("keydown", { key, code, ...modifiers }), other)"""
    for layout, presses in LAYOUTS.items():
        for key, code, modifiers, expected in presses:
            told = keys.evaluate(named, [key, code, modifiers, layout in OTHERS])
            assert told == expected, (layout, key, code, modifiers)


def test_ctrl_alt_and_meta_are_left_to_others_and_altgr_types(keys: Page) -> None:
    command = """([key, platform, modifiers]) => Boolean(
        isCommand(new KeyboardEvent("keydown", { key, ...modifiers }), { platform }))"""
    for key, platform, modifiers, expected in COMMANDS:
        found = keys.evaluate(command, [key, platform, modifiers])
        assert found == expected, (key, platform, modifiers)


def press(page: Page, key: str, code: str = "", **fields: Any) -> None:
    """Press a key as another keyboard or an input method does, where the focus is."""
    page.evaluate(
        """(fields) => document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", fields))""",
        {"key": key, "code": code, "bubbles": True, "cancelable": True, **fields},
    )


def test_russian_keys_select_and_a_composition_keeps_its_keys(
    page: Page, tasks_server: Server, task: Task
) -> None:
    open_curate(page, task.url())
    press(page, "о", "KeyJ")
    expect(selected(page)).to_contain_text("Why is it?")
    press(page, "у", "KeyE")
    expect(editor(page)).to_be_focused()
    page.keyboard.type(" Or")
    for ending in ("Enter", "Escape"):
        press(page, ending, keyCode=229)
        press(page, ending, isComposing=True)
        expect(editor(page)).to_be_focused()
    press(page, "Escape")
    expect(editor(page)).not_to_be_attached()
    page.keyboard.press("/")
    search = page.get_by_role("textbox", name="Search")
    expect(search).to_be_focused()
    press(page, "Escape", keyCode=229)
    expect(search).to_be_focused()


def test_single_keys_are_switched_off_for_a_judge(
    page: Page, tasks_server: Server, task: Task
) -> None:
    open_curate(page, task.url("a"))
    page.keyboard.press("h")
    switch = page.get_by_role("checkbox", name="Single keys")
    switch.uncheck()
    page.reload()
    open_curate(page, task.url("a"))
    page.keyboard.press("n")
    page.keyboard.press("ArrowDown")  # heard after it
    expect(row(page, task.question_id("b"))).to_have_attribute("data-selected", "")
    expect(adder(page)).not_to_be_focused()
    open_curate(page, task.url("a", judge="ben"))  # who has not switched them off
    page.keyboard.press("n")
    expect(adder(page)).to_be_focused()
    open_curate(page, task.url("a"))
    page.get_by_role("button", name="h keys").first.click()
    switch.check()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(adder(page)).to_be_focused()
