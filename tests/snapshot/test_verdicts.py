"""Blind until judged: nothing tells a judge what others say of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import JudgeAnswer
from curator.errors import EvaluationError, UnknownNameError
from curator.workspace import Workspace
from tests.samples.checked_answers import ELDER, answered_workspace, judged


def test_a_board_by_people_tells_a_judge_nothing_that_they_may_not_see(
    tmp_path: Path,
) -> None:
    path = answered_workspace(tmp_path / "answered")
    judged(path, "ben")

    def known(workspace: Workspace) -> int:
        return workspace.leaderboard(grader="people").known

    with (
        Workspace.open(path, judge="ann", as_judge=True) as ann,
        Workspace.open(path, judge="ben", as_judge=True) as ben,
        Workspace.open(path, judge="ann") as organizer,
    ):
        # by hand: ben judged four answers, one of them in two passages
        assert (known(ben), known(organizer)) == (5, 5)
        assert [one.name for one in ann.graders()] == ["fake-llm/Answers"]
        with pytest.raises(UnknownNameError, match="No grader 'people'"):
            ann.leaderboard(grader="people")
        ann.apply(JudgeAnswer("q/a", ELDER, "right"))
        assert (known(ann), known(ben), known(organizer)) == (2, 5, 5)
        first = ann.baselines().latest
        # Against ben's right one a tie: p2 and p3 are open again, for ann too.
        ann.apply(JudgeAnswer("q/a", ELDER, "wrong"))
        ann.apply(JudgeAnswer("q/b", "in the White House", "right"))
        assert (known(ann), known(ben), known(organizer)) == (1, 3, 3)
        moved = ann.impact(since=first, grader="people").labels
        # What ben said of p1 then is shown by now.
        assert [(one.passage_id, one.before, one.after) for one in moved] == [
            ("p2", 5, None),
            ("p3", 5, None),
        ]


def test_a_judge_who_may_not_see_all_verdicts_freezes_none(tmp_path: Path) -> None:
    path = answered_workspace(tmp_path / "answered")
    judged(path, "ben")
    with (
        Workspace.open(path, judge="ann", as_judge=True) as ann,
        Workspace.open(path, judge="ann") as organizer,
    ):
        ann.apply(JudgeAnswer("q/a", ELDER, "right"))
        organizer.release("v1", grader="people", allow_partial=True)
        with pytest.raises(EvaluationError, match="that you have not judged yet"):
            ann.release("v2", grader="people", allow_partial=True)
        with pytest.raises(EvaluationError, match="that you have not judged yet"):
            ann.release_difference("v1")
        with Workspace.open(path, judge="ben") as ben:
            ben.apply(JudgeAnswer("q/a", "George H. W. Bush", "wrong"))
            ben.apply(JudgeAnswer("q/b", "in the White House", "wrong"))
        assert [len(one.labels) for one in organizer.release_drifts()] == [1]
        assert [len(one.labels) for one in ann.release_drifts()] == [0]
