"""Boards compared with judgments, official ranks and other graders' boards."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import ir_measures
import pytest

from curator.errors import CuratorError, EvaluationError
from curator.evaluation.correlation import Interval
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.several_graders import MODEL, graders_side_by_side
from tests.samples.workspaces import run_file


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


@pytest.mark.parametrize("name", ["nDCG@10", "P(rel=2)@5", "AP(rel=2)", "RR(rel=2)"])
def test_scores_of_ir_measures(demo_db: Path, demo_folder: Path, name: str) -> None:
    qrels = [*ir_measures.read_trec_qrels(str(demo_folder / "judgments.qrels"))]
    measure = ir_measures.parse_measure(name)
    with Workspace.open(demo_db) as workspace:
        scores = workspace.scores(measure=f"judgments:{name}").scores
        board = workspace.leaderboard(measure=f"judgments:{name}")
        runs = workspace.runs()
    assert (board.complete, board.queries) == (True, 3)
    for system, ranked in runs.items():
        found = ir_measures.iter_calc([measure], qrels, ranked)
        theirs = {one.query_id: one.value for one in found}
        ours = {query: score for (of, query), score in scores.items() if of == system}
        assert ours == pytest.approx(theirs, abs=1e-9)
        assert board.scores()[system] == pytest.approx(sum(ours.values()) / 3)


def test_a_bundle_has_further_boards(demo_db: Path, tmp_path: Path) -> None:
    scores = tmp_path / "second.tot"
    with Workspace.open(demo_db) as workspace:
        systems = workspace.collection().systems
    lines = [f"{s}\tMAP\tall\t{at / 10}\n" for at, s in enumerate(systems)]
    scores.write_text("".join(lines))
    run("import", demo_db, "--official", scores, "--official-name", "by MAP")
    run("export", demo_db, "--bundle", tmp_path / "b.zip")
    run("import", tmp_path / "again.db", "--bundle", tmp_path / "b.zip")
    for path in (demo_db, tmp_path / "again.db"):
        with Workspace.open(path) as workspace:
            board = workspace.collection().official_boards["by MAP"]
            assert board.scores == {s: at / 10 for at, s in enumerate(systems)}
            assert board.ranks[systems[-1]] == 1.0
            found = workspace.correlate("P@10", against="official:by MAP")
            assert found.systems == len(systems)
            assert workspace.verify().problems == ()


def test_blind_judges_see_no_official_board(demo_db: Path, tmp_path: Path) -> None:
    second = tmp_path / "second.json"
    second.write_text('{"bm25": 1, "bm25-rm3": 2}')
    with Workspace.open(demo_db) as workspace:
        workspace.import_(official=second, official_name="second")
        workspace.set_up(blind=True)
    with Workspace.open(demo_db, judge="bob", as_judge=True) as judge:
        assert judge.collection().official_boards == {}
        for measure in ("official", "official:second", "judgments:nDCG@10"):
            with pytest.raises(CuratorError):
                judge.leaderboard(measure)


def test_overlapping_bars_are_counted(workspace: Workspace, tmp_path: Path) -> None:
    three = run_file(tmp_path / "three.run", {"q1": ["p0"], "q2": ["p3"]}, "three")
    four = run_file(tmp_path / "four.run", {"q1": ["p2"], "q2": ["p4"]}, "four")
    workspace.import_(runs=[three, four])
    # By hand: two and four are 1 ± 0, one 1/4 ± 1/4 touches three, 0 ± 0.
    assert workspace.leaderboard(measure="cover").overlapping_pairs() == 2
    alone = workspace.leaderboard(measure="cover", query_id="q1")
    assert alone.overlapping_pairs() is None  # no standard errors of one query
