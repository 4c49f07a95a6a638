"""The Export tab: refused unless knowingly, frozen, handed out, restored."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import Add, Propose, Retire
from curator.web.pages.releases.missing import (
    INCOMPLETE,
)
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html

PAGE = "releases/page.py"


@pytest.fixture
def lacking(hand_made: Path) -> Path:
    """A question that two passages are not graded for, and a proposal."""
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply([Add("q1", "And when?"), Propose("q2", "Why not?", "{}")])
    return hand_made


def tick(app: AppTest) -> None:
    """Say that something may be missing."""
    app.checkbox[0].check().run()
    assert not app.exception


def freeze(app: AppTest, name: str, why: str = "") -> None:
    """Fill in the form and send it."""
    app.text_input(key="release_name").set_value(name)
    app.text_input(key="release_why").set_value(why)
    app.button(key="freeze").click().run()
    assert not app.exception


def press(app: AppTest, key: str) -> str:
    """Press a button; what stands on the page then."""
    app.button(key=key).click().run()
    assert not app.exception
    return page_html(app)


def downloads(app: AppTest) -> list[str]:
    """The keys of everything the page offers to save."""
    return [str(one.key) for one in app.get("download_button")]


def names(path: Path) -> list[str]:
    """The releases of the workspace, the latest first."""
    with Workspace.open(path) as workspace:
        return [one.name for one in workspace.releases()]


def test_what_is_whole_is_frozen_and_no_name_is_taken_twice(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, PAGE)
    # By hand: p1 is rated 5, 4, 0, p2 0, 0, 5, p3 0.
    assert "q1 0 p1 5\nq1 0 p2 5\nq2 0 p3 0</pre>" in page_html(app)
    assert len(app.checkbox) == 0
    freeze(app, "v1", "the pilot")
    assert "4 questions · 3 labels · 7 of 7 grades" in page_html(app)
    assert names(hand_made) == ["v1"]
    freeze(app, "v1")
    assert "Release &#39;v1&#39; exists already" in page_html(app)


def test_something_missing_closes_release_and_numbers_until_it_is_ticked(
    open_app: OpenApp, lacking: Path
) -> None:
    app = open_app(lacking, PAGE)
    html = page_html(app)
    assert "of 9 pairs: 2" in html
    assert "Undecided proposals: 1" in html
    assert 'data-pick="curate:q2"' in html
    assert html.count(INCOMPLETE) == 2
    assert app.button(key="freeze").disabled
    assert downloads(app) == []
    tick(app)
    assert not app.button(key="freeze").disabled
    assert downloads(app) == ["download_file", "download_manifest"]
    freeze(app, "knowingly")
    assert names(lacking) == ["knowingly"]


def test_what_arrives_before_the_click_is_not_frozen_over(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, PAGE)
    assert "Nothing is missing." in page_html(app)
    with Workspace.open(hand_made, judge="ben") as workspace:
        workspace.apply(Propose("q2", "Why not?", "{}"))
    freeze(app, "v1")
    html = page_html(app)
    assert "the numbers have changed meanwhile" in html
    assert "Undecided proposals: 1" in html
    assert INCOMPLETE in html
    assert names(hand_made) == []


def test_restoring_asks_once_and_shows_its_step_in_history_where_it_is_undone(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.release("v1")
        workspace.apply(Retire("q1/a"))
        workspace.apply(Add("q2", "New?"))
    app = open_app(hand_made, PAGE, release="v1", judge="ann")
    html = page_html(app)
    assert "Retired since: 1" in html
    assert "New since: 1" in html
    assert downloads(app)[-1] == "released_json"
    assert "Restoring changes the bank: 1 retired, 1 kept again." in press(
        app, "restore_ask"
    )
    press(app, "asked_no")
    with Workspace.open(hand_made) as workspace:
        assert workspace.bank().question("q1/a").state == "retired"
    press(app, "restore_ask")
    assert "Restored from v1." in press(app, "asked_yes")
    with Workspace.open(hand_made) as workspace:
        kept = {one.question_id for one in workspace.bank() if one.state == "kept"}
    assert kept == {"q1/a", "q1/b", "q1/c", "q2/d"}
    assert "Undone: " in press(app, "undo_event")  # on History
    with Workspace.open(hand_made) as workspace:
        assert workspace.bank().question("q1/a").state == "retired"
