"""Answers on Grading: graders and systems held against people, and AVA models."""

from __future__ import annotations

import shutil
from pathlib import Path

from curator.workspace import Workspace
from tests.samples.checked_answers import answered_workspace, judged, scored
from tests.web.conftest import OpenApp, page_html

PAGE = "settings/grading/page.py"


def test_answers_are_held_against_people_and_a_model_without_folder_is_told(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = answered_workspace(tmp_path / "answered")
    scored(path)
    judged(path)
    html = page_html(open_app(path, PAGE, judge="ann"))
    assert "<td>1.00</td><td>.67</td><td>.80</td>" in html  # strings: P, R, F1
    assert "<td>.408 ± .236</td>" in html
    assert ".408" not in page_html(open_app(path, PAGE, judge="bob"))
    with Workspace.open(path) as workspace:
        (model,) = workspace.ava_models()
    shutil.rmtree(model.folder)
    assert "does not exist" in page_html(open_app(path, PAGE, judge="ann"))
