"""Blind until checked: nothing tells a judge what others say of a pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import CheckPair
from curator.errors import EvaluationError
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace

YES = CheckPair("q1", "q1/a", "p1", "yes")


def test_checks_of_others_are_seen_once_there_is_ones_own(tmp_path: Path) -> None:
    path = hand_made_workspace(tmp_path)
    with Workspace.open(path, judge="ben") as ben:
        ben.apply([YES, CheckPair("q1", None, "p1", "3")])

    def seen(workspace: Workspace) -> set[tuple[str, str]]:
        return {(one.judge, one.answer) for one in workspace.bank().checks_of("q1")}

    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        assert seen(ann) == set()
        assert ann.history() == ()
        assert ann.next_checks(9).population == 7
        ann.apply(CheckPair("q1", "q1/a", "p1", "unsure"))
        assert seen(ann) == {("ann", "unsure"), ("ben", "yes")}
        assert [event.by for event in ann.history()] == ["ann", "ben"]
        ann.apply(CheckPair("q1", None, "p1", "0"))
        assert len(seen(ann)) == 4
        ann.undo()
        ann.undo()
        assert seen(ann) == set()
        with pytest.raises(EvaluationError):
            ann.export("bundle", tmp_path / "all.zip", allow_partial=True)
    with Workspace.open(path, judge="ann") as organizer:
        assert len(seen(organizer)) == 2
