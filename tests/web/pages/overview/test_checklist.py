"""The checklist of a new workspace, on Overview and the first screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.bank.marks.done import Done
from curator.verbs.grading import jobs
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


def test_grading_is_ticked_once_a_grader_is_complete_or_no_job_runs(
    hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "_start_process", lambda *_: None)
    with Workspace.open(hand_made, judge="ann") as workspace:
        job = workspace.start_job("embedding")
        assert ticks(hand_made)[2]
        workspace.apply(Add("q1", "And when?"))
        assert not ticks(hand_made)[2]
        workspace.pause_job(job.job_id)
        assert ticks(hand_made)[2]


def test_who_releases_alone_need_not_invite_anybody(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.release("v1", "cover")
    assert ticks(hand_made)[-1]


def test_an_empty_workspace_has_the_whole_list_without_actions(
    open_app: OpenApp, empty_workspace: Path
) -> None:
    assert ticks(empty_workspace) == [False] * 5
    html = page_html(open_app(empty_workspace, PAGE))
    assert html.partition(LIST)[2].count("<li>") == 5
    assert 'data-pick="goto:People"' not in html


def test_only_those_who_may_import_see_the_list(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.add_people("bo")
    assert LIST in page_html(open_app(hand_made, PAGE, judge="ann"))
    assert LIST not in page_html(open_app(hand_made, PAGE, judge="bo"))
