"""Every warning of a row says what it means and what to do."""

from __future__ import annotations

import pytest

from curator.evaluation.settings import Settings
from curator.web.pages.judge.rows import WARNINGS, figures_mean


@pytest.mark.parametrize("warning", WARNINGS)
def test_a_warning_says_what_it_means_and_what_to_do(warning: str) -> None:
    said = WARNINGS[warning]
    assert said.endswith(".")
    assert len(said) > 60


def test_figures_are_explained_under_the_settings_in_sight() -> None:
    said = figures_mean(Settings("g", "P@20", 4, 20), by="instant", judged=True)
    assert all("P@20" in said[name] for name in ("reach", "influence", "was"))
    assert "by instant" in said["would"]
    assert "judged" in said["reach"]
    blind = figures_mean(Settings("g"), judged=False)
    assert "judged" not in "".join(blind.values())
    assert set(figures_mean(None).values()) == {""}
