"""Stability under every measure and rule, and why nothing is said where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from curator.errors import EvaluationError
from curator.evaluation.measures import MEASURES, measure_for
from curator.evaluation.settings import Settings
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.tiny_exams import graded_on

RATINGS = [[5, 0, 3, 1], [4, 4, 0, 0], [0, 2, 5, 0]]
RANKINGS = [[0, 1], [2, 3], [1, 0, 2]]
ON_GRADES = [
    name
    for one in MEASURES
    for name in one.offered
    if one.based_on != "texts" and one.needs == "grades"
]


@pytest.fixture(scope="module")
def demo(
    built_demo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    path = tmp_path_factory.mktemp("stability") / "demo.db"
    path.write_bytes(built_demo.read_bytes())
    with Workspace.open(path, judge="ann") as workspace:
        yield workspace


@pytest.mark.parametrize("label", ["max", "mean", "top3", "answered"])
@pytest.mark.parametrize("name", ON_GRADES)
def test_a_draw_scores_as_a_bank_of_these_questions_does(name, label) -> None:
    settings = Settings("g", name, label=label)
    try:
        measure = measure_for(settings, "rated")
    except EvaluationError:
        return  # a measure that takes whole labels alone
    graded = graded_on(RATINGS, RANKINGS, judgments=[1, 0, 2, 0])
    drawn = np.array([[0, 1], [2, 2], [1, 2], [0, 0]])
    found = measure.scores_of_draws(graded, drawn)
    alone = [measure.row(graded.select_items(one)).score for one in drawn]
    assert found == pytest.approx(np.array(alone), abs=1e-12)


@pytest.mark.parametrize("name", ["cover", "P@10", "nDCG@10", "AP", "alpha_nDCG@20"])
def test_every_figure_lies_where_it_can(demo: Workspace, name: str) -> None:
    found = demo.stability(name, draws=20)
    figures = found.figures
    assert figures is not None
    for one in (figures.expected, figures.again, *(x.expected for x in found.grown)):
        assert -1 <= one.low <= one.tau <= one.high <= 1
    assert 0 <= figures.change.members <= figures.change.order <= 1
    assert [one.query_id for one in found] == [
        query.query_id for query in demo.collection().queries
    ]
    assert figures.questions == sum(one.questions for one in found)


def test_the_curve_ends_at_the_correlation(demo: Workspace, tmp_path: Path) -> None:
    found = json_of(
        "stability", demo.path, "-m", "cover", "--against", "official", "--draws", "10"
    )
    assert found["against"] == "official"
    assert [size["per_query"] for size in found["fewer"]] == [*range(1, 11)]
    tau = demo.correlate(measure="cover").kendall
    assert found["fewer"][-1]["expected"]["tau"] == pytest.approx(tau)
    file = tmp_path / "curve.svg"
    run("figure", demo.path, "questions", file, "-m", "cover")
    assert b"questions in each query" in file.read_bytes()
