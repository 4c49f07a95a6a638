"""What a browser sends is read as one intent, or as nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st

from curator.bank.edits import (
    Add,
    Done,
    Edit,
    Keep,
    Propose,
    Restore,
    Retire,
    Reword,
)
from curator.ui.server import WORKSPACE_VARIABLE
from curator.ui.shared import events, session
from curator.ui.shared.intents import MAX_AT_ONCE, MAX_TEXTS, edits_of, read_intent
from curator.ui.shared.view import View
from curator.workspace import Workspace

SENT: dict[str, Any] = {"nonce": "0123456789ab", "kind": "retire", "query": "q1"}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "retire",
        [SENT],
        {},
        {**SENT, "nonce": "short"},
        {**SENT, "nonce": "x" * 65},
        {**SENT, "nonce": 7},
        {**SENT, "kind": "drop table"},
        {**SENT, "kind": ["retire"]},
        {**SENT, "query": None},
    ],
)
def test_what_is_no_intent_is_nothing(value: object) -> None:
    assert read_intent(value) is None


def test_fields_of_the_wrong_kind_are_left_out() -> None:
    intent = read_intent(
        {
            **SENT,
            "question": 5,
            "texts": ["a", 3, None],
            "subtopic": "",
            "reason": {},
            "based_on": True,
        }
    )
    assert intent is not None
    assert intent.question_id == ""
    assert intent.texts == ("a",)
    assert intent.subtopic_id is None
    assert intent.reason == ""
    assert intent.based_on is None


@pytest.mark.parametrize(
    ("sent", "edits"),
    [
        (
            {"kind": "retire", "question": "q1/a", "based_on": 3},
            [Retire("q1/a", based_on=3)],
        ),
        (
            {"kind": "restore", "question": "q1/a", "based_on": 3},
            [Restore("q1/a", based_on=3)],
        ),
        (
            {"kind": "reword", "question": "q1/a", "texts": ["new"], "based_on": 1},
            [Reword("q1/a", "new", based_on=1)],
        ),
        (
            {"kind": "add", "texts": ["one", "two"], "subtopic": "s"},
            [Add("q1", "one", subtopic_id="s"), Add("q1", "two", subtopic_id="s")],
        ),
        ({"kind": "done"}, [Done("q1", True)]),
        ({"kind": "reopen"}, [Done("q1", False)]),
        ({"kind": "undo"}, []),
        ({"kind": "ask", "subtopic": "s", "again": True}, []),
        (
            {"kind": "keep", "question": "q1/p", "based_on": 1},
            [Keep("q1/p", based_on=1)],
        ),
        (
            {"kind": "keep all", "many": [["q1/p", 1], ["q1/r", 2]]},
            [Keep("q1/p", based_on=1), Keep("q1/r", based_on=2)],
        ),
        (
            {"kind": "drop all", "many": [["q1/p", 1], "q1/r", ["q1/s", True], [1]]},
            [Retire("q1/p", based_on=1)],
        ),
    ],
)
def test_an_intent_asks_for_these_edits(
    sent: dict[str, object], edits: list[Edit]
) -> None:
    intent = read_intent(SENT | sent)
    assert intent is not None
    assert edits_of(intent) == edits


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        (0, 0.0), (3.5, 3.5), (600, 600.0), (600.1, None), (-1, None), (10**400, None),
        (float("nan"), None), (float("inf"), None), (True, None), ("3", None),
        (None, None), ([3], None),
    ],
)  # fmt: skip
def test_a_time_is_a_number_of_seconds_within_ten_minutes_or_nothing(
    sent: object, seconds: float | None
) -> None:
    intent = read_intent(SENT | {"seconds": sent})
    assert intent is not None
    assert intent.seconds == seconds


@pytest.fixture
def judging(hand_made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The hand-made workspace, looked at by ann outside any server."""
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(hand_made))
    st.session_state.clear()
    st.session_state.view = View(query="q1", judge="ann")
    yield hand_made
    st.session_state.clear()


def carry_out(**sent: object) -> events.Answer:
    intent = read_intent(SENT | sent)
    assert intent is not None
    return events.carry_out(intent)


