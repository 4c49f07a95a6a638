"""Blind until judged: nothing tells a judge what others say of an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Add, JudgeAnswer, Retire
from curator.bank.edits.verdict import Judged
from curator.bank.marks import Verdict
from curator.visibility.viewer import Gate, Viewer
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """ben calls "so" right, an answer to a, and "hm" wrong."""
    path = hand_made_workspace(tmp_path)
    with Workspace.open(path, judge="ben") as workspace:
        workspace.apply(JudgeAnswer("q1/a", "so", "right"))
        workspace.apply(JudgeAnswer("q1/a", "hm", "wrong"))
    return path


def test_verdicts_of_others_are_seen_once_there_is_ones_own(path: Path) -> None:
    ben = Verdict("q1/a", "Why is it?", "so", "ben", "right")
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        assert ann.bank().verdicts_of("q1") == ()
        assert ann.history() == ()
        ann.apply(JudgeAnswer("q1/a", "so", "wrong"))
        mine = Verdict("q1/a", "Why is it?", "so", "ann", "wrong")
        assert ann.bank().verdicts_of("q1") == (mine, ben)
        latest, first = ann.history()
        assert (latest.by, first.change.mark) == (
            "ann",
            Judged("q1/a", "Why is it?", "so", None, "right"),
        )
        assert ann.bank_at(latest.event_id - 1).verdicts_of("q1") == (ben,)
        ann.apply(JudgeAnswer("q1/a", "so", None))
        assert ann.bank().verdicts_of("q1") == ()
        assert {event.by for event in ann.history()} == {"ann"}
    with Workspace.open(path, judge="ann") as organizer:
        assert len(organizer.bank().verdicts_of("q1")) == 2


def test_what_is_known_rests_on_everybodys_verdicts(path: Path) -> None:
    with Workspace.open(path, judge="ann", as_judge=True) as ann:
        (known,) = ann.known_answers("q1")
    assert (known.correct, known.incorrect) == (("so",), ("hm",))


def test_a_verdict_tells_nothing_of_a_proposal_that_is_hidden(path: Path) -> None:
    # Judged while it was kept; what is retired may be hidden again.
    with Workspace.open(path, judge="ben") as ben:
        added = ben.apply(Add("q1", "A secret?")).changes[0].question_id
        ben.apply(JudgeAnswer(added, "so", "right"))
        ben.apply(Retire(added))
        (event,) = [
            one
            for one in ben.history(query_id="q1")
            if one.change.mark == Judged(added, "A secret?", "so", None, "right")
        ]
    closed, hidden = {"q1": Gate(1, 0)}, {"q1": frozenset({added})}
    assert not Viewer("ben", True, closed, hidden).event(event)
    assert Viewer("ben", True, closed, {}).event(event)
    assert Viewer("ben", True, {"q1": Gate(1, 1)}, hidden).event(event)
