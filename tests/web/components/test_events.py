"""What a browser sends is handled once, or refused in one line."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

import pytest
import streamlit as st

from curator.bank.edits import Propose, Retire, Reword
from curator.web.components import channel, session
from curator.web.components.channel import Answer, Conflict, handled, read
from curator.web.components.events import SETTING_HANDLERS, SETTINGS
from curator.workspace import Workspace

NONCE = "0123456789ab"
TYPES = sorted(channel.HANDLERS)


NUMBERS = [True, 7, -1.5, 10**400, float("nan"), float("inf")]
TEXTS = ["", "x" * 10**5, "²", "9" * 5000, "<script>hurt()</script>", "\u202e\x00"]
LISTS = [[], [[]], ["a", 3], [["q1/p", True]], [[1]], {}, {"a": {}}]
ODD: list[Any] = [None, *NUMBERS, *TEXTS, *LISTS]


def carry_out(sent_as: str = "retire", nonce: str = NONCE, **payload: object) -> Answer:
    """What becomes of this event in q1, sent for this workspace and judge."""
    meant = {"type": sent_as, "query": "q1", "workspace": session.workspace_id()}
    return handled(nonce, meant | payload)


def sent(*values: object) -> tuple[Answer, ...]:
    """The answers to what a component sent."""
    st.session_state["a_list"] = SimpleNamespace(events=list(values))
    channel.received("a_list")
    return session.current().answers


def wish(nonce: str = NONCE, **payload: object) -> dict[str, object]:
    """An event as the browser sends it: to retire a question."""
    meant = {"nonce": nonce, "type": "retire", "workspace": session.workspace_id()}
    return meant | {"question": "q1/a", "based_on": 1} | payload


@pytest.mark.parametrize("kind", TYPES)
def test_an_odd_payload_is_refused_in_one_line_and_changes_nothing(
    judging: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    # What is only asked for beside the page is not begun by a test.
    for name in ("send", "ask"):
        monkeypatch.setattr(session, name, lambda *_, **__: None)
    handler = channel.HANDLERS[kind]
    hints = get_type_hints(handler)
    payload = {
        name: hints[name]
        for name, one in inspect.signature(handler).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    fine: dict[type, Any] = {str: "nothing", bool: True}
    whole = {
        name: next(
            (v for k, v in fine.items() if _takes(hint, v) and _takes(hint, k())), []
        )
        for name, hint in payload.items()
    }
    for name, hint in payload.items():
        for odd in ODD:
            answer = carry_out(kind, **{**whole, name: odd})
            assert "\n" not in answer.line
            assert answer.line != channel.UNEXPECTED, (name, odd)
            if not _takes(hint, odd):
                assert (answer.ok, answer.line) == (False, channel.UNREADABLE)
        needed = inspect.signature(handler).parameters[name]
        if needed.default is needed.empty:
            left = {one: value for one, value in whole.items() if one != name}
            left |= {"query": None} if name == "query" else {}
            assert carry_out(kind, **left).line == channel.UNREADABLE
    with Workspace.open(judging) as workspace:
        assert not [e for e in workspace.history() if e.change.question_id]


def _takes(hint: Any, value: object) -> bool:
    try:
        read(hint, value)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("kind", TYPES)
def test_an_event_that_comes_again_is_handled_once(
    judging: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    calls: list[dict[str, object]] = []

    def counts(**payload: object) -> None:
        calls.append(payload)

    monkeypatch.setitem(channel.HANDLERS, kind, counts)
    value = wish(type=kind)
    assert sent(value) == sent(value, value) == (Answer(NONCE, True),)
    assert len(calls) == 1


def test_no_page_takes_a_setting_of_the_url() -> None:
    assert SETTING_HANDLERS
    assert not SETTING_HANDLERS.keys() & set(SETTINGS)


@pytest.mark.parametrize(
    ("seconds", "kept"), [(0, 0.0), (3.5, 3.5), (600, 600.0), (600.1, None), (-1, None)]
)
def test_a_time_is_within_ten_minutes_or_left_out(
    judging: Path, seconds: float, kept: float | None
) -> None:
    (proposal,) = waiting(judging, "Where?")
    assert carry_out("keep", question=proposal, based_on=1, seconds=seconds).ok
    with Workspace.open(judging) as workspace:
        (share,) = workspace.decisions().judges
    assert share.seconds == kept


def test_a_stale_rewording_is_answered_with_both_texts(judging: Path) -> None:
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(Reword("q1/a", "Why will it be?"))
    answer = carry_out("reword", question="q1/a", texts=["Why was it?"], based_on=1)
    assert not answer.ok
    assert answer.conflict == Conflict(
        mine="Why was it?",
        theirs="Why will it be?",
        base="Why is it?",
        revision=2,
        by="ben",
    )


def test_a_question_written_for_a_next_step_ends_it_and_undoes_with_it(
    judging: Path,
) -> None:
    step = ["uncovered-passage p1", "s"]
    texts = {"texts": ["Where is it?"], "step": step}
    session.look(query="q1", passage="p1")
    added = carry_out("add", **texts)
    assert added.ok
    assert added.question
    # The passage that it was written from stays open.
    assert (session.view().question, session.view().passage) == (added.question, "p1")
    with Workspace.open(judging) as workspace:
        (left,) = workspace.bank().dismissals_of("q1")
        assert [left.key, left.state] == step
    assert carry_out("add", "another one", texts=["Whence is it?"], step=step).ok
    assert carry_out("undo", nonce="a third one").ok
    assert carry_out("undo", nonce="a fourth one").ok
    with Workspace.open(judging) as workspace:
        assert workspace.bank().dismissals_of("q1") == ()
        assert "Where is it?" not in {one.text for one in workspace.bank()}


def test_what_cannot_be_read_is_answered_so_that_it_does_not_come_again(
    judging: Path,
) -> None:
    (answer,) = sent(wish(type="of tomorrow"))
    assert (answer.nonce, answer.ok) == (NONCE, False)
    assert answer.line == channel.UNREADABLE


def test_an_event_for_another_workspace_or_judge_changes_nothing(judging: Path) -> None:
    assert sent(wish(workspace="another"))[-1].line == channel.ELSEWHERE
    meant = wish("another nonce")
    assert sent(meant)[-1].ok
    session.look(judge="bob")
    assert sent(meant | {"nonce": "a third nonce"})[-1].line == channel.ELSEWHERE


def test_a_bug_is_answered_too(judging: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(channel.HANDLERS, "retire", broken)
    assert sent(wish())[-1].line == channel.UNEXPECTED


def waiting(path: Path, *texts: str) -> list[str]:
    """The ids of questions that a model has proposed in these words."""
    with Workspace.open(path) as workspace:
        edits = [Propose("q1", text, "{}") for text in texts]
        batch = workspace.apply(edits, by="chat:m")
    return [change.question_id or "" for change in batch.changes]


def states(path: Path, *question_ids: str) -> list[str]:
    with Workspace.open(path) as workspace:
        return [workspace.bank().question(one).state for one in question_ids]


def test_all_that_is_shown_is_decided_in_one_step_and_undone_as_one(
    judging: Path,
) -> None:
    some = waiting(judging, "Where?", "How?", "Whose?")
    many = [[one, 1] for one in some]
    answer = carry_out("keep all", many=many, seconds=6)
    assert answer.ok
    assert len(answer.revisions) == 3
    assert states(judging, *some) == ["kept"] * 3
    with Workspace.open(judging) as workspace:
        assert workspace.decisions().bank.seconds == 2.0  # by hand: 6 for three
    assert carry_out("undo", "another nonce").ok
    assert states(judging, *some) == ["proposed"] * 3


def test_one_that_changed_meanwhile_refuses_all_that_was_shown(judging: Path) -> None:
    some = waiting(judging, "Where?", "How?")
    with Workspace.open(judging, judge="ben") as workspace:
        workspace.apply(Retire(some[1]))
    answer = carry_out("keep all", many=[[one, 1] for one in some])
    assert not answer.ok
    assert answer.line.startswith("ben has changed 'How?' meanwhile")
    assert states(judging, *some) == ["proposed", "retired"]
