"""The Judge page: what the question list is given, and what an edit moves.

What is typed, clicked and pressed is the browser tests' matter; edits are saved here
as the page saves them, and the page is opened on them.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import Done, Edit, Retire
from curator.web.components import session
from curator.workspace import Workspace
from tests.samples.hand_made import HOSTILE_QUESTION
from tests.web.conftest import (
    OpenApp,
    given,
    question_rows,
    sent,
)


def impact(app: AppTest) -> str:
    """The sentence on the right."""
    (found,) = [
        e.proto.body for e in app.get("html") if 'class="c-impact"' in e.proto.body
    ]
    return str(found)


def save(path: Path, *edits: Edit, judge: str = "ann") -> None:
    """Each edit as a batch of its own."""
    with Workspace.open(path, judge=judge) as workspace:
        for edit in edits:
            workspace.apply(edit)


def test_the_list_is_given_every_question_with_what_it_reaches(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, question="q1/a")
    data = given(app)
    assert (data["query"], data["title"]) == ("q1", "What is it?")
    assert (data["kept"], data["others"], data["done"]) == ("3 kept", "", False)
    assert data["measure"] == "cover"
    assert data["selected"] == "q1/a"
    rows = question_rows(app)
    assert [row["number"] for row in rows.values()] == [1, 2, 3]
    assert rows["q1/b"]["text"] == HOSTILE_QUESTION
    # By hand: p1 answers a, and one of two systems found it; p1 is judged relevant.
    assert rows["q1/a"]["meta"] == "1 passage · 1 system · 0 % judged non-relevant"
    assert rows["q1/c"]["reason"] == "only non-relevant passages answer it"
    # By hand: q1 is 2/3 for one, 1/3 for two. Without a or b both have 1/2: they move
    # 1/6 on average. Without c one has 1, two 0: 1/3.
    assert [row["influence"] for row in rows.values()] == [".167", ".167", ".333"]
    assert [row["bar"] for row in rows.values()] == [50, 50, 100]
    assert [row["reach"] for row in rows.values()] == [[1, 2]] * 3
    assert all(row["editable"] and row["revision"] == 1 for row in rows.values())


def test_what_others_did_since_stands_beside_my_impact(
    open_app: OpenApp, hand_made: Path
) -> None:
    save(hand_made, Retire("q1/a"))
    save(hand_made, Retire("q1/b"), Retire("q2/d"), Done("q1"), judge="ben")
    said = impact(open_app(hand_made, query="q1", judge="ann"))
    assert "Retired “Why is it?”: <b>1</b> label falls, <b>1</b> system moves" in said
    assert "Since then in this query: 1 change by ben." in said


# Saves that the file refuses: the list hears one line, and nothing is saved.


def test_a_save_that_the_file_refuses_is_answered_with_one_line(
    judging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "PATIENCE", 0.05)
    with closing(sqlite3.connect(judging, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        answer = sent("reword", question="q1/a", texts=["Why was it?"], based_on=1)
    assert not answer.ok
    assert answer.conflict is None
    assert answer.line.startswith("Nothing was saved: another program has locked")
    assert "\n" not in answer.line
