"""Where judges differ, how far they agree, and what a decision moves.

The small collection at rating 4: q1 asks a and b, q2 asks c; in q1 system one covers a,
two covers a and b; in q2 two covers c and one nothing.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from sklearn.metrics import cohen_kappa_score

from curator.bank.edits import (
    CheckPair,
    JudgeAnswer,
    Restore,
    Retire,
    Reword,
    Vote,
    WriteNote,
)
from curator.bank.opinions import final_values
from curator.errors import RoleError
from curator.verbs.adjudication import JudgeAgreement
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run


@pytest.fixture
def path(workspace: Workspace) -> Path:
    return workspace.path


def found(workspace: Workspace, **chosen: str) -> list[tuple[str, str | None, str]]:
    """(kind, question's id, sides with their judges) of every difference."""
    return [
        (
            one.place.kind,
            one.place.question_id,
            " ".join(f"{side.value}:{','.join(side.judges)}" for side in one.sides),
        )
        for one in workspace.adjudication(**chosen).differences
    ]


def agreement(workspace: Workspace, kind: str) -> JudgeAgreement:
    (row,) = workspace.adjudication(kind=kind).agreement
    return row.agreement


def test_retiring_and_restoring_differ(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a", reason="too broad"), by="ann")
    workspace.apply(Restore("q1/a"), by="bob")
    workspace.apply(WriteNote("q1/a", "asked by many"), by="bob")
    (one,) = workspace.adjudication().differences
    assert [
        (side.value, *((why.judge, why.words) for why in side.reasons))
        for side in one.sides
    ] == [("kept", ("bob", "asked by many")), ("retired", ("ann", "too broad"))]
    # One item, not alike; ann always retires, bob never: (0 - 0)/(1 - 0) = 0.
    of = agreement(workspace, "question")
    assert (of.items, of.same, of.differ, of.value) == (1, 0, 1, 0.0)


def test_marks_of_each_kind_differ_and_unsure_is_no_side(workspace: Workspace) -> None:
    for by, vote, answer, grade, verdict in (
        ("ann", "vital", "yes", "2", "right"),
        ("bob", "okay", "no", "1", "wrong"),
        ("cy", "vital", "unsure", "unsure", "right"),
    ):
        workspace.apply(
            [
                Vote("q1/a", vote),  # type: ignore[arg-type]
                CheckPair("q1", "q1/a", "p1", answer),
                CheckPair("q1", None, "p2", grade),
                JudgeAnswer("q1/b", "so", verdict),  # type: ignore[arg-type]
            ],
            by=by,
        )
    assert found(workspace) == [
        ("vote", "q1/a", "vital:ann,cy okay:bob"),
        ("check", "q1/a", "yes:ann no:bob"),
        ("grade", None, "1:bob 2:ann"),
        ("verdict", "q1/b", "right:ann,cy wrong:bob"),
    ]
    assert found(workspace, query_id="q2") == []
    assert [kind for kind, *_ in found(workspace, kind="check")] == ["check"]
    # Of a retired question, or one in other words, no mark is to be decided.
    workspace.apply([Retire("q1/a"), Retire("q1/b")], by="ann")
    assert [kind for kind, *_ in found(workspace)] == ["grade"]


def test_agreement_is_that_of_independent_tools(workspace: Workspace) -> None:
    """Checks yes yes no no against yes no no no: 3 of 4 alike.

    By chance (2·1 + 2·3)/16 = 1/2, so kappa is (3/4 − 1/2)/(1/2) = 1/2.
    """
    pairs = [("q1", "q1/a", "p1"), ("q1", "q1/a", "p2"),
             ("q1", "q1/b", "p1"), ("q2", "q2/c", "p3")]  # fmt: skip
    said = {"ann": ["yes", "yes", "no", "no"], "bob": ["yes", "no", "no", "no"]}
    for by, answers in said.items():
        for pair, answer in zip(pairs, answers, strict=True):
            workspace.apply(CheckPair(*pair, answer), by=by)
    of = agreement(workspace, "check")
    assert (of.items, of.same, of.coefficient) == (4, 3, "Cohen's kappa")
    assert of.value == pytest.approx(0.5, abs=1e-15)
    assert of.value == pytest.approx(cohen_kappa_score(*said.values()), abs=1e-15)


def test_a_judge_sees_no_difference_beside_which_they_said_nothing(path: Path) -> None:
    with Workspace.open(path, judge="ann") as organizer:
        organizer.apply(Vote("q1/a", "vital"), by="ann")
        organizer.apply(Vote("q1/a", "okay"), by="bob")
        assert len(found(organizer)) == 1
    with Workspace.open(path, judge="cy", as_judge=True) as cy:
        assert found(cy) == []
        cy.apply(Vote("q1/a", "okay"))
        assert found(cy) == [("vote", "q1/a", "vital:ann okay:bob,cy")]


def test_the_command_names_nobody_unless_asked(path: Path) -> None:
    with Workspace.open(path, judge="ann") as workspace:
        workspace.apply(Retire("q1/a", reason="too broad"), by="zoe")
        workspace.apply(Restore("q1/a"), by="yan")
    for hidden in (run("adjudicate", path).stdout, str(json_of("adjudicate", path))):
        assert "zoe" not in hidden
        assert "yan" not in hidden
        assert "too broad" in hidden
    (one,) = json_of("adjudicate", path, "--names")["differences"]
    assert [side["judges"] for side in one["sides"]] == [["yan"], ["zoe"]]


def differ_on_votes(workspace: Workspace) -> None:
    workspace.apply(Vote("q1/a", "vital"), by="bob")
    workspace.apply(Vote("q1/a", "okay"), by="cy")


def test_a_decision_lasts_until_another_opinion(workspace: Workspace) -> None:
    differ_on_votes(workspace)
    workspace.decide("vote q1/a", "vital", "as the guidelines say")
    assert found(workspace) == []
    (one,) = workspace.adjudication(decided=True).differences
    assert one.status == "decided: vital"
    # By hand: bob was right in the one of one, cy in none.
    beside = workspace.adjudication().with_decisions
    assert [(o.judge, o.items, o.same) for o in beside] == [("bob", 1, 1), ("cy", 1, 0)]

    workspace.apply(Vote("q1/a", "okay"), by="dan")
    (one,) = workspace.adjudication().differences
    assert one.status == "differs since it was decided: vital"
    assert workspace.adjudication().with_decisions == ()


def test_a_judge_neither_decides_nor_sees_what_was_decided(path: Path) -> None:
    with Workspace.open(path, judge="ann") as organizer:
        organizer.add_people("bob")
        differ_on_votes(organizer)
        organizer.decide("vote q1/a", "vital")
    with Workspace.open(path, judge="bob", as_judge=True) as bob:
        assert not any(bob.bank().decisions.values())
        assert not any(one.kind == "decide" for one in bob.history())
        (one,) = bob.adjudication().differences
        assert one.decision is None
        with pytest.raises(RoleError, match="deciding is for organizers"):
            bob.decide("vote q1/a", "okay")


def scores(workspace: Workspace, measure: str, **chosen: str) -> dict[str, float]:
    found = workspace.leaderboard(measure, min_rating=4, **chosen)  # type: ignore[arg-type]
    return {one.system: round(one.score, 12) for one in found.standings}


def vote(workspace: Workspace, question_id: str, **votes: str) -> None:
    for by, value in votes.items():
        workspace.apply(Vote(question_id, value), by=by)  # type: ignore[arg-type]


def test_a_decided_vote_counts_for_all_who_voted(workspace: Workspace) -> None:
    vote(workspace, "q1/a", bob="vital", cy="okay", dan="okay")
    vote(workspace, "q1/b", bob="vital")
    # a weighs 1 and b 1; nobody voted in q2, which weighted Cover leaves out.
    assert scores(workspace, "weighted-cover") == {"one": 0.5, "two": 1.0}
    # Most call b vital alone; the classic measure is 0 in q2.
    assert scores(workspace, "vital-r") == {"one": 0.0, "two": 0.5}
    workspace.decide("vote q1/a", "vital")
    assert scores(workspace, "weighted-cover") == {"one": 0.75, "two": 1.0}
    assert scores(workspace, "vital-r") == {"one": 0.25, "two": 0.5}
    # Without bob a weighs 2 and b nothing; each judge's own board is their own.
    assert scores(workspace, "weighted-cover(without=bob)") == {"one": 1.0, "two": 1.0}
    impact = workspace.impact(since=workspace.baselines().last_edit, measure="vital-r")
    assert [one.change for one in impact.moves if one.system == "one"] == [0.25]

    workspace.undo()
    assert scores(workspace, "weighted-cover") == {"one": 0.5, "two": 1.0}
    workspace.redo()
    vote(workspace, "q1/a", eve="vital")
    # The decision ended: a weighs 2, b 1.
    assert scores(workspace, "weighted-cover") == {"one": round(2 / 3, 12), "two": 1.0}


def test_a_decided_check_counts_for_people(workspace: Workspace) -> None:
    for by, answer in (("bob", "yes"), ("cy", "no"), ("dan", "no")):
        workspace.apply(CheckPair("q1", "q1/a", "p1", answer), by=by)
    assert scores(workspace, "Cover", grader="people") == {"one": 0.0, "two": 0.0}
    workspace.decide("check q1/a p1", "yes")
    # Both retrieve p1, which covers one of two questions in one of two queries.
    assert scores(workspace, "Cover", grader="people") == {"one": 0.25, "two": 0.25}
    with Workspace.open(workspace.path, judge="cy", as_judge=True) as cy:
        assert scores(cy, "Cover", grader="people") == {"one": 0.25, "two": 0.25}
        assert not any(cy.bank().decisions.values())
    # Of other words nothing was decided; with its first ones it has that back.
    workspace.apply(Reword("q1/a", "Whence is it?"), by="bob")
    with Workspace.open(workspace.path, judge="bob") as bob:
        bob.undo("q1")
        assert scores(bob, "Cover", grader="people")["one"] == 0.25


def test_a_decided_grade_counts_in_place_of_the_median(workspace: Workspace) -> None:
    for by, grade in (("bob", "0"), ("cy", "1"), ("dan", "3")):
        workspace.apply(CheckPair("q1", None, "p1", grade), by=by)

    def counted() -> dict[tuple[str | None, str], str]:
        bank = workspace.bank()
        about = bank.decisions_of("q1"), bank.questions_of("q1")
        return final_values("check", bank.checks_of("q1"), *about)

    assert counted() == {(None, "p1"): "1"}
    workspace.decide("grade p1", "3")
    assert counted() == {(None, "p1"): "3"}
    workspace.apply(CheckPair("q1", None, "p1", "unsure"), by="eve")
    assert counted() == {(None, "p1"): "3"}  # who is unsure says nothing else
    workspace.apply(CheckPair("q1", None, "p1", "2"), by="eve")
    assert counted() == {(None, "p1"): "1"}


def test_agreement_before_the_decisions_is_kept(workspace: Workspace) -> None:
    """Two judges on a and b, alike on b alone: kappa is (1/2 − 1/2)/(1 − 1/2) = 0.

    Bob says vital of both, cy of b: by chance (2·1 + 0·1)/4 = 1/2 alike.
    """
    vote(workspace, "q1/a", bob="vital", cy="okay")
    vote(workspace, "q1/b", bob="vital", cy="vital")
    assert workspace.adjudication().past == ()
    workspace.decide("vote q1/a", "vital")
    before, after = kept = workspace.adjudication().past
    assert (before.when, after.when) == ("before", "after")
    assert [(o.agreement.items, o.agreement.same) for o in kept] == [(2, 1), (2, 2)]
    assert before.agreement.value == 0.0
    assert after.agreement.value is None  # all alike: 0/0
    vote(workspace, "q1/a", cy="vital", dan="okay")
    vote(workspace, "q2/c", bob="vital", cy="okay")
    workspace.apply(Reword("q1/b", "Whence is it?"), by="dan")
    assert workspace.adjudication(kind="vote").agreement[0].agreement.value != 0.0
    with Workspace.open(workspace.path) as again:  # and another process's
        now = again.adjudication(kind="vote").past
    assert now[0] == before
    assert now[1].agreement == after.agreement
