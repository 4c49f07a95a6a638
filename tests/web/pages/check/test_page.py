"""The Check page: one queue of pairs, norming items and disagreements."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import CheckPair, Vote
from curator.verbs.adjudication import Difference
from curator.verbs.checks.batch import CheckQueue
from curator.web.components import session
from curator.web.components.channel import Answer, handled
from curator.web.components.view import View
from curator.web.pages.check.events import CHANGED
from curator.web.pages.check.queue import difference_name
from curator.workspace import Workspace
from tests.web.conftest import (
    OpenApp,
    given,
    page_html,
    picks,
    remember,
    sent,
)

PAGE = "check/page.py"
Press = Callable[..., Answer]


def listed(app: AppTest) -> dict[str, Any]:
    """What the list of pairs in the browser is given."""
    return given(app, "check_list")


# What the browser sends


def test_chips_and_navigation_count_what_waits(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ben") as ben:
        ben.apply(CheckPair("q1", "q1/a", "p1", "no"))
        ben.open_norming("pairs", count=3)
    with Workspace.open(hand_made, judge="ann", as_judge=True) as ann:
        ann.apply(CheckPair("q1", "q1/a", "p1", "yes"))
        assert ann.check_queue() == CheckQueue(0, 3)  # nothing is drawn yet
        at = ann.draw_batch("pairs").at
        ann.answer_check("pairs", at, 0, "yes")
        # By hand: seven pairs, one checked before the draw and one after it.
        assert ann.check_queue() == CheckQueue(5, 3)
    app = open_app(hand_made, PAGE, judge="ann")
    html = page_html(app)
    for chip in ("All<i>9", "Pairs<i>5", "Disagreements<i>1", "Norming<i>3"):
        assert f"{chip}</i>" in html
    labels = [link.label for link in app.get("page_link")]
    assert "Check :gray-badge[9]" in labels
    for queue in ("pairs", "norming", "disagreements"):
        rows = listed(open_app(hand_made, PAGE, judge="ann", queue=queue))["rows"]
        assert {row["source"] for row in rows} == {queue}


# Gold items


def test_my_answer_becomes_gold_and_others_are_not_told(
    open_app: OpenApp, judging: Path
) -> None:
    with Workspace.open(judging, judge="ann", as_judge=True) as ann:
        ann.add_people("ann", "organizer")
        ann.add_people("bo")
        at = ann.draw_batch("pairs").at
        for place in range(2):
            ann.answer_check("pairs", at, place, "yes", seconds=9.0)
    meant = {"of": "pairs", "draw": at, "gold": True}
    assert sent("gold", "0123456789aa", **meant, place=0).ok
    assert sent("gold", "0123456789ab", **meant, place=1).ok
    assert not sent("gold", "0123456789ac", **meant, place=9).ok
    assert sent("gold", "0123456789ad", **meant | {"gold": False}, place=1).ok
    app = open_app(judging, PAGE, judge="ann", organize="yes")
    rows = listed(app)["rows"]
    assert [row["gold"] for row in rows[:2]] == ["No longer gold", "Make it gold"]
    assert "Gold items" in page_html(app)
    asked = json.dumps(listed(open_app(judging, PAGE, judge="bo")))
    assert "gold:" not in asked
    assert "known answer" not in asked


# Disagreements


@pytest.fixture
def differing(hand_made: Path) -> Path:
    """Bo and cy differ on a vote and a check; ann organizes."""
    with Workspace.open(hand_made, judge="ann") as one:
        one.apply(
            [Vote("q1/a", "vital"), CheckPair("q1", "q1/a", "p1", "yes")], by="bo"
        )
        one.apply([Vote("q1/a", "okay"), CheckPair("q1", "q1/a", "p1", "no")], by="cy")
        one.add_people("ann", "organizer")
        one.add_people(["bo", "cy"])
        one.open_norming(items=[("q1", "q1/a", "p1"), ("q1", "q1/c", "p1")])
    with Workspace.open(hand_made, judge="bo") as bo:
        bo.answer_norming(1, 1, "yes")
    return hand_made


@pytest.fixture
def pressing(differing: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Press]:
    """Sends an event of the page as this judge."""
    monkeypatch.setenv("CURATOR_WORKSPACE", str(differing))
    number = iter(range(100))

    def press(judge: str, kind: str, **payload: object) -> Answer:
        if session.view().judge != judge:
            remember(View(judge=judge))
        meant = {"type": kind, "workspace": session.workspace_id()}
        return handled(f"0123456789{next(number):02d}", meant | payload)

    remember(View(judge="ann"))
    yield press
    session.kept_open.clear()


def difference(path: Path, kind: str) -> Difference:
    with Workspace.open(path) as one:
        every = one.adjudication(decided=True).differences
        return next(found for found in every if found.place.kind == kind)


def test_both_sides_stand_without_names_until_they_are_asked_for(
    differing: Path, open_app: OpenApp
) -> None:
    app = open_app(differing, PAGE, judge="ann", queue="disagreements")
    vote, check = listed(app)["rows"]
    assert [label for _, label, _, _ in vote["choices"]] == ["vital", "okay"]
    assert vote["said"] == [["vital", "1", False], ["okay", "1", False]]
    assert (check["mine"], check["open"]) == ("", True)
    picks(app, "who-said:")
    assert listed(app.run())["rows"][0]["said"][0] == ["vital", "bo", False]


def test_a_judge_decides_nothing_and_sees_what_they_may(
    differing: Path, open_app: OpenApp, pressing: Press
) -> None:
    with Workspace.open(differing) as one:
        one.add_people("dee")
    app = open_app(differing, PAGE, judge="bo", queue="disagreements")
    rows = listed(app)["rows"]
    assert [row["choices"] for row in rows] == [[], []]
    app = open_app(differing, PAGE, judge="dee", queue="disagreements")
    assert "Judges do not differ" in page_html(app)
    name = difference_name(difference(differing, "vote"))
    answer = pressing("bo", "decide", name=name, answer="1")
    assert "bo is a judge here, and deciding is for organizers" in answer.line
    assert difference(differing, "vote").status == "open"


def test_what_has_changed_meanwhile_is_not_decided(
    differing: Path, pressing: Press
) -> None:
    name = difference_name(difference(differing, "vote"))
    with Workspace.open(differing) as one:
        one.apply(Vote("q1/a", "okay"), by="dee")
    now = difference_name(difference(differing, "vote"))
    for odd, answer in ((name, "1"), (now, "7"), ("nothing", "1"), ("", "")):
        assert pressing("ann", "decide", name=odd, answer=answer).line == CHANGED
    assert difference(differing, "vote").status == "open"
