"""``correlate`` with many measures and references: Table 1 of Sander & Dietz 2021."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from curator.errors import EvaluationError
from curator.evaluation.correlation import Interval
from curator.workspace import Workspace
from tests.samples.several_graders import MODEL, graders_side_by_side
from tests.samples.workspaces import demo_files


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, demo_folder: Path) -> Path:
    """The demo collection without grades: judgments alone make boards."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(**demo_files(demo_folder), min_relevance=2)
    return path


def test_every_measure_stands_against_every_reference(workspace: Workspace) -> None:
    found = workspace.correlations(
        ["cover", "P@1"], against=["official", "judgments:nDCG@1"]
    )
    assert [(one.settings.measure, one.against) for one in found] == [
        ("cover", "official"),
        ("cover", "judgments:nDCG@1"),
        ("P@1", "official"),
        ("P@1", "judgments:nDCG@1"),
    ]
    for one in found:
        assert one.correlation == workspace.correlate(one.settings, against=one.against)


def test_queries_without_judgments_are_left_out(workspace: Workspace) -> None:
    # By hand: q1's p1 is judged 2, first for one, second for two; q2's p3 is judged 0.
    scores = workspace.leaderboard(measure="judgments:RR").scores()
    assert scores == {"one": 0.5, "two": 0.25}


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[Workspace]:
    with graders_side_by_side(tmp_path) as workspace:
        yield workspace


def test_another_graders_board_is_a_reference(sides: Workspace) -> None:
    found = sides.correlate("cover", grader=MODEL, against="grader:human/Rated")
    # by hand: the model puts a and b above c, people a above b above c; two of three
    # pairs are concordant and one ties on one side: 2 / sqrt(2 * 3)
    assert found.kendall == pytest.approx(2 / math.sqrt(6))
    assert found.systems == 3
    (strict,) = sides.correlations(
        ["cover"], grader=MODEL, against=["grader:human:strict/Rated"]
    )
    # by hand: c above a above b; a-c and b-c are discordant: -2 / sqrt(2 * 3)
    assert strict.correlation.kendall == pytest.approx(-2 / math.sqrt(6))
    assert strict.against == "grader:human:strict/Rated"


@pytest.mark.parametrize(
    ("against", "meant"),
    [
        ("grader:human/", "grader:human/Rated"),  # cut short
        ("grader:human:strict", "grader:human:strict/Rated"),  # the longest name
        ("grader:human:strict:P@1", "grader:human:strict/Rated:P@1"),
        ("grader:both:h:P(rel=2)@1", "grader:both:human+model/Rated:P(rel=2)@1"),
    ],
)
def test_names_of_references(sides: Workspace, against: str, meant: str) -> None:
    (found,) = sides.correlations(["cover"], grader=MODEL, against=[against])
    assert found.against == meant


def test_an_interval_resamples_both_boards(sides: Workspace) -> None:
    asked = {"grader": MODEL, "against": "grader:human/Rated"}
    found = sides.correlate("cover", **asked, bootstrap=200)
    none = sides.correlate("cover", **asked)
    assert none.kendall_interval is None
    # by hand: of two queries q1 twice gives a > b = c here and a = b > c of people, so
    # 1 / sqrt(2 * 2); q2 twice b > a = c and a > b = c: -1 / 2
    assert found.kendall_interval == Interval(-0.5, pytest.approx(2 / math.sqrt(6)))
    assert found == sides.correlate("cover", **asked, bootstrap=200)  # seeded
    with pytest.raises(EvaluationError, match="leave out --bootstrap"):
        sides.correlate(**asked, bootstrap=10, ties="random")


def test_a_figure_takes_a_grader_as_the_reference(sides: Workspace) -> None:
    drawn = sides.figure("scatter", ["cover"], grader=MODEL, against="grader:human/R")
    assert drawn.data[2] == {"a": (1.0, 0.5), "b": (0.5, 0.5), "c": (0.0, 0.0)}
