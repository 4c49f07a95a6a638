"""Proposals on the Judge page: what the list is given of them, and who sees them.

Deciding on them is the browser tests' matter.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.page_proposals import NAMED, TEXTS, listing, propose
from tests.samples.workspaces import FakeEncoder
from tests.web.conftest import OpenApp, given, page_html, question_rows


def test_proposals_come_with_their_model_and_passage_and_count_nowhere(
    open_app: OpenApp, hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = given(open_app(hand_made))
    (about_p1,) = propose(
        hand_made, monkeypatch, listing("What of p1?"), passage_id="p1"
    )
    propose(hand_made, monkeypatch)
    app = open_app(hand_made)
    data = given(app)
    assert (before["kept"], before["others"]) == ("3 kept", "")
    assert (data["kept"], data["others"]) == ("3 kept", "5 proposed")
    rows = list(question_rows(app).values())
    assert [row["state"] for row in rows] == ["kept"] * 3 + ["proposed"] * 5
    assert [row["text"] for row in rows[4:]] == list(TEXTS)
    assert {row["model"] for row in rows[3:]} == {NAMED}
    assert rows[3]["id"] == about_p1.question_id
    assert [row["passage"] for row in rows[3:]] == ["p1", "", "", "", ""]
    assert {row["meta"] for row in rows[3:]} == {"not graded yet"}
    assert [row["influence"] for row in rows[:3]] == [".167", ".167", ".333"]
    # What a model proposes is nobody's edit.
    assert "You have no edits in this query." in page_html(app)


def test_what_keeping_each_would_do_is_said_by_the_grader_that_knows(
    open_app: OpenApp, hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (proposal, *_) = propose(hand_made, monkeypatch)
    app = open_app(hand_made)
    what = question_rows(app)[proposal.question_id]["what"]
    assert what["label"] == "If kept"
    # By hand: q1 has two passages with text, and neither was graded.
    assert "".join(part["text"] for part in what["sentence"]) == (
        "If kept: 2 grades missing, so ranks are not certain yet."
    )
    assert given(app)["by"] == ""
    with Workspace.open(hand_made) as workspace:
        workspace.grade("embedding", query_id="q1", encoder=FakeEncoder())
    app.run()
    assert given(app)["by"] == "embedding"
    row = question_rows(app)[proposal.question_id]
    assert row["meta"].startswith("would reach")
    assert row["what"]["sentence"][0]["text"] == "If kept, by embedding: "