def test_an_intent_sent_twice_is_saved_once(judging: Path) -> None:
    first = carry_out(question="q1/a", based_on=1)
    again = carry_out(question="q1/a", based_on=1)
    assert first == again
    assert first.ok
    with Workspace.open(judging) as workspace:
        retired = [e for e in workspace.history() if e.change.kind == "retire"]
        assert len(retired) == 1


def test_a_stale_rewording_is_answered_with_both_texts(judging: Path) -> None:
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(Reword("q1/a", "Why will it be?"))
    answer = carry_out(
        kind="reword", question="q1/a", texts=["Why was it?"], based_on=1
    )
    assert not answer.ok
    assert answer.conflict == events.Conflict(
        mine="Why was it?",
        theirs="Why will it be?",
        base="Why is it?",
        revision=2,
        by="ben",
    )


def test_the_same_text_saved_by_two_is_no_conflict(judging: Path) -> None:
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(Reword("q1/a", "Why was it?"))
    answer = carry_out(
        kind="reword", question="q1/a", texts=["Why was it?"], based_on=1
    )
    assert answer.ok


def test_a_stale_retirement_says_why_in_one_line(judging: Path) -> None:
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(Reword("q1/a", "Why was it?"))
    answer = carry_out(question="q1/a", based_on=1)
    assert not answer.ok
    assert answer.conflict is None
    assert answer.line == (
        "ben has changed 'Why was it?' meanwhile: look at it as it is now."
    )


def test_done_opens_the_next_query_without_a_tick(judging: Path) -> None:
    assert carry_out(kind="done").ok
    assert session.view().query == "q2"


def test_an_edit_is_looked_at_and_the_first_passage_it_changed_opens(
    judging: Path,
) -> None:
    session.look(passage="p2", solo=True)
    carry_out(question="q1/a", based_on=1)
    view = session.view()
    assert (view.question, view.passage, view.solo) == ("q1/a", None, False)


def test_only_new_words_ask_for_grades(judging: Path) -> None:
    carry_out(question="q1/a", based_on=1)
    assert "to_grade" not in st.session_state
    carry_out(nonce="another nonce", kind="add", texts=["How?"])
    assert st.session_state.to_grade == "q1"


def test_a_reason_goes_into_the_history(judging: Path) -> None:
    carry_out(question="q1/a", based_on=1)
    answer = carry_out(
        nonce="another nonce", kind="reason", question="q1/a", reason="too easy"
    )
    assert answer.ok
    with Workspace.open(judging) as workspace:
        assert workspace.history()[0].change.reason == "too easy"


def test_too_long_a_list_is_refused_whole_in_one_line(judging: Path) -> None:
    answer = carry_out(kind="add", texts=[f"Is it {n}?" for n in range(MAX_TEXTS + 1)])
    assert not answer.ok
    assert answer.line == (
        "At most 200 questions are added at once; these are 201. Nothing was added."
    )
    with Workspace.open(judging) as workspace:
        assert workspace.history() == ()


def test_a_text_that_another_question_has_is_refused_in_one_line(
    judging: Path,
) -> None:
    answer = carry_out(
        kind="reword", question="q1/a", texts=["When is it?"], based_on=1
    )
    assert not answer.ok
    assert "already asks" in answer.line


def test_rewording_to_its_own_text_is_done_already(judging: Path) -> None:
    answer = carry_out(kind="reword", question="q1/a", texts=["Why is it?"], based_on=1)
    assert answer.ok


def sent_by_the_list(monkeypatch: pytest.MonkeyPatch, value: object) -> events.Answer:
    """The answer to what the component sent."""
    st.session_state[events.LIST] = SimpleNamespace(intent=value)
    events.intended()
    return session.answers()[-1]


