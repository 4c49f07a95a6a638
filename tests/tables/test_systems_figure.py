"""Scores with error bars in official order, and how many of these overlap."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.figures.test_drawings import texts
from tests.samples.command_line import json_of
from tests.samples.workspaces import run_file


@pytest.fixture
def unranked(workspace: Workspace, tmp_path: Path) -> Workspace:
    """Systems without an official rank: three answers nothing, four all that two does.

    By hand, Cover: two 1 and 1, one 1/2 and 0, three 0, four 1 and 1.
    """
    three = run_file(tmp_path / "three.run", {"q1": ["p0"], "q2": ["p3"]}, "three")
    four = run_file(tmp_path / "four.run", {"q1": ["p2"], "q2": ["p4"]}, "four")
    workspace.import_(runs=[three, four])
    return workspace


def test_systems_stand_by_official_rank_others_by_their_score(
    unranked: Workspace,
) -> None:
    drawn = texts(unranked.figure("systems", ["cover", "P@2"]).svg())
    systems = [text for text in drawn if text in ("one", "two", "three", "four")]
    assert systems == ["four", "two", "one", "three"]
    assert {"cover", "P@2"} < set(drawn)


def test_overlapping_bars_are_counted(unranked: Workspace) -> None:
    board = unranked.leaderboard(measure="cover")
    # By hand: two and four are 1 ± 0, one 1/4 ± 1/4 touches three, 0 ± 0.
    assert board.overlapping_pairs() == 2
    (measure,) = json_of("compare", unranked.path, "-m", "cover")["measures"]
    assert measure["overlapping_pairs"] == 2
    alone = unranked.leaderboard(measure="cover", query_id="q1")
    assert alone.overlapping_pairs() is None  # no standard errors of one query
