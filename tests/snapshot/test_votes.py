"""Blind until voted: nothing tells a judge how others voted on what they have not.

ben and cy have voted; every test looks for their votes in whatever a method says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from curator.bank.edits import Dismiss, Retire, Vote
from curator.errors import EvaluationError
from curator.evaluation.settings import Settings
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ben finds a vital and d okay; cy finds a okay."""
    path = hand_made_workspace(tmp_path_factory.mktemp("made"))
    with Workspace.open(path, judge="ben") as workspace:
        workspace.apply(Vote("q1/a", "vital"))
        workspace.apply(Vote("q2/d", "okay"))
    with Workspace.open(path, judge="cy") as workspace:
        workspace.apply(Vote("q1/a", "okay"))
    return path


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "votes.db"
    copy.write_bytes(made.read_bytes())
    return copy


@pytest.fixture
def ann(path: Path) -> Iterator[Workspace]:
    with Workspace.open(path, judge="ann", as_judge=True) as workspace:
        yield workspace


def influences(workspace: Workspace) -> dict[str, bool]:
    """Whether anything is said of what a question moves under the pyramid."""
    settings = workspace.settings(measure="weighted-cover")
    lines = workspace.questions(settings, query_id="q1")
    ifs = {one.question_id for one in workspace.what_ifs("q1", settings)}
    found = {
        line.question.question_id: line.influence.influence is not None
        for line in lines
    }
    assert ifs == {one for one, said in found.items() if said}
    return found


def test_what_a_question_moves_in_the_pyramid_is_hidden_as_its_votes_are(ann, path):
    ids = ("q1/a", "q1/b", "q1/c")
    with Workspace.open(path, judge="cy") as workspace:
        workspace.apply(Vote("q1/c", "vital"))
        assert influences(workspace) == dict.fromkeys(ids, True)
    assert influences(ann) == dict.fromkeys(ids, False)
    ann.apply(Vote("q1/b", "okay"))
    assert influences(ann) == {"q1/a": False, "q1/b": True, "q1/c": False}


def weighted(ann: Workspace) -> Settings:
    return ann.settings(measure="weighted-cover")


WAITING: dict[str, tuple[Callable[[Workspace], object], str]] = {
    "another's board": (
        lambda ann: ann.leaderboard(measure="vital-r(judge=ben)"),
        "votes of ben",
    ),
    "a pyramid without somebody": (
        lambda ann: ann.leaderboard(measure="nugget-f(without=cy)"),
        "votes of single judges",
    ),
    "one question alone": (lambda ann: ann.solo("q1/a", weighted(ann)), "vote on it"),
    "a retirement": (
        lambda ann: ann.impact(Retire("q1/a"), settings=weighted(ann)),
        "vote on it",
    ),
    "another vote": (
        lambda ann: ann.impact(Vote("q1/a", "vital"), settings=weighted(ann)),
        "vote on it",
    ),
    "other words": (
        lambda ann: ann.if_reworded("q1/a", "Why so?", weighted(ann)),
        "vote on it",
    ),
}


@pytest.mark.parametrize("what", WAITING)
def test_what_tells_of_votes_waits_for_ones_own(ann: Workspace, what: str) -> None:
    ask, reason = WAITING[what]
    with pytest.raises(EvaluationError, match=reason):
        ask(ann)
    ann.apply([Vote("q1/a", "okay"), Vote("q2/d", "okay")])
    ask(ann)


def test_of_a_pyramid_a_judge_sees_what_rests_on_the_votes_they_see(ann):
    ann.apply(Vote("q1/a", "okay"))
    judges = [one.judge for one in ann.pyramid(without=["cy"]).judges]
    assert judges == ["ann", "ben"]


def test_a_dismissal_of_another_that_one_replaces_is_not_shown(ann, path):
    step = "disagreement q1/a"
    with Workspace.open(path, judge="olga") as olga:
        olga.apply(Dismiss("q1", step, "0", "They differ on rain."))
        ann.apply(Dismiss("q1", step, "0", "As it should be."))
        assert "on rain" in repr(olga.history()[0])
    assert "As it should be" in repr(ann.history()[0])
    assert "on rain" not in repr(ann.history())
