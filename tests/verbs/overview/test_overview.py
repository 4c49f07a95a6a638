"""Where a bank stands: what is counted, what is held against what, who is told what."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Retire, Reword, Vote
from curator.bank.marks.done import Done
from curator.verbs.overview import Overview
from curator.workspace import Workspace
from tests.samples.command_line import json_of


def states(overview: Overview) -> dict[str, str]:
    return {one.query_id: one.state for one in overview.queries}


def test_a_query_is_untouched_in_work_done_and_changed_since(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        assert states(workspace.overview()) == {"q1": "untouched", "q2": "untouched"}
        workspace.apply(Vote("q1/a", "vital"))  # a mark changes no question
        assert states(workspace.overview())["q1"] == "untouched"
        workspace.apply(Retire("q1/a"))
        assert states(workspace.overview()) == {"q1": "in work", "q2": "untouched"}
        workspace.apply(Done("q1"))
        found = workspace.overview()
        assert states(found) == {"q1": "done", "q2": "untouched"}
        assert found.queries[0].done_by == ("ann",)
        workspace.apply(Retire("q1/b"), by="ben")
        found = workspace.overview()
        assert states(found)["q1"] == "changed since done"
        workspace.apply(Done("q1"), by="ben")  # somebody has looked again
        assert states(workspace.overview())["q1"] == "done"


def test_the_time_for_an_edit_is_the_median_of_shares(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        workspace.apply([Retire("q1/a"), Retire("q1/b")], seconds=10.0)
        workspace.apply(Retire("q1/c"), seconds=30.0)
        workspace.apply(Reword("q2/d", "Who was it?"))
        workspace.apply(Retire("q2/d"), by="ben", seconds=7.0)
        ann, ben = workspace.overview().judges
    # By hand: 10 s for two are 5 s each; the median of 5, 5 and 30 is 5.
    assert (ann.judge, ann.edits, ann.timed, ann.seconds) == ("ann", 4, 3, 5.0)
    assert (ben.judge, ben.edits, ben.timed, ben.seconds) == ("ben", 1, 1, 7.0)
    assert [number for _, number in ann.days] == [4]
    assert ann.days[0][0] == ann.last_saved[:10]


def test_a_grader_is_held_against_judgments_and_ranks(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        (trust,) = workspace.overview("cover").graders
        agreement = workspace.agreement(grader="fake-llm").agreement
        (quick,) = workspace.overview("cover", quick=True).graders
    # By hand: p1, judged 2, and p2, judged 0, both have the label 5: agreement by
    # chance, and a tie. System one leads on both boards.
    assert (trust.judged, trust.kappa, trust.auc) == (2, 0.0, 0.5)
    assert trust.kappa == agreement.kappa
    assert (trust.tau, trust.against) == (1.0, "official")
    assert (trust.known, trust.needed) == (7, 7)  # 3 x 2 and 1 x 1
    assert (quick.known, quick.is_computed, quick.kappa) == (7, False, None)


def test_a_blind_judge_is_told_nothing_of_judgments_and_ranks(hand_made: Path) -> None:
    with Workspace.open(hand_made) as organizer:
        organizer.set_up(blind=True)
        assert organizer.overview("cover").graders[0].tau == 1.0
    with Workspace.open(hand_made, judge="bob", as_judge=True) as judge:
        found = judge.overview("cover")
    (trust,) = found.graders
    assert (trust.kappa, trust.auc, trust.tau, trust.judged) == (None, None, None, 0)
    assert "only-non-relevant" not in {step.kind for step in found.steps}


def test_what_is_other_since_the_latest_release(hand_made: Path) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        assert workspace.overview("cover").since is None
        workspace.release("v1", "cover")
        same = workspace.overview("cover").since
        assert same is not None
        assert (same.name, same.by, same.note) == ("v1", "ann", "")
        assert not any((same.added, same.reworded, same.removed, same.labels))
        workspace.apply(Retire("q1/a"))
        found = workspace.overview("cover").since
        assert found is not None
        # By hand: without a, p1's label is b's 4 and no 5; two rises to rank 1.
        assert (found.removed, found.labels, found.moved) == (1, 1, 1)
        differ = workspace.release_difference("v1")
        assert len(differ.removed) == found.removed
        assert workspace.overview("cover", quick=True).since is None


def test_the_need_of_a_query_is_the_weight_of_its_steps(hand_made: Path) -> None:
    with Workspace.open(hand_made) as workspace:
        found, steps = workspace.overview("cover"), workspace.next_steps("cover")
        assert found.steps == steps[:3]
        for one in found.queries:
            own = [step for step in steps if step.query_id == one.query_id]
            assert one.steps == len(own)
            todo = [step.weight for step in own if step.kind != "done"]
            assert one.need == pytest.approx(sum(todo))
        assert {one.need for one in workspace.overview(quick=True).queries} == {None}


def test_kappa_and_tau_say_measure_label_and_threshold(hand_made: Path) -> None:
    asked = ("overview", hand_made, "-m", "P@1", "--label", "top3", "--min-rating", 3)
    (trust,) = json_of(*asked)["graders"]
    tau, kappa = trust["tau_settings"], trust["kappa_settings"]
    assert (tau["measure"], tau["label"], tau["min_rating"]) == ("P@1", "top3", 3)
    assert (kappa["label"], kappa["min_rating"]) == ("max", 3)
