"""What questions are called by: one number each, for everybody and for good."""

from __future__ import annotations

from pathlib import Path

from curator.bank.edits import Add, Propose, Restore, Retire, Reword
from curator.workspace import Workspace


def test_a_question_keeps_its_number_through_every_edit(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as ann:
        imported = {"q1/a": 1, "q1/b": 2, "q1/c": 3}
        assert ann.question_numbers("q1") == imported
        ann.apply([Retire("q1/a"), Reword("q1/c", "When was it?")])
        assert ann.question_numbers("q1") == imported
        (change,) = ann.apply(Add("q1", "How is it?")).changes
        ann.apply(Restore("q1/a"))
        assert ann.question_numbers("q1") == imported | {change.question_id: 4}
        numbers = [(one.question.question_id, one.number) for one in ann.questions()]
        assert numbers[:3] == [*imported.items()]


def test_a_number_is_the_same_for_who_may_not_see_a_proposal_yet(
    hand_made: Path,
) -> None:
    with Workspace.open(hand_made, judge="ann") as ann:
        ann.set_up(human_first=2)
        ann.apply(Propose("q1", "Where is it?", "{}"))
    with Workspace.open(hand_made, judge="bo", as_judge=True) as bo:
        (change,) = bo.apply(Add("q1", "Which is it?")).changes
        last = bo.questions(query_id="q1")[-1]
        assert last.question.question_id == change.question_id
        assert last.number == 5  # three imported, and one that is hidden
