"""What a decision moves: the votes, checks and verdicts that count, by hand.

The small collection at rating 4: in q1 system one covers a, two covers a and b; in q2
two covers c and one nothing.
"""

from __future__ import annotations

from curator.bank.edits import CheckPair, Reword, Vote
from curator.bank.opinions import final_values
from curator.workspace import Workspace


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
    assert scores(workspace, "vital-r(judge=cy)") == {"one": 0.0, "two": 0.0}
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


def test_the_history_of_a_board_has_its_decisions(workspace: Workspace) -> None:
    vote(workspace, "q1/a", bob="vital", cy="okay")
    for by, answer in (("bob", "yes"), ("cy", "no")):
        workspace.apply(CheckPair("q1", "q1/a", "p1", answer), by=by)
    workspace.decide("vote q1/a", "vital")
    workspace.decide("check q1/a p1", "no")
    pyramid = workspace.settings(measure="nugget-f")
    decided = [o for o in workspace.history(settings=pyramid) if o.kind == "decide"]
    assert [one.change.mark.key for one in decided] == ["vote q1/a"]  # type: ignore[union-attr]
    cover = workspace.settings(measure="Cover")
    assert not any(o.kind == "decide" for o in workspace.history(settings=cover))


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
    with Workspace.open(workspace.path, judge="bob", as_judge=True) as bob:
        assert bob.adjudication().past == ()
