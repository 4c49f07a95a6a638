"""Graders, label rules and measures side by side, against every reference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.errors import EvaluationError
from curator.workspace import Workspace
from tests.samples.several_graders import MODEL, graders_side_by_side
from tests.samples.workspaces import one_graded


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[Workspace]:
    with graders_side_by_side(tmp_path) as workspace:
        yield workspace


def test_every_cell_is_what_correlate_says(sides: Workspace) -> None:
    against = ("grader:human/Rated", "grader:human:strict/Rated:P@1")
    found = sides.validity(["cover", "P@1"], against=against, bootstrap=50)
    for one in found:
        (alone,) = sides.correlations(
            [one.settings.measure],
            grader=one.settings.grader,
            against=[one.against],
            bootstrap=50,
        )
        if one.settings.label == "max":
            assert one.correlation == alone.correlation
    assert {one.against for one in found} == {*against}
    assert {one.settings.label for one in found if one.settings.measure == "cover"} == {
        "max"
    }


def test_a_grader_is_not_held_against_itself(sides: Workspace) -> None:
    found = sides.validity("cover", against="grader:human/Rated")
    graders = [one.settings.grader for one in found]
    assert graders == ["human:strict/Rated", MODEL]
    with pytest.raises(EvaluationError, match="There is no other grader"):
        sides.validity("cover", graders=["human/R"], against="grader:human/R")


def test_a_cell_without_a_board_says_why(sides: Workspace, tmp_path: Path) -> None:
    path = one_graded(tmp_path / "direct.jsonl", "q1-a", "q1", {}, direct=1)
    sides.import_(autograder=path)
    found = sides.validity(("cover", "P@1"), against="grader:human/Rated", bootstrap=9)
    direct = [one for one in found if one.settings.grader.endswith("/Direct")]
    cover, precision = direct
    assert cover.correlation.kendall is None
    assert "undefined for a direct relevance grader" in cover.correlation.note
    assert precision.settings.label == "max"  # its one rating is the label
