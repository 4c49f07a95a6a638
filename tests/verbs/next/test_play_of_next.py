"""Judges who know the truth: who follows Next, and who goes down the list."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from benchmarks.next import (
    FIRST,
    JUDGES,
    THROUGH,
    Board,
    Game,
    play,
    taus,
    truth_of,
)
from tests.samples.workspaces import FakeEncoder, demo_workspace

GAME = Game("demo", "", boards=(FIRST, Board("instant", "cover")))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, demo_folder: Path) -> Path:
    path = tmp_path_factory.mktemp("next") / "demo.db"
    with demo_workspace(path, demo_folder) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
    return path


def test_taus_are_those_of_scipy_with_ties_and_without_the_unranked() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, (4, 7)).astype(float)
    truth = np.array([1, 2, 2, 3, 4, np.nan, 5])
    ranked = ~np.isnan(truth)
    for row, found in zip(scores, taus(scores, truth), strict=True):
        expected = kendalltau(row[ranked], truth[ranked]).statistic
        assert found == pytest.approx(expected, abs=1e-12)


def test_what_is_not_done_before_the_time_is_up_counts_for_nothing(demo: Path) -> None:
    played = []
    for judge in JUDGES:
        truth = truth_of(demo, GAME, FakeEncoder())
        rows = play(demo, GAME, truth, judge, seed=1)
        assert rows.shape == (4, 2, *truth.rows.shape)
        played.append(rows)
    for rows in played:
        assert (rows[0] == played[0][0]).all()
        assert (rows[3] != rows[0]).any()
    hidden = replace(GAME, hidden=True)
    blind = play(demo, hidden, truth_of(demo, hidden, FakeEncoder()), THROUGH, seed=1)
    assert (blind[0] == played[0][0]).all()
    # The same seed is the same play.
    again = play(demo, GAME, truth_of(demo, GAME, FakeEncoder()), THROUGH, seed=1)
    assert (again == played[-1]).all()
