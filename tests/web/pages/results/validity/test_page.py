"""The page that sets graders, label rules and measures side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Vote
from curator.web.components.view import View, from_params, to_params
from curator.workspace import Workspace
from tests.samples.several_graders import MODEL, graders_side_by_side
from tests.web.conftest import OpenApp, page_html, settings

PAGE = "results/validity/page.py"


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    with graders_side_by_side(tmp_path) as workspace:
        return workspace.path


def test_the_reference_is_chosen_and_kept_in_the_address(
    open_app: OpenApp, sides: Path
) -> None:
    # Nobody has imported official ranks or judgments: the first grader's board.
    app = open_app(sides, PAGE)
    assert settings(app)["reference"] == "grader:human/Rated"
    app = open_app(sides, PAGE, reference="grader:human:strict/Rated")
    html = page_html(app)
    assert "Kendall’s τ with grader:human:strict/Rated" in html
    with Workspace.open(sides) as workspace:
        found = workspace.validity("cover", against="grader:human:strict/Rated")
    tau = {one.settings.grader: one.correlation.kendall for one in found}
    assert f"−.{round(-1000 * tau[MODEL])}" in html
    view = View(reference="grader:human/Rated")
    assert from_params(to_params(view)) == view


def test_a_reference_there_is_not_is_one_line(open_app: OpenApp, sides: Path) -> None:
    html = page_html(open_app(sides, PAGE, reference="grader:nobody"))
    assert "No grader &#39;nobody&#39; has grades here" in html
    assert "a moment" not in html  # nothing is on its way


def test_boards_of_judges_are_drawn_when_asked_for(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made, judge="ann") as workspace:
        for judge, how in {"ann": "vital", "ben": "okay", "cy": "vital"}.items():
            workspace.apply([Vote("q1/a", how), Vote("q1/c", "vital")], by=judge)
    app = open_app(hand_made, PAGE, judge="ann")
    assert "Tau with pyramid" not in page_html(app)
    app.button(key="draw_judge_boards").click().run()
    assert "Tau with pyramid" in page_html(app)
