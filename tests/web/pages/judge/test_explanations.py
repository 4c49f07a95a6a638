"""Figures of rows are explained under the settings in sight."""

from __future__ import annotations

from curator.evaluation.settings import Settings
from curator.web.pages.judge.rows import figures_mean


def test_figures_are_explained_under_the_settings_in_sight() -> None:
    said = figures_mean(Settings("g", "P@20", 4, 20), by="instant", judged=True)
    assert all("P@20" in said[name] for name in ("reach", "influence", "was"))
    assert "by instant" in said["would"]
    assert "judged" in said["reach"]
    blind = figures_mean(Settings("g"), judged=False)
    assert "judged" not in "".join(blind.values())
    assert figures_mean(None) == {}
