"""Judges who know the truth: who follows Next, and who goes down the list."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from benchmarks.next import (
    taus,
)


def test_taus_are_those_of_scipy_with_ties_and_without_the_unranked() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 5, (4, 7)).astype(float)
    truth = np.array([1, 2, 2, 3, 4, np.nan, 5])
    ranked = ~np.isnan(truth)
    for row, found in zip(scores, taus(scores, truth), strict=True):
        expected = kendalltau(row[ranked], truth[ranked]).statistic
        assert found == pytest.approx(expected, abs=1e-12)