def test_what_cannot_be_read_is_answered_so_that_it_does_not_come_again(
    judging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = sent_by_the_list(monkeypatch, {**SENT, "kind": "of tomorrow"})
    assert (answer.nonce, answer.ok) == (SENT["nonce"], False)
    assert answer.line == events.UNREADABLE


def test_an_intent_for_another_workspace_or_judge_changes_nothing(
    judging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = {**SENT, "question": "q1/a", "based_on": 1}
    answer = sent_by_the_list(monkeypatch, {**wish, "workspace": "another"})
    assert answer.line == events.ELSEWHERE
    meant = {**wish, "nonce": "another nonce", "workspace": session.workspace_id()}
    assert sent_by_the_list(monkeypatch, meant).ok
    st.session_state.view = View(query="q1", judge="bob")
    meant["nonce"] = "a third nonce"
    assert sent_by_the_list(monkeypatch, meant).line == events.ELSEWHERE


def test_a_bug_is_answered_too(judging: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(events, "_change", broken)
    wish = {**SENT, "workspace": session.workspace_id()}
    assert sent_by_the_list(monkeypatch, wish).line == events.UNEXPECTED


def test_a_refusal_is_not_tried_again_when_it_comes_again(
    judging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wish = {**SENT, "workspace": session.workspace_id(), "question": "q1/a"}
    assert not sent_by_the_list(monkeypatch, wish | {"based_on": 7}).ok
    assert not sent_by_the_list(monkeypatch, wish | {"based_on": 1}).ok


def test_done_that_arrives_late_leaves_the_judge_where_they_are(judging: Path) -> None:
    session.look(query="q2")
    assert carry_out(kind="done").ok
    assert session.view().query == "q2"


def waiting(path: Path, *texts: str) -> list[str]:
    """The ids of questions that a model has proposed in these words."""
    with Workspace.open(path) as workspace:
        edits = [Propose("q1", text, "{}") for text in texts]
        batch = workspace.apply(edits, by="chat:m")
    return [change.question_id or "" for change in batch.changes]


def states(path: Path, *question_ids: str) -> list[str]:
    with Workspace.open(path) as workspace:
        return [workspace.bank().question(one).state for one in question_ids]


def test_a_decision_keeps_how_long_the_judge_looked_and_goes_on(judging: Path) -> None:
    first, second = waiting(judging, "Where?", "How?")
    answer = carry_out(
        kind="keep", question=first, based_on=1, seconds=4.5, next=second
    )
    assert answer.ok
    assert session.view().question == second
    with Workspace.open(judging) as workspace:
        (share,) = workspace.decisions().judges
    assert (share.judge, share.unedited, share.seconds) == ("ann", 1, 4.5)


def test_all_that_is_shown_is_decided_in_one_step_and_undone_as_one(
    judging: Path,
) -> None:
    some = waiting(judging, "Where?", "How?", "Whose?")
    many = [[one, 1] for one in some]
    answer = carry_out(kind="keep all", many=many, seconds=6)
    assert answer.ok
    assert len(answer.revisions) == 3
    assert states(judging, *some) == ["kept"] * 3
    with Workspace.open(judging) as workspace:
        assert workspace.decisions().bank.seconds == 2.0  # by hand: 6 for three
    assert carry_out(nonce="another nonce", kind="undo").ok
    assert states(judging, *some) == ["proposed"] * 3


def test_one_that_changed_meanwhile_refuses_all_that_was_shown(judging: Path) -> None:
    some = waiting(judging, "Where?", "How?")
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(Retire(some[1]))
    answer = carry_out(kind="keep all", many=[[one, 1] for one in some])
    assert not answer.ok
    assert answer.line.startswith("ben has changed 'How?' meanwhile")
    assert states(judging, *some) == ["proposed", "retired"]


def test_too_many_decisions_at_once_are_refused_in_one_line(judging: Path) -> None:
    answer = carry_out(kind="drop all", many=[["q1/p", 1]] * (MAX_AT_ONCE + 1))
    assert not answer.ok
    assert answer.line == (
        "At most 1,000 proposals are decided at once; these are 1,001. Nothing was "
        "changed."
    )


def test_a_model_is_asked_in_the_judges_name(
    judging: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, dict[str, object]]] = []
    monkeypatch.setattr(session, "ask", lambda q, **about: asked.append((q, about)))
    assert carry_out(kind="ask", subtopic="s", again=True).ok
    about = {"subtopic_id": "s", "passage_id": None, "again": True}
    assert asked == [("q1", about)]
    with Workspace.open(judging) as workspace:
        workspace.set_up(human_first=2)
    refused = carry_out(nonce="another nonce", kind="ask")
    assert not refused.ok
    assert refused.line.startswith("Write 2 more questions of your own")
    assert len(asked) == 1
