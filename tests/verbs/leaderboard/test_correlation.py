"""``correlate`` with many measures and references: Table 1 of Sander & Dietz 2021."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats

from curator.errors import CuratorError, EvaluationError
from curator.evaluation.correlation import RandomTies
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
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
        assert one.found == workspace.correlate(one.settings, against=one.against)


def test_judgments_stand_on_either_side(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        (there,) = workspace.correlations(
            ["judgments:P@10"], against=["judgments:nDCG@10"]
        )
        (back,) = workspace.correlations(
            ["judgments:nDCG@10"], against=["judgments:P@10"]
        )
        (same,) = workspace.correlations(["judgments:AP"], against=["judgments:AP"])
    assert there.found.systems == 6
    assert there.found.spearman == back.found.spearman
    assert there.found.kendall == back.found.kendall
    assert same.found.spearman == same.found.kendall == 1.0


def test_coefficients_are_those_of_scipy_on_the_judged_boards(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        (one,) = workspace.correlations(["judgments:AP"], against=["judgments:P@5"])
        ours = workspace.leaderboard(measure="judgments:AP").scores()
        theirs = workspace.leaderboard(measure="judgments:P@5").scores()
    columns = list(ours.values()), [theirs[system] for system in ours]
    assert one.found.spearman == pytest.approx(stats.spearmanr(*columns).statistic)
    assert one.found.kendall == pytest.approx(stats.kendalltau(*columns).statistic)


def test_random_ties_shuffle_within_both_boards_errors(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        asked = {"against": ["judgments:nDCG@10"], "ties": "random"}
        (first,) = workspace.correlations(["judgments:P@10"], **asked)
        (again,) = workspace.correlations(["judgments:P@10"], **asked)
        (itself,) = workspace.correlations(["judgments:nDCG@10"], **asked)
    assert isinstance(first.found, RandomTies)
    assert first.found == again.found  # seeded
    assert first.found.repeats == 10
    # Both sides are shuffled apart from one another, so a board is not like itself.
    assert itself.found.spearman_mean < 1
    assert itself.found.spearman_sd > 0


def test_repeats_and_seed_are_those_asked_for(demo: Path) -> None:
    asked = ("--against", "judgments:nDCG@10", "--ties", "random", "--repeats", 3)
    first = json_of("correlate", demo, "-m", "judgments:P@10", *asked)
    other = json_of("correlate", demo, "-m", "judgments:P@10", *asked, "--seed", 7)
    assert (first["repeats"], first["seed"], other["seed"]) == (3, 0, 7)
    assert first["spearman"] != other["spearman"]
    # official ranks have no standard errors, and stand first
    both = run("correlate", demo, "-m", "official", "-m", "judgments:P@10", *asked)
    assert "mean and SD of 3 repeats · seed 0" in both.stdout


def test_one_pair_prints_as_one_object_and_several_as_rows(demo: Path) -> None:
    against = ("--against", "judgments:nDCG@10")
    one = json_of("correlate", demo, "-m", "judgments:P@10", *against)
    both = json_of(
        "correlate", demo, "-m", "judgments:P@10", "-m", "judgments:AP", *against
    )
    assert {"settings", "systems", "spearman", "kendall", "tau_ap"} <= one.keys()
    assert [row["settings"]["measure"] for row in both["rows"]] == ["P@10", "AP"]
    assert both["rows"][0] == one


@pytest.mark.parametrize("measure", ["cover", "n-exam", "rouge-1-f1"])
def test_judgments_answer_no_questions(workspace: Workspace, measure: str) -> None:
    with pytest.raises(EvaluationError, match="a board from judgments takes"):
        workspace.correlate(measure="P@1", against=f"judgments:{measure}")


def test_queries_without_judgments_are_left_out(workspace: Workspace) -> None:
    # By hand: q1's p1 is judged 2, first for one, second for two; q2's p3 is judged 0.
    scores = workspace.leaderboard(measure="judgments:RR").scores()
    assert scores == {"one": 0.5, "two": 0.25}


@pytest.mark.parametrize("against", ["judgments:", "nDCG@10"])
def test_a_reference_that_is_none_is_refused(
    workspace: Workspace, against: str
) -> None:
    with pytest.raises(CuratorError, match="A board is compared against"):
        workspace.correlations(["P@1"], against=[against])
