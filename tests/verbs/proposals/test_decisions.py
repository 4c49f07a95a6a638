"""``decisions``: who wrote what, and what people made of what was proposed."""

from __future__ import annotations

import pytest

from curator.bank.edits import Add, Edit, Keep, Propose, Retire, Reword
from curator.verbs.proposals.decisions import DecisionCounts
from curator.workspace import Workspace

MODEL = "chat:some-model"
FROM = '{"generation": 1}'


def propose(workspace: Workspace, *texts: str) -> list[str]:
    """The ids of new proposals in query rain."""
    batch = workspace.apply([Propose("rain", text, FROM) for text in texts], by=MODEL)
    return [str(change.question_id) for change in batch.changes]


def as_judge(workspace: Workspace, judge: str, *edits: Edit, **more) -> None:
    workspace.apply(edits, by=judge, **more)


def undo(workspace: Workspace, judge: str, *, redo: bool = False) -> None:
    with Workspace.open(workspace.path, judge=judge) as own:
        own.redo() if redo else own.undo()


def share(
    judge: str | None, written: int, unedited: int, reworded: int, dropped: int, **more
) -> DecisionCounts:
    """A share of which nothing was retired since, unless ``still_kept`` says so."""
    more.setdefault("still_kept", unedited + reworded)
    return DecisionCounts(judge, written, unedited, reworded, dropped, **more)


def bank(workspace: Workspace) -> DecisionCounts:
    return workspace.decisions().bank


def judges(workspace: Workspace) -> dict[str | None, DecisionCounts]:
    return {one.judge: one for one in workspace.decisions().judges}


def test_two_judges_by_hand(workspace):
    ids = propose(workspace, "Why wet?", "How wet?", "When wet?", "Who?", "What?")
    as_judge(workspace, "ann", Keep(ids[0]), seconds=4.0)
    as_judge(workspace, "ann", Reword(ids[1], "How is it wet?"), seconds=10.0)
    as_judge(workspace, "bob", Reword(ids[2], "When dry?"), seconds=7.0)
    as_judge(workspace, "bob", Retire(ids[3]))
    as_judge(workspace, "ann", Add("rain", "By ann?"))
    as_judge(workspace, "bob", Add("rain", "By bob?"), Add("rain", "By bob, too?"))
    # by hand: "How wet?" to "How is it wet?" inserts "is it ", 6 characters of 14;
    # "When wet?" to "When dry?" replaces w, e, t by d, r, y: 3 of 9
    of_ann, of_bob = 6, 3
    assert workspace.decisions().judges == (
        share(
            "ann",
            written=1,
            unedited=1,
            reworded=1,
            dropped=0,
            edit_distance=of_ann,
            edited_share=6 / 14,
            seconds=7.0,  # between 4 and 10
            timed=2,
        ),
        share(
            "bob",
            written=2,
            unedited=0,
            reworded=1,
            dropped=1,
            edit_distance=of_bob,
            edited_share=3 / 9,
            seconds=7.0,
            timed=1,
        ),
    )
    assert bank(workspace) == share(
        None,
        written=3,
        unedited=1,
        reworded=2,
        dropped=1,
        undecided=1,
        imported=1,
        edit_distance=4.5,  # between 6 and 3
        edited_share=pytest.approx((6 / 14 + 3 / 9) / 2),
        seconds=7.0,  # of 4, 7, 10
        timed=3,
    )
    # by hand: of six questions kept here three were written
    assert bank(workspace).share_written == 0.5
    assert judges(workspace)["ann"].share_written == pytest.approx(1 / 3)
    assert judges(workspace)["bob"].share_written == pytest.approx(2 / 3)


def test_an_undone_decision_does_not_count_and_a_redone_one_does(workspace):
    (one,) = propose(workspace, "Why?")
    as_judge(workspace, "ann", Retire(one), seconds=5.0)
    assert bank(workspace).dropped == 1
    undo(workspace, "ann")
    assert bank(workspace) == share(None, 0, 0, 0, 0, undecided=1, imported=1)
    assert workspace.decisions().judges == ()
    undo(workspace, "ann", redo=True)
    assert judges(workspace)["ann"].dropped == 1
    assert judges(workspace)["ann"].seconds == 5.0  # what is redone keeps its time
    undo(workspace, "ann")
    as_judge(workspace, "bob", Keep(one))
    assert judges(workspace) == {"bob": share("bob", 0, 1, 0, 0)}


def test_a_proposal_that_a_judge_typed_is_written_not_kept(workspace):
    propose(workspace, "Why?")
    as_judge(workspace, "ann", Add("rain", "Why?"))
    assert judges(workspace) == {"ann": share("ann", 1, 0, 0, 0)}
    assert bank(workspace) == share(None, 1, 0, 0, 0, imported=1)
    undo(workspace, "ann")
    assert bank(workspace) == share(None, 0, 0, 0, 0, undecided=1, imported=1)
    undo(workspace, "ann", redo=True)
    assert judges(workspace) == {"ann": share("ann", 1, 0, 0, 0)}
