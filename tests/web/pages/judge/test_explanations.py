"""Every warning of a row says what it means and what to do."""

from __future__ import annotations

import inspect
import re

import pytest

from curator.evaluation.settings import Settings
from curator.web.components import words
from curator.web.pages.judge import explanations, proposal_rows, question_list


def warnings() -> list[str]:
    """The warnings that rows give, as their functions spell them out."""
    source = "".join(
        map(inspect.getsource, (question_list._reason, proposal_rows.reason))
    )
    said = re.findall(r'return f?"([^"]+)"', source)
    said += [words.missing_grades(12), "near-duplicate of 3 (cosine .91)"]
    return said


@pytest.mark.parametrize("warning", warnings())
def test_a_warning_says_what_it_means_and_what_to_do(warning: str) -> None:
    said = explanations.reason_means(warning)
    assert said.endswith(".")
    assert len(said) > 60


def test_without_a_warning_nothing_is_said() -> None:
    assert explanations.reason_means("") == ""


def test_figures_are_explained_under_the_settings_in_sight() -> None:
    said = explanations.figures_mean(
        Settings("g", "P@20", 4, 20), by="instant", judged=True
    )
    assert all("P@20" in said[name] for name in ("reach", "influence", "was"))
    assert "by instant" in said["would"]
    assert "judged" in said["reach"]
    blind = explanations.figures_mean(Settings("g"), judged=False)
    assert "judged" not in "".join(blind.values())
    assert set(explanations.figures_mean(None).values()) == {""}
