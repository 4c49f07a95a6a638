"""What is typed is shown until it is saved, or thrown away by who typed it."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from curator.bank.edits import Add, Retire, Reword
from curator.workspace import Workspace
from tests.browser.curating import (
    adder,
    begin,
    conflict,
    editor,
    go_to,
    held,
    left,
    open_curate,
    question,
    row,
    saved,
    selected,
    write,
)
from tests.browser.tasks import TASKS, Task

pytestmark = pytest.mark.browser

MINE, THEIRS = "Why was it?", "Why will it be?"


def in_conflict(page: Page, task: Task, text: str = MINE) -> None:
    """Question a is open; what was typed is refused, for ben was faster."""
    write(page, task.url("a"), text)
    task.ben_saves(Reword(task.question_id("a"), THEIRS))
    page.keyboard.press("Enter")
    expect(conflict(page)).to_contain_text("ben changed this question")
    expect(conflict(page)).to_contain_text(text)
    saved(page)


def later(page: Page) -> None:
    """The page has had time to draw itself anew."""
    page.wait_for_timeout(2500)


@pytest.mark.long
def test_opening_a_question_in_conflict_leaves_both_its_texts(
    page: Page, task: Task
) -> None:
    in_conflict(page, task)
    for key in ("e", "Enter", "e"):
        page.keyboard.press(key)
        expect(editor(page)).to_have_count(0)
        expect(conflict(page)).to_contain_text(MINE)
    page.get_by_role("button", name=THEIRS).dblclick()
    expect(conflict(page)).to_contain_text(MINE)
    page.get_by_role("button", name="Keep mine").click()
    expect(question(page, MINE)).to_be_visible()
    saved(page)
    assert task.question("a").text == MINE


def test_what_is_typed_after_a_key_that_opens_nothing_presses_nothing(
    page: Page, task: Task
) -> None:
    in_conflict(page, task)
    page.keyboard.type("e2xux")  # 2 is "Keep theirs", x retires, u takes back
    expect(page.get_by_text("e opened nothing here")).to_be_visible()
    expect(conflict(page)).to_contain_text(MINE)
    expect(page.get_by_text("e opened nothing here")).to_have_count(0)
    page.keyboard.press("x")  # after a pause it is a key again
    expect(row(page, task.question_id("a"))).to_contain_text("Retired.")
    saved(page)
    assert task.kinds() == ["reword", "retire"]


def test_escape_frees_the_keys_after_one_that_opens_nothing(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url("a"))
    page.keyboard.press("w")
    expect(page.get_by_text("No reason here")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(row(page, task.question_id("a"))).to_contain_text("Retired.")
    saved(page)
    assert task.kinds() == ["retire"]


def test_a_retired_question_is_reworded_by_the_same_key(page: Page, task: Task) -> None:
    open_curate(page, task.url("a"))
    page.keyboard.press("x")
    begin(page, "Why x, and u?")
    page.keyboard.press("Enter")
    saved(page)
    expect(question(page, "Why x, and u?").locator("s")).to_be_visible()
    assert task.kinds() == ["retire", "reword"]


@pytest.mark.long
def test_a_refusal_opens_no_field_under_who_has_gone_on(page: Page, task: Task) -> None:
    open_curate(page, task.url("b"))
    page.keyboard.press("n")
    page.keyboard.type("Why is it?")
    with held(task.path):
        page.keyboard.press("Enter")
        page.keyboard.press("j")
        expect(selected(page)).to_contain_text("When is it?")
    expect(left(page)).to_contain_text("already asks")
    expect(adder(page)).not_to_be_focused()
    expect(selected(page)).to_contain_text("When is it?")


@pytest.mark.long
def test_a_note_that_was_left_is_shown_until_it_is_saved_or_discarded(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url("a"))
    note = page.get_by_label("Note on the question")
    for name, text in (("a", "Ask Bo."), ("b", "Ask Cy.")):
        row(page, task.question_id(name)).get_by_role("button").first.click()
        page.keyboard.press("m")
        note.press_sequentially(text)
    page.keyboard.press("Escape")
    page.reload()
    for name, text in (("a", "Ask Bo."), ("b", "Ask Cy.")):
        expect(row(page, task.question_id(name)).get_by_role("group")).to_contain_text(
            text
        )
    left(page).filter(has_text="Cy").get_by_role("button", name="discard").click()
    row(page, task.question_id("a")).get_by_role("button").first.click()
    page.keyboard.press("m")
    expect(note).to_have_value("Ask Bo.")
    note.press_sequentially(" " + "x" * 500)  # more than a note may have
    with held(task.path):
        page.keyboard.press("Enter")
        page.keyboard.press("j")
    expect(left(page)).to_contain_text("at most 500 characters")
    expect(left(page)).to_contain_text("Ask Bo. xxx")
    assert task.kinds() == []


@pytest.mark.long
def test_mine_stays_where_keeping_it_is_refused(page: Page, task: Task) -> None:
    in_conflict(page, task, "How is it?")
    page.get_by_role("button", name="Keep mine").click()
    expect(page.get_by_text("is already in query")).to_have_count(0)
    expect(page.get_by_text("already asks").first).to_be_visible()
    expect(conflict(page).or_(left(page))).to_contain_text("How is it?")
    page.reload()
    expect(conflict(page).or_(left(page))).to_contain_text("How is it?")
    assert task.question("a").text == THEIRS


def test_a_conflict_outlives_a_retirement_and_any_other_edit_of_its_question(
    page: Page, task: Task
) -> None:
    in_conflict(page, task)
    page.keyboard.press("x")
    expect(row(page, task.question_id("a"))).to_contain_text("Retired.")
    saved(page)
    expect(conflict(page)).to_contain_text(MINE)
    page.keyboard.press("x")
    saved(page)
    expect(conflict(page)).to_contain_text(MINE)
    page.keyboard.press("1")
    expect(conflict(page)).to_have_count(0)
    saved(page)
    assert task.question("a").text == MINE


@pytest.mark.long
def test_two_texts_of_one_question_are_both_shown_when_both_are_refused(
    page: Page, task: Task
) -> None:
    write(page, task.url("a"), MINE)
    task.ben_saves(Reword(task.question_id("a"), THEIRS))
    with held(task.path):
        page.keyboard.press("Enter")
        begin(page, "Why has it been?")
        page.keyboard.press("Enter")
        expect(row(page, task.question_id("a"))).to_contain_text("Why has it been?")
    expect(conflict(page)).to_have_count(2)
    expect(conflict(page).first).to_contain_text(MINE)
    expect(conflict(page).last).to_contain_text("Why has it been?")
    page.keyboard.press("2")
    expect(conflict(page)).to_have_count(1)
    expect(conflict(page)).to_contain_text("Why has it been?")


@pytest.mark.long
def test_a_refused_text_is_shown_beside_the_one_being_written(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url("a"))
    page.keyboard.press("n")
    page.keyboard.type("How is it?")
    with held(task.path):
        page.keyboard.press("Enter")
        expect(page.locator(".q-coming")).to_contain_text("How is it?")
        page.keyboard.press("n")
        expect(adder(page)).to_have_value("")
        page.keyboard.type("Where is it?")
    expect(left(page)).to_contain_text("How is it?")
    expect(left(page)).to_contain_text("already asks")
    expect(adder(page)).to_have_value("Where is it?")
    adder(page).press("Enter")
    expect(question(page, "Where is it?")).to_be_visible()
    expect(left(page)).to_contain_text("How is it?")
    left(page).get_by_role("button", name="discard").click()
    expect(left(page)).to_have_count(0)
    later(page)
    expect(left(page)).to_have_count(0)


def test_a_new_question_on_its_way_is_in_sight_beneath_a_long_list(
    page: Page, task: Task
) -> None:
    with Workspace.open(task.path) as workspace:
        texts = [f"What is number {n}?" for n in range(20)]
        workspace.apply([Add(task.query_id, text) for text in texts])
    open_curate(page, task.url("a"))
    page.keyboard.press("n")
    page.keyboard.type("How is it?")
    with held(task.path):
        page.keyboard.press("Enter")
        coming = page.locator(".q-coming")
        expect(coming).to_contain_text("not saved yet")
        expect(coming).to_be_in_viewport()
    expect(question(page, "How is it?")).to_be_visible()
    expect(page.locator(".q-coming")).to_have_count(0)


@pytest.mark.long
def test_a_new_question_that_was_left_stays_in_its_field(
    page: Page, task: Task
) -> None:
    open_curate(page, task.url())
    page.keyboard.press("n")
    page.keyboard.type("Where is it, a")
    page.keyboard.press("Escape")
    expect(adder(page)).not_to_be_focused()
    page.reload()
    expect(adder(page)).to_have_value("Where is it, a")
    expect(left(page)).to_have_count(0)
    adder(page).fill("")
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator(".c-question").first).to_be_visible()
    expect(adder(page)).to_have_value("")
    expect(left(page)).to_have_count(0)


@pytest.mark.long
def test_who_writes_on_a_question_that_is_taken_back_goes_on_and_loses_nothing(
    page: Page, task: Task
) -> None:
    task.ben_saves(Add(task.query_id, "Who is it?"))
    open_curate(page, task.url())
    question(page, "Who is it?").get_by_role("button").first.click()
    begin(page, "Who was it")
    with Workspace.open(task.path, judge="ben") as workspace:
        workspace.undo(task.query_id)
    expect(page.get_by_text("no longer in the list")).to_be_visible()
    expect(editor(page)).to_be_focused()
    page.keyboard.type(", x?")  # no key of the list
    expect(editor(page)).to_have_value("Who was it, x?")
    page.keyboard.press("Enter")
    expect(left(page)).to_contain_text("Who was it, x?")
    saved(page)
    page.reload()
    expect(left(page)).to_contain_text("Who was it, x?")
    left(page).get_by_role("button", name="add as new").click()
    expect(adder(page)).to_have_value("Who was it, x?")
    page.keyboard.press("Enter")
    expect(question(page, "Who was it, x?")).to_be_visible()
    expect(left(page)).to_have_count(0)
    saved(page)
    assert "Who was it, x?" in [one.text for one in task.questions()]


@pytest.mark.long
def test_a_filter_hides_no_question_with_a_text_that_is_not_saved(
    page: Page, task: Task
) -> None:
    in_conflict(page, task)
    row(page, task.question_id("b")).get_by_role("button").first.click()
    begin(page, "How was it?")
    page.keyboard.press("Escape")
    task.ben_saves(Retire(task.question_id("c")))
    show = page.get_by_role("combobox", name="Show")
    show.select_option("retired")
    expect(row(page, task.question_id("c"))).to_be_visible()
    expect(conflict(page)).to_contain_text(MINE)
    expect(page.get_by_role("button", name="2 here")).to_be_visible()
    expect(left(page).filter(has_text="How was it?")).to_be_visible()


def test_a_text_refused_in_the_query_before_is_said_and_led_to(
    page: Page, task: Task
) -> None:
    other = Task(task.path, task.address, next(TASKS))
    write(page, task.url("a"), MINE)
    task.ben_saves(Reword(task.question_id("a"), THEIRS))
    with held(task.path):
        page.keyboard.press("Enter")
        page.locator(f'[data-pick="query:{other.query_id}"]').first.click()
    expect(page.locator(f"html[data-questions={other.query_id}]")).to_be_attached()
    expect(conflict(page)).to_have_count(0)
    way = page.get_by_role("button", name=f"in {task.query_id}")
    expect(way).to_be_visible()
    way.click()
    expect(conflict(page)).to_contain_text(MINE)


@pytest.mark.long
def test_a_refusal_after_leaving_the_page_is_found_on_return(
    page: Page, task: Task
) -> None:
    write(page, task.url("a"), MINE)
    task.ben_saves(Reword(task.question_id("a"), THEIRS))
    with held(task.path):
        page.keyboard.press("Enter")
        go_to(page, "Overview")
    go_to(page, "Judge")
    expect(conflict(page)).to_contain_text(MINE)
    saved(page)


@pytest.mark.long
def test_a_draft_of_before_stays_beside_a_later_one(page: Page, task: Task) -> None:
    in_conflict(page, task)
    page.reload()
    expect(conflict(page)).to_contain_text("ben changed")  # said as it was
    task.ben_saves(Reword(task.question_id("a"), "Why would it be?"))
    expect(conflict(page)).to_contain_text("Why would it be?")
    expect(conflict(page)).to_contain_text(MINE)
    page.get_by_role("button", name="Combine").click()
    expect(editor(page)).to_have_value(f"Why would it be?\n{MINE}")
    page.keyboard.press("Escape")
    task.ben_saves(Reword(task.question_id("a"), "Why should it be?"))
    expect(conflict(page)).to_contain_text(f"Why would it be?\n{MINE}")


@pytest.mark.long
def test_another_judge_at_this_browser_is_shown_no_text_of_the_first(
    page: Page, task: Task
) -> None:
    in_conflict(page, task)
    open_curate(page, task.url("a", judge="eve"))
    later(page)
    expect(conflict(page)).to_have_count(0)
    open_curate(page, task.url("a"))
    expect(conflict(page)).to_contain_text(MINE)


@pytest.mark.long
def test_what_a_tab_does_not_show_any_more_is_shown_in_another(
    page: Page, context: BrowserContext, task: Task
) -> None:
    write(page, task.url("a"), MINE)
    other = context.new_page()
    open_curate(other, task.url("a"))
    later(other)
    expect(left(other)).to_have_count(0)
    go_to(page, "History")
    expect(left(other)).to_contain_text(MINE)
    left(other).get_by_role("button", name="discard").click()
    go_to(page, "Judge")
    expect(page.locator(".c-question").first).to_be_visible()
    later(page)
    expect(left(page)).to_have_count(0)
    assert task.kinds() == []


@pytest.mark.long
def test_two_tabs_on_one_draft_never_write_over_each_other(
    page: Page, context: BrowserContext, task: Task
) -> None:
    write(page, task.url("a"), MINE)
    # As a browser does that duplicates a tab, with all that it has stored.
    stored = page.evaluate("({ ...sessionStorage })")
    other = context.new_page()
    open_curate(other, task.url("a"))
    other.evaluate("stored => Object.assign(sessionStorage, stored)", stored)
    other.reload()
    expect(editor(other)).to_have_value(MINE)
    editor(other).press("End")
    editor(other).press_sequentially(" And when?")
    editor(page).press_sequentially(" And how?")
    for tab in (page, other):
        editor(tab).press("Escape")
    for text in (f"{MINE} And when?", f"{MINE} And how?"):
        expect(left(page).filter(has_text=text)).to_be_visible()


@pytest.mark.long
def test_texts_stay_where_the_browser_stores_nothing(page: Page, task: Task) -> None:
    page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full') }"
    )
    in_conflict(page, task)
    expect(page.get_by_text("kept only until the page is closed")).to_be_visible()
    page.get_by_role("button", name="Understood").click()
    page.keyboard.press("n")
    page.keyboard.type("Where is it?")
    go_to(page, "History")
    go_to(page, "Judge")
    expect(conflict(page)).to_contain_text(MINE)
    expect(adder(page).or_(left(page).last)).to_be_visible()
    shown = (
        "[document.body.innerText, document.querySelector('textarea')?.value].join()"
    )
    assert "Where is it?" in page.evaluate(shown)


@pytest.mark.long
def test_a_draft_from_before_the_workspace_was_built_anew_can_be_opened(
    page: Page, task: Task
) -> None:
    write(page, task.url("a"), MINE)
    page.keyboard.press("Escape")
    page.evaluate(
        """() => {
          const place = Object.keys(localStorage).find((key) => key.includes("/draft/"))
          const draft = JSON.parse(localStorage[place])
          localStorage[place] = JSON.stringify({ ...draft, revision: 7 })
        }"""
    )
    page.reload()
    left(page).get_by_role("button", name="draft", exact=True).click()
    expect(editor(page)).to_have_value(MINE)
    page.keyboard.press("Enter")
    expect(question(page, MINE)).to_be_visible()
    saved(page)
    assert task.question("a").text == MINE


@pytest.mark.long
def test_the_order_of_rows_may_change_under_who_is_writing(
    page: Page, task: Task
) -> None:
    write(page, task.url("c"), "When was it")
    task.ben_saves(Retire(task.question_id("a")), Add(task.query_id, "Who is it?"))
    expect(question(page, "Who is it?")).to_be_visible()
    page.get_by_role("combobox", name="Order").select_option("influence")
    editor(page).focus()
    task.ben_saves(Reword(task.question_id("b"), "How was it?"))
    expect(question(page, "How was it?")).to_be_visible()
    page.keyboard.type(", x?")
    expect(editor(page)).to_have_value("When was it, x?")
    expect(selected(page)).not_to_contain_text("Retired")
