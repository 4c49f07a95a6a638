"""Verdicts are edits: kept by their words, undone by who gave them, sent once."""

from __future__ import annotations

import pytest

from curator.bank.edits import Add, JudgeAnswer, Reword
from curator.bank.marks import Verdict
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
