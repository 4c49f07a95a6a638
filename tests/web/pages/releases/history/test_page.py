"""The History page through app.py: days, filters, links, files, taking back."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from streamlit.testing.v1 import AppTest

from curator.bank.edits import Retire, Reword, Vote
from curator.web.pages.releases.history.page import file_of
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html, picks

PAGE = "releases/history/page.py"


def retired(path: Path, to: Path) -> Path:
    """A copy in which ann has retired a, and ben d; events 5 and 6."""
    copy = Path(shutil.copy(path, to / "retired.db"))
    with Workspace.open(copy, judge="ann") as workspace:
        workspace.apply(Retire("q1/a", reason="too easy"))
    with Workspace.open(copy, judge="ben") as workspace:
        workspace.apply(Retire("q2/d"))
    return copy


def words_of(app: AppTest) -> str:
    """What the page says, without tags."""
    return " ".join(re.sub("<[^>]*>", "", page_html(app)).split())


def listed(app: AppTest) -> list[int]:
    """The numbers of the events shown."""
    return [int(one) for one in re.findall(r'data-pick="event:(\d+)"', page_html(app))]


def test_an_event_is_undone_by_its_number(
    open_app: OpenApp, hand_made: Path, tmp_path: Path
) -> None:
    path = retired(hand_made, tmp_path)
    app = open_app(path, "releases/history/page.py", event="5")
    said = words_of(app)
    effect = "Retired “Why is it?”: 1 label falls, 1 system moves; two ▲1 (2 → 1)."
    assert effect in said  # by hand: p1 from 5 to 4
    assert "before this event → after it" in said
    app.button(key="undo_event").click().run()
    # Still what it did, and not what took it back; and whose it was.
    assert effect in words_of(app)
    assert "Undone: retired · Why is it? · it was ann’s" in words_of(app)
    with Workspace.open(path) as workspace:
        assert workspace.bank().question("q1/a").state == "kept"
    assert app.button(key="undo_event").disabled


def test_days_and_times_are_those_of_the_judge(
    open_app: OpenApp, hand_made: Path, tmp_path: Path
) -> None:
    path = retired(hand_made, tmp_path)
    with Workspace.open(path) as workspace, workspace.connection as connection:
        # Event 5 half an hour before midnight UTC, 6 half an hour after.
        for event, at in ((5, "2026-03-14T23:30"), (6, "2026-03-15T00:30")):
            connection.execute(
                "UPDATE batch SET at = ? WHERE batch_id = "
                "(SELECT batch_id FROM event WHERE event_id = ?)",
                (f"{at}:00.000+00:00", event),
            )
    utc = open_app(path, PAGE)
    days = re.findall(r'class="h-day">(.*?)<', page_html(utc))
    assert days == ["Sunday 2026-03-15", "Saturday 2026-03-14"]
    assert "2026-03-14 (1)" in page_html(utc)
    assert listed(open_app(path, PAGE, day="2026-03-14")) == [5]
    assert listed(open_app(path, PAGE, day="2026-03-16")) == []
    assert listed(open_app(path, PAGE, day="tomorrow")) == [6, 5]


def test_a_long_history_comes_page_by_page_and_opens_at_its_event(
    open_app: OpenApp, hand_made: Path, tmp_path: Path
) -> None:
    path = retired(hand_made, tmp_path)
    with Workspace.open(path, judge="ann") as workspace:
        for at in range(120):  # events 7 to 126
            workspace.apply(Reword("q1/b", f"Words {at}?"))
    assert listed(open_app(path, PAGE)) == [*range(126, 26, -1)]
    assert listed(open_app(path, PAGE, sheet="2")) == [*range(26, 4, -1)]
    app = open_app(path, PAGE, event="10")
    assert listed(app) == [*range(26, 4, -1)]
    assert "Reworded “Words 3?”" in page_html(app)  # and not the latest
    picks(app, "set:kind=retire")
    app.run()
    assert listed(app) == [6, 5]
    assert "2 of 122 events" in page_html(app)
    picks(app, "set:events=all")
    assert listed(app.run()) == [*range(26, 4, -1)]


def test_a_file_has_what_the_filters_show_and_no_formulas(
    hand_made: Path, tmp_path: Path
) -> None:
    path = retired(hand_made, tmp_path)
    with Workspace.open(path, judge="ben") as workspace:
        workspace.apply(Reword("q1/b", "=1+1?"))
        workspace.apply(Vote("q1/b", "okay"))  # which ann is not to see
    rows = json.loads(file_of(path, "ann", [5, 6, 7, 8], "JSON"))
    assert [one["event"] for one in rows] == [7, 6, 5]
    tsv = file_of(path, "ann", [6, 7], "TSV").decode().splitlines()
    assert len(tsv) == 3
    assert "\t=1+1?" not in tsv[1]
    assert "=1+1?" in tsv[1]
