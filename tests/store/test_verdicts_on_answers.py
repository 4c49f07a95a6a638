"""Verdicts are edits: kept by their words, undone by who gave them, sent once."""

from __future__ import annotations

import pytest

from curator.bank.edits import Add, JudgeAnswer, Reword
from curator.bank.marks import Verdict
from curator.bank.marks.verdict import Judged
from curator.store.bank import read_bank
from curator.store.connection import open_workspace
from curator.workspace import Workspace
from tests.samples.workspaces import boards_of


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
