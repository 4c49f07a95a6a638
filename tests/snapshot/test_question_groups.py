"""Boards of a group of questions: as if the bank held no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from curator.bank.edits import Add, Keep, Propose, Retire
from curator.errors import EvaluationError, UnknownNameError
from curator.workspace import Workspace
from tests.samples.workspaces import graded_file, graded_passage, question_bank


@pytest.fixture
def two_banks(workspace: Workspace, tmp_path: Path) -> Workspace:
    """A second bank: q1/d, which p1 answers, and q2/e, which p3 answers.

    And a question by ann, and one that a model proposed and ann kept, both ungraded.
    """
    ratings = {"q1": {"p0": 0, "p1": 5, "p2": 0}, "q2": {"p3": 4, "p4": 0}}
    item = {"q1": "q1/d", "q2": "q2/e"}
    passages = {
        query: [graded_passage(p, query, {item[query]: r}) for p, r in of_query.items()]
        for query, of_query in ratings.items()
    }
    workspace.import_(
        autograder=graded_file(tmp_path / "more.jsonl", passages),
        bank=question_bank(
            tmp_path / "more_bank.jsonl",
            {"q1": {"q1/d": "Which is it?"}, "q2": {"q2/e": "Whose is it?"}},
        ),
    )
    workspace.apply(Add("q1", "Where is it?"))
    with Workspace.open(workspace.path, judge="gpt") as model:
        model.apply(Propose("q2", "What made it?", "{}"))
    (proposed,) = [one for one in workspace.bank() if one.state == "proposed"]
    workspace.apply(Keep(proposed.question_id))
    return workspace


GROUPS = {
    "question": {"a", "b", "c", "d", "e", "written", "proposed"},
    "imported": {"a", "b", "c", "d", "e"},
    "import:1": {"a", "b", "c"},
    "written": {"written"},
    "by:ann": {"written"},
    "proposed": {"proposed"},
}
NAMES = {"Where is it?": "written", "What made it?": "proposed"}


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_the_board_of_a_bank_without_the_others(
    two_banks: Workspace, group: str
) -> None:
    measure = "nDCG@2"
    board = two_banks.leaderboard(measure=measure, questions=group)
    scores = two_banks.scores(measure=measure, questions=group)
    others = [
        Retire(one.question_id)
        for one in two_banks.bank()
        if NAMES.get(str(one.text), one.question_id[-1]) not in GROUPS[group]
    ]
    if others:
        two_banks.apply(others)
    assert board.settings.questions == group
    alone = two_banks.leaderboard(measure=measure)
    assert replace(board, settings=alone.settings) == alone
    assert scores.scores == two_banks.scores(measure=measure).scores


def test_two_banks_side_by_side(two_banks: Workspace) -> None:
    compared = two_banks.compare(
        ["cover", "official"], questions=["import:1", "import:2"]
    )
    names = [(one.settings.measure, one.settings.questions) for one in compared.boards]
    assert names == [
        ("cover", "import:1"),
        ("official", ""),
        ("cover", "import:2"),
    ]
    # By hand: two answers all of the first bank, one both of the second.
    assert compared.boards[0].scores() == {"one": 0.25, "two": 1}
    assert compared.boards[2].scores() == {"one": 1, "two": 0.5}


def test_what_has_no_such_board_is_said(two_banks: Workspace) -> None:
    with pytest.raises(UnknownNameError, match=r"import:1 \(3\), import:2 \(2\)"):
        two_banks.leaderboard(questions="by:bob")
    with pytest.raises(EvaluationError, match="uses no questions"):
        two_banks.leaderboard(measure="official", questions="written")
    settings = two_banks.leaderboard(questions="written").settings
    with pytest.raises(EvaluationError, match="limited to a group of questions"):
        two_banks.questions(settings=settings)
    with pytest.raises(TypeError, match="questions"):
        two_banks.export("qrels", two_banks.path.parent / "q", questions="written")
