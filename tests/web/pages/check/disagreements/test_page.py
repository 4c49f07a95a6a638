"""The Disagreements tab: both sides, and a decision for one of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from curator.bank.edits import CheckPair, Vote
from curator.web.components import session
from curator.web.components.channel import Answer, handled
from curator.web.components.view import View
from curator.web.pages.check.disagreements.decisions import CHANGED, name_of
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html, remember

PAGE = "check/disagreements/page.py"


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
    return hand_made


@pytest.fixture
def pressing(differing: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Sends an event of the page as this judge."""
    monkeypatch.setenv("CURATOR_WORKSPACE", str(differing))
    number = iter(range(100))

    def press(kind: str, name: str = "", judge: str = "ann") -> Answer:
        if session.view().judge != judge:
            remember(View(judge=judge))
        meant = {"type": kind, "name": name, "workspace": session.workspace_id()}
        return handled(f"0123456789{next(number):02d}", meant)

    remember(View(judge="ann"))
    yield press
    session.kept_open.clear()


def named(path: Path, kind: str) -> str:
    with Workspace.open(path) as one:
        every = one.adjudication(decided=True).differences
        return next(name_of(o) for o in every if o.place.kind == kind)


def status(path: Path, kind: str) -> str:
    with Workspace.open(path) as one:
        every = one.adjudication(decided=True).differences
        return next(o.status for o in every if o.place.kind == kind)


def test_both_sides_stand_without_names_until_they_are_asked_for(
    differing: Path, open_app: OpenApp
) -> None:
    app = open_app(differing, PAGE, judge="ann")
    html = page_html(app)
    assert "2 places" in html
    assert 'data-key="1"' in html
    assert "vital" in html
    assert "okay" in html
    middle = html.partition("d-bar")[2].partition("d-why")[0]
    assert "1 judge" in middle
    assert "bo, " not in middle
    assert 'aria-current="true"' in html


def test_a_judge_decides_nothing_and_sees_what_they_may(
    differing: Path, open_app: OpenApp, pressing: Any
) -> None:
    with Workspace.open(differing) as one:
        one.add_people("dee")
    html = page_html(open_app(differing, PAGE, judge="bo"))
    assert 'data-key="1"' not in html
    assert "The organizer decides" in html
    assert "Judges do not differ" in page_html(open_app(differing, PAGE, judge="dee"))
    answer = pressing("decide", f"{named(differing, 'vote')}=1", judge="bo")
    assert not answer.ok
    assert "bo is a judge here, and deciding is for organizers" in answer.line
    assert status(differing, "vote") == "open"


def test_a_key_decides_and_another_takes_it_back(
    differing: Path, pressing: Any
) -> None:
    name = named(differing, "vote")
    assert pressing("decide", f"{name}=2").ok
    assert status(differing, "vote") == "decided: okay"
    assert session.current().difference == named(differing, "check")
    assert pressing("undecide").ok
    assert status(differing, "vote") == "open"
    pressing("decide", f"{name}=1")
    pressing("decide", f"{name}=0")
    assert status(differing, "vote") == "open"


def test_what_has_changed_meanwhile_is_not_decided(
    differing: Path, pressing: Any
) -> None:
    name = named(differing, "vote")
    with Workspace.open(differing) as one:
        one.apply(Vote("q1/a", "okay"), by="dee")
    for odd in (f"{name}=1", f"{named(differing, 'vote')}=7", "nothing", "=1"):
        assert pressing("decide", odd).line == CHANGED
    assert status(differing, "vote") == "open"


def test_what_is_listed_is_chosen(differing: Path, pressing: Any) -> None:
    pressing("set", "differences=check")
    assert session.current().differences_of == "check"
    pressing("set", "decisions=decided")
    assert session.current().decided_too
    pressing("within-differences", "q1")
    assert session.view().within == "q1"
    pressing("within-differences", "q1")
    assert session.view().within is None


def test_an_empty_state_says_what_to_do(hand_made: Path, open_app: OpenApp) -> None:
    html = page_html(open_app(hand_made, PAGE))
    assert "Judges do not differ" in html
    assert "Vote on questions" in html
