"""The grader ``checked:A+B``: which there are, what they grade, and when they move."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from curator.errors import EvaluationError, UnknownNameError
from curator.snapshot.learned import RATINGS_FROM
from curator.workspace import Workspace
from tests.samples.checked_graders import (
    DIRECT,
    HIGH,
    LOW,
    QUERIES,
    checks_of_pairs,
    two_graders,
)

BOTH = f"checked:{LOW}+{HIGH}"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return two_graders(tmp_path)


def probabilities(
    workspace: Workspace, query_id: str, grader: str = BOTH
) -> np.ndarray:
    with workspace.snapshot() as snapshot:
        found = snapshot.matrix(grader, query_id, snapshot.bank).probabilities
        assert found is not None
        return found


def shares(workspace: Workspace, query_id: str) -> np.ndarray:
    """(graders, items, passages): the ratings of both as shares of 5."""
    with workspace.snapshot() as snapshot:
        found = (snapshot.matrix(one, query_id, snapshot.bank) for one in (LOW, HIGH))
        return np.array([one.ratings / 5 for one in found])


def test_without_checks_its_graders_count_alike(path: Path) -> None:
    with Workspace.open(path) as workspace:
        # by hand: .35 and .16 times their mean share, which is 0 at .4 and 1 at .7
        mean = ((shares(workspace, "q1") - 0.4) / 0.3).mean(axis=0)
        found = probabilities(workspace, "q1")
        assert found == pytest.approx(0.35 + 0.16 * mean)
        with workspace.snapshot() as snapshot:
            ratings = snapshot.matrix(BOTH, "q1", snapshot.bank).ratings
        told = [[sum(p >= edge for edge in RATINGS_FROM) for p in row] for row in found]
        assert ratings.tolist() == told
        assert BOTH not in [one.name for one in workspace.graders()]
        (note,) = [
            one for one in workspace.leaderboard(grader=BOTH).notes if BOTH in one
        ]
        assert "0 of the 30 checks needed to learn" in note


def test_pairs_stand_as_they_were_checked(path: Path) -> None:
    checks = checks_of_pairs(path, LOW, HIGH)
    with Workspace.open(path, judge="ann") as ann:
        ann.apply(checks)
        ann.apply(replace(checks[1], answer="unsure"))
        for query in QUERIES:
            found = probabilities(ann, query)
            with ann.snapshot() as snapshot:
                matrix = snapshot.matrix(BOTH, query, snapshot.bank)
            for one in checks:
                if one.query_id == query and one is not checks[1]:
                    row = matrix.item_ids.index(str(one.question_id))
                    place = matrix.pool.passage_ids.index(one.passage_id)
                    yes = one.answer == "yes"
                    assert found[row, place] == yes
                    assert matrix.ratings[row, place] == 5 * yes


def test_names_mean_graders_however_they_are_put(path: Path) -> None:
    with Workspace.open(path) as workspace, workspace.snapshot() as snapshot:

        def parts(name: str) -> list[str]:
            return [one.name for one in snapshot.grader(name).parts]

        assert parts("checked") == [LOW, DIRECT, HIGH]
        assert parts("checked:low/R") == [LOW]
        assert parts("checked:low+h") == [HIGH]  # whose name holds a plus
        assert parts(f"checked:{HIGH}+low/D") == [HIGH, DIRECT]
        assert workspace.settings(grader="checked:low/R+low+h").grader == BOTH
        for name in ("", "low", "nobody", f"{LOW}+{LOW}", "people", "checked", BOTH):
            with pytest.raises(UnknownNameError, match="expected checked:ONE") as error:
                workspace.leaderboard(grader=f"checked:{name}")
            assert str(error.value).count("\n") == 0


def test_undoing_a_check_restores_every_number(path: Path) -> None:
    checks = checks_of_pairs(path, LOW, HIGH)
    with Workspace.open(path, judge="ann") as ann:
        ann.apply(checks[1:])
        first = ann.baselines().latest
        before = [probabilities(ann, one) for one in QUERIES]
        ann.apply(checks[0])
        moved = [probabilities(ann, one) for one in QUERIES]
        assert not np.array_equal(moved[0], before[0])
        # a past bank has the grades of then
        with ann.snapshot() as snapshot:
            past = ann.bank_at(first)
            then = snapshot.matrix(BOTH, "q0", past).probabilities
        assert np.array_equal(then, before[0])
        asked = {"grader": BOTH, "measure": "nDCG@10", "label": "mean"}
        assert ann.impact(since=first, **asked).scores_changed
        with Workspace.open(path, judge="ben") as ben:
            assert np.array_equal(probabilities(ben, "q0"), moved[0])
            ann.undo("q0")
            for one, there in zip(QUERIES, before, strict=True):
                assert np.array_equal(probabilities(ann, one), there)
                assert np.array_equal(probabilities(ben, one), there)


def test_a_judge_sees_what_follows_from_checks_they_may_see(path: Path) -> None:
    checks = checks_of_pairs(path, LOW, HIGH)
    with (
        Workspace.open(path, judge="ben") as ben,
        Workspace.open(path, judge="ann", as_judge=True) as ann,
    ):
        alone = probabilities(ann, "q1")
        ben.apply(checks)
        assert not np.array_equal(probabilities(ben, "q1"), alone)
        assert np.array_equal(probabilities(ann, "q1"), alone)
        assert not any(one.learned for one in ann.graders())
        with pytest.raises(EvaluationError, match="that you have not judged yet"):
            ann.release("v1", grader=BOTH)
        assert ben.release("v1", grader=BOTH).labels
        ann.apply([replace(one, based_on=None) for one in checks])
        assert np.array_equal(probabilities(ann, "q1"), probabilities(ben, "q1"))
        ann.release("v2", grader=BOTH)
