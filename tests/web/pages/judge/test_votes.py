"""Votes on the Judge page: saved once, others' are shown only beside one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curator.bank.edits import Vote
from curator.web.components import session
from curator.web.components.channel import Answer
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, given, page_html, question_rows, sent

PAGE = "judge/page.py"


def vote(path: Path, judge: str, **votes: str) -> None:
    """Save a judge's votes on questions of q1, by letter."""
    with Workspace.open(path, judge=judge) as workspace:
        workspace.apply([Vote(f"q1/{one}", how) for one, how in votes.items()])


def test_nothing_on_the_page_tells_of_others_votes_before_mine(
    open_app: OpenApp, hand_made: Path
) -> None:
    vote(hand_made, "Benedict", a="vital", b="okay")
    app = open_app(hand_made, PAGE, judge="ann", query="q1")
    assert "Benedict" not in page_html(app) + json.dumps(given(app))
    vote(hand_made, "ann", b="vital")
    app = open_app(hand_made, PAGE, judge="ann", query="q1")

    def votes_in(row: dict[str, Any]) -> tuple[str, str, bool]:
        return row["vote"], row["others_votes"], row["disputed"]

    assert {name: votes_in(row) for name, row in question_rows(app).items()} == {
        "q1/a": ("", "", False),
        "q1/b": ("vital", "okay: Benedict", True),
        "q1/c": ("", "", False),
    }
    assert "1 voted on" in given(app)["others"]


# What the browser sends


def voted(nonce: str = "0123456789ab", **payload: object) -> Answer:
    meant = {"query": "q1", "question": "q1/a", "vote": "vital"}
    return sent("vote", nonce, **meant | payload)


def test_a_vote_sent_twice_is_saved_once_and_goes_on(judging: Path) -> None:
    assert voted(following="q1/b").ok
    assert session.view().question == "q1/b"
    assert voted(following="q1/b").ok
    with Workspace.open(judging) as workspace:
        assert workspace.bank().question("q1/a").votes == (("ann", "vital"),)
        (event,) = workspace.history()
    assert (event.by, event.change.kind) == ("ann", "vote")
