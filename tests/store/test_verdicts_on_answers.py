"""Verdicts are edits: kept by their words, undone by who gave them, sent once."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add, JudgeAnswer, Reword
from curator.bank.edits.verdict import Judged
from curator.bank.marks import Verdict
from curator.errors import UndoError
from curator.store.bank import read_bank
from curator.store.connection import SCHEMA_VERSION, open_workspace
from curator.workspace import Workspace
from tests.samples.workspaces import boards_of, small_workspace
from tests.store.test_migrations import (
    as_it_was,
    refuses,
    rows_of,
    stays_where_a_step_fails,
    tables_of,
    version_of,
)


@pytest.fixture
def ann(tmp_path: Path):
    with small_workspace(tmp_path) as workspace:
        workspace.judge = "ann"
        yield workspace


@pytest.fixture
def bob(ann: Workspace):
    with Workspace.open(ann.path, judge="bob") as workspace:
        yield workspace


@pytest.fixture
def asked(ann: Workspace):
    """A question with its text, to give verdicts on answers to."""
    return next(q for q in ann.bank() if q.state == "kept" and q.text)


def said(workspace: Workspace, question) -> dict[tuple[str, str], str]:
    """(answer, judge): verdict, of the file as it is now."""
    found = workspace.bank().verdicts_of(question.query_id)
    return {(one.answer, one.judge): one.value for one in found}


def test_verdicts_stand_in_the_bank_and_move_no_board(ann, bob, asked):
    state = boards_of(ann)
    ann.apply(JudgeAnswer(asked.question_id, "so ", "right"))
    bob.apply(JudgeAnswer(asked.question_id, "so", "wrong"))
    assert ann.bank().verdicts_of(asked.query_id) == (
        Verdict(asked.question_id, asked.text, "so", "ann", "right"),
        Verdict(asked.question_id, asked.text, "so", "bob", "wrong"),
    )
    assert ann.bank().question(asked.question_id) == asked
    assert boards_of(ann) == state
    assert ann.baselines().last_edit is None  # nothing to compare a board with
    assert ann.verify().problems == ()


def test_a_query_read_again_and_the_whole_file_have_the_same_verdicts(ann, asked):
    ann.bank()  # from now on only what changes is read
    ann.apply(JudgeAnswer(asked.question_id, "so", "right"))
    verdict = Verdict(asked.question_id, asked.text, "so", "ann", "right")
    connection = open_workspace(ann.path)
    whole = read_bank(connection)
    connection.close()
    assert ann.bank().verdicts == whole.verdicts == {asked.query_id: (verdict,)}


def test_undo_takes_back_my_verdict_and_redo_gives_it_again(ann, asked):
    ann.apply(JudgeAnswer(asked.question_id, "so", "wrong"))
    ann.apply(JudgeAnswer(asked.question_id, "so", "right"))
    ann.undo()
    assert said(ann, asked) == {("so", "ann"): "wrong"}
    ann.undo()
    assert said(ann, asked) == {}
    ann.redo()
    ann.redo()
    assert said(ann, asked) == {("so", "ann"): "right"}
    events = ann.history(limit=6)
    assert [event.change.kind for event in events] == [
        "redo verdict",
        "redo verdict",
        "undo verdict",
        "undo verdict",
        "verdict",
        "verdict",
    ]
    mark = Judged(asked.question_id, asked.text, "so", "wrong", "right")
    assert events[4].change.mark == mark
    assert ann.bank_at(events[4].event_id - 1).verdicts_of(asked.query_id) == (
        Verdict(asked.question_id, asked.text, "so", "ann", "wrong"),
    )


def test_a_verdict_sent_twice_is_saved_once(ann, asked):
    edit = JudgeAnswer(asked.question_id, "so", "right")
    assert ann.apply(edit, nonce="n") == ann.apply(edit, nonce="n")
    assert len(ann.history()) == 1


def test_a_verdict_of_another_or_changed_since_is_not_taken_back(ann, bob, asked):
    bob.apply(JudgeAnswer(asked.question_id, "so", "right"))
    event = bob.history(limit=1)[0].event_id
    with pytest.raises(UndoError, match="Only bob"):
        ann.undo(event=event)
    bob.apply(JudgeAnswer(asked.question_id, "so", "wrong"))
    with pytest.raises(UndoError, match="that verdict has changed since"):
        bob.undo(event=event)
    assert said(ann, asked) == {("so", "bob"): "wrong"}


def test_a_verdict_stands_in_the_way_of_no_undo(ann, bob, asked):
    ann.apply(Reword(asked.question_id, "In other words?"))
    bob.apply(JudgeAnswer(asked.question_id, "so", "right"))
    ann.undo()
    assert ann.bank().question(asked.question_id).text == asked.text
    added = ann.apply(Add(asked.query_id, "A new one?")).changes[0].question_id
    bob.apply(JudgeAnswer(added, "no", "wrong"))
    ann.undo()
    assert added not in {one.question_id for one in ann.bank()}
    # They are about words, which may be asked again.
    assert said(ann, asked) == {("so", "bob"): "right", ("no", "bob"): "wrong"}
    bob.undo()
    assert said(ann, asked) == {("so", "bob"): "right"}


@pytest.fixture
def version_five(tmp_path):
    small_workspace(tmp_path).close()
    return as_it_was(
        tmp_path / "small.db", tmp_path / "five.db", before="m006_verdicts"
    )


def test_version_five_gains_verdicts_and_keeps_its_rows(tmp_path, version_five):
    assert version_of(version_five)[0] == 5
    assert "verdict" not in tables_of(version_five)
    with Workspace.open(version_five, judge="ann") as workspace:
        assert workspace.verify().problems == ()
        assert workspace.bank().verdicts == {}
    assert version_of(version_five)[0] == SCHEMA_VERSION
    assert rows_of(version_five) == rows_of(tmp_path / "small.db")
    open_workspace(version_five).close()
    assert tables_of(version_five) == tables_of(tmp_path / "small.db")


def test_a_sixth_step_that_fails_halfway_leaves_version_five(monkeypatch, version_five):
    stays_where_a_step_fails(monkeypatch, version_five, "_VERDICTS")


@pytest.mark.parametrize(
    "row",
    ["('q1', 1, 2, 'ann', 'a', 'maybe', '')", "('no', 1, 2, 'ann', 'a', 'right', '')"],
)
def test_what_the_sixth_step_promises_is_checked(ann, row):
    refuses(ann.path, f"INSERT INTO verdict VALUES {row}")
