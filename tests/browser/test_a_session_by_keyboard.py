"""A judge's whole session without a mouse, and what is in the file afterwards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from curator.workspace import Workspace
from tests.browser.curating import adder, editor, impact, open_curate, row, selected
from tests.browser.tasks import NAMES, TASKS, Task

pytestmark = pytest.mark.browser


def tab_to(page: Page, control: Locator) -> None:
    """Press Tab until this control has the focus."""
    for _ in range(150):
        page.keyboard.press("Tab")
        if control.evaluate("node => node === document.activeElement"):
            return
    raise AssertionError(f"Tab never comes to {control}")


def test_a_whole_session_is_possible_by_keyboard_alone(
    page: Page, address: str, path: Path
) -> None:
    open_curate(page, address)
    press = page.keyboard.press
    rows = page.locator(".c-question")
    heading = page.get_by_role("heading", level=1)

    # Through the queries and the questions.
    press("J")
    expect(heading).to_contain_text("Who?")
    press("K")
    expect(heading).to_contain_text("What is it?")
    press("j")
    expect(selected(page)).to_contain_text("Why is it?")
    press("j")
    press("j")
    expect(selected(page)).to_contain_text("When is it?")
    press("k")
    press("k")
    expect(selected(page)).to_contain_text("Why is it?")

    # Edit, retire, take back, make again, say why.
    press("e")
    expect(editor(page)).to_be_focused()
    press("Control+a")
    page.keyboard.type("Why was it, j and x?")  # letters are only letters
    press("Enter")
    expect(editor(page)).to_have_count(0)
    expect(selected(page)).to_contain_text("Why was it, j and x?")
    expect(impact(page)).to_contain_text("Reworded")
    press("x")
    expect(selected(page)).to_contain_text("Retired.")
    press("u")
    expect(rows.locator("s")).to_have_count(0)
    press("U")
    expect(rows.locator("s")).to_have_text("Why was it, j and x?")
    chip = page.get_by_role("button", name="off topic", exact=True)
    tab_to(page, chip)
    press("Enter")
    expect(chip).to_have_attribute("aria-pressed", "true")

    # One question, then a pasted list that one undo takes back.
    press("n")
    expect(adder(page)).to_be_focused()
    page.keyboard.type("Where is it?")
    press("Enter")
    expect(selected(page)).to_contain_text("Where is it?")
    expect(adder(page)).not_to_be_focused()
    press("n")
    page.keyboard.insert_text("Who made it?\nWhat does it cost?\n\nHow old is it?")
    expect(page.get_by_role("button", name="Add 3 questions")).to_be_visible()
    press("Enter")
    expect(rows).to_have_count(7)
    press("u")
    expect(rows).to_have_count(4)

    # One question alone; settings; search; help.
    expect(selected(page)).to_have_count(0)
    press("k")
    expect(selected(page)).to_contain_text("Where is it?")
    press("k")
    expect(selected(page)).to_contain_text("When is it?")
    press("s")
    expect(page.locator(".c-column")).to_contain_text("This question alone")
    press("s")
    expect(page.locator(".c-column")).to_have_count(0)
    tab_to(page, page.locator(".c-settings > summary"))
    press("Enter")
    press("Tab")
    expect(page.get_by_role("combobox", name="Grader")).to_be_focused()
    press("Tab")
    page.keyboard.type("P@1")
    expect(page).to_have_url(re.compile("measure=P%40(1|2)0"))
    press("Escape")
    expect(page.locator(".c-settings[open]")).to_have_count(0)
    press("/")
    expect(page.get_by_role("textbox", name="Search queries")).to_be_focused()
    page.keyboard.type("who")
    press("Enter")
    expect(page.locator(".c-query")).to_have_count(1)
    expect(page.locator(".c-query[aria-current]")).to_contain_text("Who?")
    press("/")
    press("Control+a")
    press("Delete")
    press("Enter")
    expect(page.locator(".c-query")).to_have_count(2)
    press("K")
    expect(page.locator(".c-query[aria-current]")).to_contain_text("What is it?")
    # A key waits two seconds for what was picked and is dropped then, on purpose.
    expect(page.locator("html[data-questions=q1]")).to_have_count(1)
    press("h")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    press("x")  # nothing behind the dialog hears it
    press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()

    # Done, and the next query is open.
    press("D")
    expect(heading).to_contain_text("Who?")
    expect(page.locator(".c-progress")).to_contain_text("1 of 2 done")

    with Workspace.open(path) as workspace:
        bank = workspace.bank()
        assert bank.done == {("q1", "ann")}
        a, c = bank.question("q1/a"), bank.question("q1/c")
        # reworded, retired, restored, retired again
        assert (a.state, a.text, a.revision) == ("retired", "Why was it, j and x?", 5)
        assert (c.state, c.revision) == ("kept", 1)
        texts = [q.text for q in bank.questions_of("q1") if q.state == "kept"]
        assert len(texts) == 3
        assert texts[-1] == "Where is it?"
        events = list(reversed(workspace.history()))
        assert [event.change.kind for event in events] == [
            "reword",
            "retire",
            "undo retire",
            "redo retire",
            "add",
            *["add"] * 3,
            *["undo add"] * 3,
            "done",
        ]
        assert len({event.batch_id for event in events[5:8]}) == 1
        assert len({event.batch_id for event in events[8:11]}) == 1
        assert workspace.retirements("q1")["q1/a"].reason == "off topic"
        assert all(event.by == "ann" for event in events)
        assert all(event.shown for event in events)
    expect(row(page, "q2/d")).to_be_visible()


def test_keys_pressed_before_the_next_query_is_there_are_meant_for_it(
    page: Page, task: Task
) -> None:
    following = Task(task.path, task.address, next(TASKS))
    open_curate(page, task.url("a", judge=f"judge of {task.query_id}"))
    for key in ("J", "j", "x", "D"):
        page.keyboard.press(key)
    expect(page.locator(".c-progress")).to_contain_text(f"1 of {len(NAMES)} done")
    assert task.kinds() == []
    assert following.kinds() == ["retire", "done"]
    assert following.question("a").state == "retired"


def test_keys_pressed_while_the_page_comes_do_what_they_would_have_done_then(
    page: Page, task: Task
) -> None:
    page.goto(task.url())
    page.locator(".c-query").first.wait_for()  # the listener may be there or not
    for key in ("j", "e", *" or x?u", "Backspace", "Tab", *"an x"):
        page.keyboard.press(key)
    expect(editor(page)).to_have_value(re.compile(" or x\\?$"))
    expect(page.get_by_role("textbox", name="Answer key")).to_have_value("an x")
    expect(page.locator(".c-question s")).to_have_count(0)
