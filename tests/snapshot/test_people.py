"""The grader ``people``: what judges say of answers, counted like any grader's."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import CheckPair, JudgeAnswer, Reword
from curator.errors import NotGradableError
from curator.workspace import Workspace
from tests.samples.checked_answers import (
    ELDER,
    VERDICTS,
    answered_workspace,
    judged,
)


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """Of q/a p2 and p3 say ELDER and p1 another answer; of q/b p1 and p2 differ."""
    return answered_workspace(tmp_path / "answered")


def ratings(workspace: Workspace, grader: str = "people") -> list[list[int]]:
    """Of q/a, q/b and q/c in p1, p2, p3 and p4; -1 is unknown."""
    with workspace.snapshot() as snapshot:
        return snapshot.matrix(grader, "q", snapshot.bank).ratings.tolist()


def scores(workspace: Workspace, **settings: object) -> list[tuple[float, ...]]:
    board = workspace.leaderboard(grader="people", measure="cover", **settings)
    found = {one.system: one for one in board.standings}
    return [
        (one.score, one.lower, one.upper)
        for one in (found[f"s{number}"] for number in (1, 2, 3, 4))
    ]


def test_a_verdict_rates_every_passage_that_gives_the_answer(answered: Path) -> None:
    judged(answered)
    with Workspace.open(answered) as workspace:
        # by hand: VERDICTS; ELDER is in p2 and p3, nobody read p4, nobody asked q/c
        assert ratings(workspace) == [[5, 5, 5, -1], [5, 0, -1, -1], [-1] * 4]
        *_, people = workspace.graders()
        assert (people.known, people.needed) == (5, 12)
        assert (people.can_grade, people.by_people) == (False, True)
        third = 1 / 3
        # by hand, of three questions: p1 answers two and one is open; p2 one, one is
        # open; p3 one, two are open; of p4 all are
        assert scores(workspace) == [
            (2 * third, 2 * third, 1),
            (third, third, 2 * third),
            (third, third, 1),
            (0, 0, 1),
        ]
        # Yes is a 5 and no a 0: every threshold from 1 to 5 says the same.
        for rating in (1, 5):
            assert scores(workspace, min_rating=rating) == scores(workspace)
        (p1, *_) = workspace.pool("q", grader="people")
        assert (p1.label, p1.answers) == (5, {"q/a": 5, "q/b": 5})


def test_a_check_grades_one_passage_and_decides_before_verdicts_on_words(
    answered: Path,
) -> None:
    with Workspace.open(answered, judge="ann") as ann:
        ann.apply(CheckPair("q", "q/c", "p4", "yes"))
        # Nobody has found an answer there, and nobody else has said anything.
        assert ratings(ann) == [[-1] * 4, [-1] * 4, [-1, -1, -1, 5]]
        ann.apply([*VERDICTS, CheckPair("q", "q/a", "p2", "no")])
        # by hand: ELDER is right in p2 and p3, and p2 is said not to answer
        assert ratings(ann) == [[5, 0, 5, -1], [5, 0, -1, -1], [-1, -1, -1, 5]]
        unsure = [("q/a", "p2"), ("q/c", "p4")]
        ann.apply([CheckPair("q", *pair, "unsure") for pair in unsure])
        # Who is unsure decides nothing: verdicts do, where there are any.
        assert ratings(ann) == [[5, 5, 5, -1], [5, 0, -1, -1], [-1] * 4]
        ann.undo()
        assert ratings(ann)[2] == [-1, -1, -1, 5]
        ann.apply(CheckPair("q", "q/c", "p4", "no"), by="bob")
        assert ratings(ann)[2] == [-1] * 4  # a tie
        ann.apply(CheckPair("q", "q/c", "p4", "no"), by="cy")
        assert ratings(ann)[2] == [-1, -1, -1, 0]
        ann.apply(CheckPair("q", None, "p1", "3"))  # of no question
        ann.apply(Reword("q/c", "In other words?"))
        assert ratings(ann)[2] == [-1] * 4
        past = ann.bank_at(ann.history()[-1].event_id)  # after the first edit
        with ann.snapshot() as snapshot:
            then = snapshot.matrix("people", "q", past).ratings.tolist()
        assert then == [[-1] * 4, [-1] * 4, [-1, -1, -1, 5]]


def test_a_verdict_and_its_undo_move_the_board_at_once(answered: Path) -> None:
    with Workspace.open(answered, judge="ann") as workspace:
        assert [one.name for one in workspace.graders()] == ["fake-llm/Answers"]
        for edit in VERDICTS:
            workspace.apply(edit)
        before = scores(workspace)
        event = workspace.baselines().latest
        workspace.apply(JudgeAnswer("q/a", ELDER, "wrong"))
        assert ratings(workspace)[0] == [5, 0, 0, -1]
        found = workspace.impact(since=event, grader="people")
        # by hand: p2 answers nothing any more, nor does p3, but nobody was asked q/c
        assert [(one.passage_id, one.before, one.after) for one in found.labels] == [
            ("p2", 5, None),
            ("p3", 5, None),
        ]
        workspace.undo("q")
        assert scores(workspace) == before
        workspace.redo("q")
        workspace.apply(JudgeAnswer("q/a", ELDER, None))
        assert ratings(workspace)[0] == [5, -1, -1, -1]


def test_people_are_asked_by_no_command(answered: Path) -> None:
    judged(answered)
    with Workspace.open(answered) as workspace:
        for name in ("people", "both:people+fake-llm/Answers"):
            with pytest.raises(NotGradableError):
                workspace.grade(name)
        # Without a name the first grader is meant, as before anybody judged.
        assert workspace.settings().grader == "fake-llm/Answers"
