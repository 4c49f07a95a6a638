"""Grades held against another grader's, or against people's, pair by pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.checked_answers import SOURCE, answered_workspace, judged
from tests.samples.workspaces import RATED, graded_file, graded_passage

# What a rating model says of q/a and q/b in each passage.
RATINGS = {
    "p1": {"q/a": 5, "q/b": 4},
    "p2": {"q/a": 3, "q/b": 0},
    "p3": {"q/a": 4, "q/b": 5},
    "p4": {"q/a": 5},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = answered_workspace(tmp_path / "answered")
    judged(path)
    rated = [graded_passage(one, "q", ratings) for one, ratings in RATINGS.items()]
    with Workspace.open(path) as workspace:
        workspace.import_(
            autograder=graded_file(path.with_name("rated.jsonl"), {"q": rated})
        )
    return path


def test_grades_are_compared_where_both_have_one(path: Path) -> None:
    with Workspace.open(path) as workspace:
        found = workspace.grader_agreement("people")
    rated, answered = found.graders
    assert (found.against, rated.grader, answered.grader) == ("people", RATED, SOURCE)
    # by hand: people say yes to q/a in p1, p2 and p3 and to q/b in p1, no to it in p2;
    # the model gives all but the second and the last of these a 4 or more
    assert rated.agreement.table == ((1, 1), (0, 3))
    assert (rated.agreement.judged, rated.agreement.unlabelled) == (5, 0)
    assert rated.same == 0.8
    # by hand: (.8 - (.6 * .8 + .4 * .2)) / (1 - .56)
    assert rated.agreement.kappa == pytest.approx(0.24 / 0.44)
    # The answering one says yes to all five.
    assert answered.agreement.table == ((0, 0), (1, 4))
    assert (answered.agreement.kappa, answered.min_rating) == (0, 1)
    assert list(found) == [rated, answered]
    assert found.frame()["both"].to_list() == [3, 4]


def test_ratings_meet_ratings_and_auc_counts_pairs_in_order(path: Path) -> None:
    with Workspace.open(path) as workspace:
        (pairs,) = workspace.grader_agreement("people", grader=RATED).graders
    # by hand: people say yes where the model says 5, 3, 4 and 4, no where it says 0
    assert pairs.ratings is not None
    assert (pairs.ratings.labels, pairs.ratings.grades) == ((5, 4, 3, 2, 1, 0), (5, 0))
    assert pairs.ratings.counts == ((1, 0), (2, 0), (1, 0), (0, 0), (0, 0), (0, 1))
    assert pairs.auc == 1  # each yes above the one no


def test_labels_are_compared_under_the_rule_asked_for(path: Path) -> None:
    with Workspace.open(path) as workspace:
        best, mean = (
            workspace.grader_agreement(
                "people", grader=RATED, label=label, min_rating=3
            ).graders[0]
            for label in ("max", "mean")
        )
    # by hand: people label p1, p2 and p3 with 5, the model with 5, 3 and 5
    assert best.labels.table == ((0, 0), (0, 3))
    assert (best.labels.passages, best.labels.auc) == (3, None)  # all are relevant
    # by hand, means over three questions, unknown 0: people 10, 5 and 5 thirds; the
    # model 3, 1 and 3. From 3 on p1 is relevant to both and p3 to the model alone; of
    # p1 against p2 and p3 one is in order and one ties
    assert mean.labels.table == ((1, 0), (1, 1))
    assert mean.labels.auc == 0.75
    assert mean.labels.settings.label == "mean"
