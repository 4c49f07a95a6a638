"""Proposals on the Judge page: what the list is given of them, and who sees them.

Deciding on them is the browser tests' matter.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.store import generations as store
from curator.store.connection import open_workspace, write_transaction
from curator.store.generations import FilledPrompt
from curator.store.jobs import new_holder
from curator.workspace import Workspace
from tests.samples.page_proposals import LISTED, NAMED, TEXTS, listing, propose
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


def test_who_is_to_write_first_is_given_no_proposals_until_then(
    open_app: OpenApp, hand_made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    propose(hand_made, monkeypatch)
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.set_up(human_first=2)
        workspace.apply(Add("q1", "Mine?"))
    app = open_app(hand_made, judge="ann")
    data = given(app)
    assert data["asking"]["gate"] == (
        "Write 1 more question of your own; then proposals are shown."
    )
    assert (data["kept"], data["others"]) == ("4 kept", "")
    assert not any(text in str(data) for text in TEXTS)
    assert not any(text in page_html(app) for text in TEXTS)
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply(Add("q1", "Mine too?"))
    app.run()
    data = given(app)
    assert (data["asking"]["gate"], data["others"]) == ("", "4 proposed")
    order = [row["text"] for row in question_rows(app).values()][-4:]
    assert sorted(order) == sorted(TEXTS)
    app.run()
    assert [row["text"] for row in question_rows(app).values()][-4:] == order


def test_what_is_asked_is_stopped_by_a_click_and_what_arrived_stays(
    open_app: OpenApp, hand_made: Path
) -> None:
    connection = open_workspace(hand_made)
    asked = FilledPrompt("q1", None, None, "dl", "question", "Ask.", NAMED, {}, "Ask.")
    holder = new_holder()
    with write_transaction(connection):
        (number,) = store.claim(connection, [asked], holder=holder, by="ann")
        store.store_partial_response(
            connection, number, LISTED, holder=holder, texts_read=0
        )
    connection.close()
    app = open_app(hand_made, query="q1")
    assert f"Asking {NAMED}" in page_html(app)
    app.button(key="stop_asking").click().run()
    assert "Asking" not in page_html(app)
    with Workspace.open(hand_made) as workspace:
        (kept,) = workspace.generations()
        assert (kept.state, kept.proposed) == ("broken", len(TEXTS))
        assert (kept.error or "").startswith("Stopped by ")
