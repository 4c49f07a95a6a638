"""The grader ``checked:A+B`` wherever a grader is named: files, releases, commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.checked_graders import (
    HIGH,
    LOW,
    checks_of_pairs,
    checks_of_passages,
    two_graders,
)
from tests.samples.command_line import json_of

BOTH = f"checked:{LOW}+{HIGH}"
OF = ("pairs", "passages")


@pytest.fixture(params=OF)
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    found = two_graders(tmp_path)
    checks = checks_of_pairs if request.param == "pairs" else checks_of_passages
    with Workspace.open(found, judge="ann") as ann:
        ann.apply(checks(found, LOW, HIGH))
    return found


def test_exports_and_bundles_have_it(path: Path, tmp_path: Path) -> None:
    asked = {"grader": BOTH, "measure": "nDCG@10"}
    with Workspace.open(path, judge="ann") as ann:
        ann.release("v1", **asked)
        (drift,) = ann.release_drifts()
        assert (drift.labels, drift.questions) == ((), 0)
        ann.export("qrels", tmp_path / "now.qrels", **asked)
        ann.export("qrels", tmp_path / "then.qrels", release="v1")
        ann.export("bundle", tmp_path / "all.zip")
        assert not ann.verify().problems
        board = ann.leaderboard(**asked)
    now, then = tmp_path / "now.qrels", tmp_path / "then.qrels"
    assert now.read_bytes() == then.read_bytes()
    with Workspace.open(tmp_path / "again.db", create=True) as again:
        again.import_bundle(tmp_path / "all.zip")
        assert again.leaderboard(**asked).standings == board.standings
        assert not again.verify().problems


def test_its_board_has_intervals_and_ranges_around_its_scores(path: Path) -> None:
    with Workspace.open(path) as workspace:
        board = workspace.leaderboard(grader=BOTH, measure="nDCG@10")
        drawn = workspace.drawn_board(board.settings)
        assert "settled" in drawn.sentence.lower()
        assert {one.system: one.score for one in drawn} == pytest.approx(board.scores())
        for one in drawn:
            assert one.lower <= one.corrected <= one.upper
            assert 1 <= one.rank_low <= one.rank_high <= 2
        said = json_of("leaderboard", path, "--grader", BOTH, "-m", "nDCG@10")
        assert said["drawn"] == {"checks": drawn.checks, "sentence": drawn.sentence}
        other = workspace.drawn_board(grader=LOW)
        assert not other.standings
        assert "not learned from checks" in other.sentence
