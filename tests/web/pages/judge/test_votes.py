"""Votes on the Judge page: saved once, others' are shown only beside one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from curator.bank.edits import Vote
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, given, page_html, question_rows

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
