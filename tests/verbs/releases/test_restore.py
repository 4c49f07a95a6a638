"""A restored release: its kept bank again, as edits that one undo takes back."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

from curator.bank.edits import (
    Add,
    Keep,
    Propose,
    Restore,
    Retire,
    Reword,
    apply_edits,
)
from curator.errors import (
    CuratorError,
    NothingToChangeError,
    ReleaseError,
    StaleEditError,
)
from curator.verbs.releases import edits_to_restore
from curator.workspace import Workspace
from tests.samples.workspaces import RATED


def freeze(workspace: Workspace, name: str = "v1") -> str:
    return workspace.release(name, allow_partial=True).sha256


def kept(workspace: Workspace) -> dict[str, object]:
    """What is kept, without revisions."""
    return {
        q.question_id: (q.text, q.kind, q.subtopic_id, q.choices, q.answers)
        for q in workspace.bank()
        if q.state == "kept"
    }


def states(workspace: Workspace) -> dict[str, object]:
    """Everything about every question but its revision."""
    return {
        q.question_id: (q.text, q.state, q.subtopic_id, q.provenance, q.votes)
        for q in workspace.bank()
    }


def restored(workspace: Workspace, sha256: str, name: str = "v1"):
    """Restore, and prove: the frozen bank again, no grade asked, one undo takes it."""
    before, grades = states(workspace), _grades(workspace)
    batch = workspace.restore_release(name)
    after = states(workspace)
    assert freeze(workspace, f"{name} again") == sha256
    assert workspace.release_difference(name).is_empty
    assert _grades(workspace) == grades
    workspace.undo()
    assert states(workspace) == before
    workspace.redo()
    assert states(workspace) == after
    return batch


def _grades(workspace: Workspace) -> int:
    (number,) = workspace.connection.execute("SELECT count(*) FROM response")
    return int(number[0])


def kinds(batch) -> list[tuple[str, str | None]]:
    return [(change.kind, change.question_id) for change in batch.changes]


def test_added_retired_and_reworded_questions_go_back(workspace):
    sha256 = freeze(workspace)
    workspace.apply([Retire("q2/c"), Reword("q1/a", "Why was it?")])
    workspace.apply(Add("q1", "Where is it?"))
    added = workspace.bank().questions_of("q1")[-1].question_id
    batch = restored(workspace, sha256)
    undone = {("restore", "q2/c"), ("retire", added), ("reword", "q1/a")}
    assert set(kinds(batch)) == undone
    assert {change.reason for change in batch.changes} == {"release v1"}


def test_one_that_an_undo_took_out_comes_back_under_its_id_and_later_revision(
    workspace,
):
    workspace.apply(Propose("q1", "Where is it?", '{"generation": 1}'), by="chat:m")
    first = workspace.bank().questions_of("q1")[-1]
    workspace.apply(Reword(first.question_id, "Where was it?"))
    sha256 = freeze(workspace)
    workspace.undo()
    with Workspace.open(workspace.path, judge="chat:m") as model:
        model.undo()
    assert first.question_id not in states(workspace)

    batch = workspace.restore_release("v1")
    assert kinds(batch) == [("add", first.question_id)]
    back = workspace.bank().question(first.question_id)
    assert (back.text, back.state) == ("Where was it?", "kept")
    assert back.provenance == first.provenance
    # Revisions 1 (proposed), 2 (reworded) and 3 (that undone) were somebody's.
    assert back.revision == 4
    with pytest.raises(StaleEditError):
        workspace.apply(Reword(first.question_id, "Wherever?", based_on=2))
    assert freeze(workspace, "v2") == sha256
    # It stands where it stood: after the two that the file brought.
    assert workspace.bank().questions_of("q1")[-1] == back


@pytest.mark.parametrize("since", [Reword("q1/b", "How was it?"), Add("q1", "Where?")])
def test_no_more_is_restored_than_somebody_was_shown(workspace, since):
    freeze(workspace)
    workspace.apply(Reword("q1/a", "Why was it?"))
    seen = workspace.release_difference("v1")
    with Workspace.open(workspace.path, judge="bob") as bob:
        bob.apply(since)
    before = states(workspace)
    with pytest.raises(ReleaseError, match="the bank has changed meanwhile"):
        workspace.restore_release("v1", seen=seen)
    assert states(workspace) == before
    workspace.restore_release("v1", seen=workspace.release_difference("v1"))
    assert workspace.release_difference("v1").is_empty


def test_after_whatever_edits_a_release_can_be_restored_and_that_undone(workspace):
    dice = random.Random(1)
    edit_at_random(workspace, dice, 6)
    sha256, words = freeze(workspace), kept(workspace)
    workspace.undo()
    edit_at_random(workspace, dice, 20)
    restored(workspace, sha256)
    assert kept(workspace) == words


def edit_at_random(workspace: Workspace, dice: random.Random, number: int) -> None:
    for _ in range(number):
        question_id = dice.choice([q.question_id for q in workspace.bank()])
        text = f"Question {dice.randrange(10**6)}?"
        kinds = Retire(question_id), Restore(question_id), Keep(question_id)
        edit = dice.choice([Add("q1", text), Reword(question_id, text), *kinds])
        with suppress(CuratorError):  # not every edit can be made of every bank
            workspace.apply(edit)


def test_a_preview_of_a_restoration_is_the_restoration(workspace):
    freeze(workspace)
    workspace.apply([Retire("q1/a"), Reword("q1/b", "How was it?")])
    _, frozen = workspace.release_named("v1")
    planned = edits_to_restore(workspace.current_snapshot(), frozen, "release v1")
    expected, _ = apply_edits(workspace.bank(), planned, judge="ann")
    shown = workspace.impact(planned, grader=RATED, measure="cover")
    workspace.restore_release("v1")
    assert set(workspace.bank()) == set(expected)
    # by hand: the board of the import again
    assert {m.system: m.score_after for m in shown.moves} == {"one": 0.25, "two": 1.0}


def test_a_bank_that_is_as_it_was_is_not_edited(workspace):
    freeze(workspace)
    events = len(workspace.history())
    with pytest.raises(NothingToChangeError, match="already is that of release 'v1'"):
        workspace.restore_release("v1")
    assert len(workspace.history()) == events
