"""HTML, Markdown and placeholders are shown as they were written, and do nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from curator.bank.edits import Reword
from curator.web.components import shell
from curator.workspace import Workspace
from tests.browser.conftest import Server
from tests.browser.curating import (
    adder,
    conflict,
    editor,
    go_to,
    impact,
    open_board,
    open_curate,
    row,
    saved,
)
from tests.samples.hand_made import HOSTILE
from tests.samples.workspaces import (
    graded_file,
    graded_passage,
    question_bank,
    run_file,
    write_lines,
)

pytestmark = pytest.mark.browser

# A tag of a run holds no blanks.
HOSTILE_SYSTEM = "<img/src=x/onerror=window.hurt=1>${x}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Every text in it means harm: query, subtopic, question, passage, system, all."""
    query = {
        "query_id": "q",
        "text": f"What is {HOSTILE}?",
        "background": f"Background {HOSTILE}",
        "subtopics": [{"subtopic_id": "s", "text": f"Subtopic {HOSTILE}"}],
    }
    asked = {"q/a": f"Why {HOSTILE}?", "q/b": f"How {HOSTILE}?"}
    bank = question_bank(tmp_path / "bank.jsonl", {"q": asked})
    passage = graded_passage("p", "q", {"q/a": 5, "q/b": 4}, text=f"Because. {HOSTILE}")
    other = graded_passage("r", "q", {"q/a": 0, "q/b": 4}, text="Because, again.")
    graded = graded_file(tmp_path / "graded.jsonl", {"q": [passage, other]})
    runs = tmp_path / "runs"
    runs.mkdir()
    run_file(runs / "1.run", {"q": ["p"]}, HOSTILE_SYSTEM)
    run_file(runs / "2.run", {"q": ["r"]}, f"2{HOSTILE_SYSTEM}")
    path = tmp_path / "hostile.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(
            queries=write_lines(tmp_path / "queries.jsonl", [query]),
            bank=bank,
            autograder=graded,
            runs=runs,
            title=f"Title {HOSTILE}",
        )
        workspace.set_up(guidelines=f"Guidelines {HOSTILE} <b class=hurt>b</b>")
    return path


def nothing_happened(page: Page) -> None:
    """No text became an element, and none ran."""
    assert page.evaluate("window.hurt") is None
    made = "img[src=x], .hurt, [onerror], [style*='red']"
    expect(page.locator(made)).to_have_count(0)
    _, ours = shell.style_and_script()
    scripts = page.locator(".stMain script").all_text_contents()
    assert [text for text in scripts if text != ours] == []


def test_texts_that_mean_harm_are_shown_and_do_nothing(
    page: Page, server: Server, path: Path
) -> None:
    open_curate(page, f"{server.address}/?question=q%2Fa&judge=<img/src=x>")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"What is {HOSTILE}?")
    expect(page.locator(".c-background")).to_contain_text(HOSTILE)
    expect(page.locator(".c-brand")).to_contain_text(f"Title {HOSTILE}")
    expect(row(page, "q/a")).to_contain_text(f"Why {HOSTILE}?")
    expect(page.locator(".c-query")).to_contain_text(HOSTILE)
    expect(page.locator(".c-reader")).to_contain_text(f"Because. {HOSTILE}")
    expect(page.locator(".c-reader")).to_contain_text(HOSTILE_SYSTEM)
    expect(page.locator(".c-saved")).to_contain_text("<img/src=x>")
    nothing_happened(page)

    # The preview, the impact, the changed passages.
    row(page, "q/a").hover()
    preview = page.get_by_role("complementary", name="If retired")
    expect(preview).to_contain_text(HOSTILE_SYSTEM)
    page.keyboard.press("x")
    expect(impact(page)).to_contain_text("Retired “Why <script>")
    open_board(page)
    page.get_by_role("button", name="List them").click()
    expect(page.locator(".p-row").first).to_contain_text("Because. <script>")
    expect(page.locator(".st-key-drawer .c-board").first).to_contain_text(
        HOSTILE_SYSTEM
    )
    nothing_happened(page)
    page.keyboard.press("u")
    expect(row(page, "q/a").locator("s")).to_have_count(0)

    # Two texts of one question, an editor, a draft, a new question, a question alone.
    saved(page)
    page.keyboard.press("e")
    editor(page).press_sequentially(" ${mine}")
    with Workspace.open(path, judge="<b class=hurt>ben</b>") as workspace:
        workspace.apply(Reword("q/a", f"Who {HOSTILE}?"))
    expect(row(page, "q/a")).to_contain_text(f"Who {HOSTILE}?")
    editor(page).press("Enter")
    expect(conflict(page)).to_contain_text("<b class=hurt>ben</b>")
    expect(conflict(page)).to_contain_text(f"Why {HOSTILE}? ${{mine}}")
    nothing_happened(page)
    page.keyboard.press("2")
    expect(conflict(page)).to_have_count(0)
    page.keyboard.press("n")
    adder(page).fill(f"New {HOSTILE}?")
    adder(page).press("Enter")
    added = page.locator(".c-question", has_text=f"New {HOSTILE}?")
    expect(added).to_be_visible()
    saved(page)
    row(page, "q/b").click()
    page.keyboard.press("s")
    expect(page.locator(".c-column")).to_contain_text("This question alone")
    nothing_happened(page)

    page.keyboard.press("G")
    pane = page.locator(".st-key-guidelines_text")
    expect(pane).to_contain_text("Guidelines <script>window.hurt=1</script>")
    expect(pane).to_contain_text("<b class=hurt>b</b>")
    expect(pane).to_contain_text("{{x}} %s ${x}")
    nothing_happened(page)

    for name, place in {
        "Ranking": ".st-key-middle",
        "History": ".c-event",
    }.items():
        go_to(page, name)
        harm = HOSTILE_SYSTEM if name == "Ranking" else HOSTILE
        expect(page.locator(place, has_text=harm).first).to_be_visible()
        nothing_happened(page)
