"""The checklist of a new workspace, on Overview and the first screen."""

from __future__ import annotations

from pathlib import Path

from curator.bank.marks.done import Done
from curator.web.pages.overview.checklist import checklist
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html

PAGE = "overview/page.py"
LIST = '<ol class="o-checklist"'


def ticks(path: Path) -> list[bool]:
    with Workspace.open(path) as workspace:
        return [item.done for item in checklist(workspace)]


def test_items_are_ticked_as_they_are_done_and_then_the_list_is_gone(
    open_app: OpenApp, hand_made: Path
) -> None:
    assert ticks(hand_made) == [True, True, True, False, False]
    html = page_html(open_app(hand_made, PAGE))
    assert html.count('class="o-ticked"') == 3
    assert 'data-pick="goto:People">Invite…' in html
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Done("q1"))
    assert ticks(hand_made) == [True, True, True, True, False]
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.add_people(["ann", "bo"], "organizer")
    assert all(ticks(hand_made))
    assert LIST not in page_html(open_app(hand_made, PAGE, judge="ann"))
