"""``mean:A+B``: two graders on one scale by their ranks, and the mean of both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.bank.edits import SetKey
from curator.workspace import Workspace
from tests.samples.workspaces import RATED, graded_file, graded_passage, small_workspace

OTHER = "other-llm/Rated"
MEAN = f"mean:{RATED}+{OTHER}"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A second grader beside that of ``small_collection``, without a grade of p2.

    The first says of a and b: p1 5 and 0, p2 4 and 4; of c: p3 0, p4 5.
    """
    file = graded_file(
        tmp_path / "other.jsonl",
        {
            "q1": [graded_passage("p1", "q1", {"q1/a": 2, "q1/b": 1}, llm="other-llm")],
            "q2": [
                graded_passage("p3", "q2", {"q2/c": 1}, llm="other-llm"),
                graded_passage("p4", "q2", {"q2/c": 1}, llm="other-llm"),
            ],
        },
    )
    with small_workspace(tmp_path) as workspace:
        workspace.import_(autograder=file)
        yield workspace


def shares(workspace: Workspace, name: str = MEAN) -> list[list[float]]:
    snapshot = workspace.current_snapshot()
    found = snapshot.matrices(name, workspace.bank(), ["q1", "q2"])
    return [row for one in found.values() for row in one.probabilities.tolist()]


# by hand, of six grades 0 0 4 4 5 5 and of four 1 1 1 2:
FIRST = {0: 1 / 6, 4: 3 / 6, 5: 5 / 6}
SECOND = {1: 3 / 8, 2: 7 / 8}
BY_HAND = [
    [(FIRST[5] + SECOND[2]) / 2, -1, -1],  # p2 has no grade by the other, p0 none
    [(FIRST[0] + SECOND[1]) / 2, -1, -1],
    [(FIRST[0] + SECOND[1]) / 2, (FIRST[5] + SECOND[1]) / 2],
]


def test_a_mean_is_of_the_shares_of_both_and_rates_by_it(workspace):
    found = workspace.grade(MEAN)
    assert (found.grader, found.asked) == (MEAN, 0)
    for row, expected in zip(shares(workspace), BY_HAND, strict=True):
        assert row == pytest.approx(expected)
    matrices = workspace.current_snapshot().matrices(MEAN, workspace.bank(), ["q2"])
    # by hand: 13/48 reaches 1/5, 29/48 reaches 3/5
    assert matrices["q2"].ratings.tolist() == [[1, 3]]
    assert workspace.verify().problems == ()


@pytest.mark.parametrize("of", ["mean", "both"])
def test_a_question_with_an_answer_key_has_grades_of_parts_that_look_at_it(
    workspace, of
):
    workspace.apply(SetKey("q1/a", ("cats",)))
    workspace.grade("lexical")
    name = f"{of}:lexical+{RATED}"
    workspace.grade(name)
    found = workspace.current_snapshot().matrices(name, workspace.bank(), ["q1"])["q1"]
    assert (found.ratings[0, :2] >= 0).all()  # of the passages that both have graded
    assert workspace.verify().problems == ()


def test_it_keeps_its_scale_until_it_is_made_anew(workspace, tmp_path):
    workspace.grade(MEAN)
    before = shares(workspace)
    more = graded_passage("p2", "q1", {"q1/a": 0}, llm="other-llm")
    workspace.import_(autograder=graded_file(tmp_path / "more.jsonl", {"q1": [more]}))
    assert shares(workspace)[0][0] == before[0][0]
    assert shares(workspace)[0][1] != -1
    # The same under the other order of names.
    assert workspace.grade(f"mean:{OTHER}+{RATED}").grader == MEAN
    again = workspace.grade(f"{MEAN} (2)")
    assert again.grader == f"{MEAN} (2)"
    # by hand: of 0 1 1 1 2 the share of 2 is 4.5/5
    assert shares(workspace, f"{MEAN} (2)")[0][0] == pytest.approx((5 / 6 + 0.9) / 2)
    assert shares(workspace)[0][0] == before[0][0]
    assert workspace.grade(MEAN).grader == MEAN
