"""Every page opens through app.py, whatever the workspace lacks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from curator.bank.edits import Done
from curator.workspace import Workspace
from tests.ui.conftest import OpenApp, page_html
from tests.workspace_samples import demo_workspace, write_lines

PAGES = ("screens/curate.py", "screens/leaderboard.py", "screens/history.py")


@pytest.mark.parametrize("page", PAGES)
def test_an_empty_workspace_gets_a_sentence_and_the_command_that_helps(
    open_app: OpenApp, empty_workspace: Path, page: str
) -> None:
    html = page_html(open_app(empty_workspace, page))
    assert "This workspace holds no queries." in html
    assert f"curator import {empty_workspace}" in html


@pytest.mark.parametrize("page", PAGES)
def test_without_a_workspace_one_line_says_how_to_open_one(
    open_app: OpenApp, page: str
) -> None:
    assert "curator serve WORKSPACE" in page_html(open_app(None, page))


@pytest.mark.parametrize("page", PAGES)
def test_a_file_that_is_no_workspace_is_one_line(
    open_app: OpenApp, tmp_path: Path, page: str
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Nothing to see here, and longer than an SQLite header is. " * 40)
    assert "it is not an SQLite file" in page_html(open_app(path, page))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_the_hand_made_collection(
    open_app: OpenApp, hand_made: Path, page: str
) -> None:
    assert "Hand-made" in page_html(open_app(hand_made, page))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_on_an_ungraded_collection(
    open_app: OpenApp, tmp_path: Path, demo_folder: Path, page: str
) -> None:
    demo_workspace(tmp_path / "demo.db", demo_folder).close()
    html = page_html(open_app(tmp_path / "demo.db", page))
    if page == "screens/curate.py":
        assert "Why are leaves green in summer?" in html
    if page != "screens/history.py":
        assert "curator grade" in html


def test_a_query_without_questions_says_so(open_app: OpenApp, tmp_path: Path) -> None:
    queries = write_lines(tmp_path / "q.jsonl", [{"query_id": "q", "text": "Who?"}])
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(queries=queries)
    html = page_html(open_app(tmp_path / "w.db"))
    assert "No questions yet. Write one below." in html


def test_without_runs_the_board_is_a_sentence(
    open_app: OpenApp, tmp_path: Path, hand_made: Path
) -> None:
    files = hand_made.parent
    path = tmp_path / "no-runs.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(
            queries=files / "queries.jsonl",
            bank=files / "bank.jsonl",
            autograder=files / "graded.jsonl",
        )
    assert "curator import WORKSPACE --runs" in page_html(open_app(path))
    page = page_html(open_app(path, "screens/leaderboard.py"))
    assert "curator import WORKSPACE --runs" in page


def test_the_leaderboard_says_why_there_is_no_official_board(
    open_app: OpenApp, tmp_path: Path, hand_made: Path
) -> None:
    files = hand_made.parent
    path = tmp_path / "no-official.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(
            queries=files / "queries.jsonl",
            bank=files / "bank.jsonl",
            autograder=files / "graded.jsonl",
            runs=files / "runs",
        )
    html = page_html(open_app(path, "screens/leaderboard.py"))
    assert "--official FILE.json" in html


def test_a_url_that_asks_for_what_is_not_there_gets_what_is_and_a_line(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, query="q9", measure="P@", grader="gpt", k="many")
    html = page_html(app)
    assert "No query &#x27;q9&#x27; in this workspace." in html
    assert "Unknown measure &#x27;P@&#x27;." in html
    assert app.selectbox(key="measure").value == "cover"


def test_done_marks_are_counted_for_the_judge_of_the_url(
    open_app: OpenApp, hand_made: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(hand_made, tmp_path / "done.db"))
    with Workspace.open(path, judge="ben") as workspace:
        workspace.apply(Done("q1"))
    assert "<b>1</b> of 2 done" in page_html(open_app(path, judge="ben"))
    assert "<b>0</b> of 2 done" in page_html(open_app(path, judge="ann"))
