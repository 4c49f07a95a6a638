"""Answers on Grading: checks of answers side by side, what is listed, AVA models."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.bank.edits import JudgeAnswer
from curator.workspace import Workspace
from tests.samples.checked_answers import (
    ELDER,
    answered_workspace,
    judged,
    scored,
)
from tests.web.conftest import OpenApp, page_html

PAGE = "settings/grading/page.py"


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    return answered_workspace(tmp_path / "answered")


def opened(open_app: OpenApp, path: Path, judge: str = "ann") -> AppTest:
    return open_app(path, PAGE, judge=judge)


def test_with_verdicts_every_check_and_system_is_held_against_people(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    judged(answered)
    html = page_html(opened(open_app, answered))
    assert "<td>1.00</td><td>.67</td><td>.80</td>" in html  # strings: P, R, F1
    assert "<td>.408 ± .236</td>" in html
    assert "4 of 4 answers judged by me" in html
    # Another judge, who has judged nothing, is told nothing.
    html = page_html(opened(open_app, answered, "bob"))
    assert ".408" not in html
    assert "0 of 4 answers judged by me" in html


def test_what_ties_with_another_judge_is_still_judged_by_me(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    judged(answered)
    with Workspace.open(answered, judge="bob") as workspace:
        workspace.apply(JudgeAnswer("q/a", ELDER, "wrong"))
    html = page_html(opened(open_app, answered))
    assert "4 of 4 answers judged by me" in html
    assert "use 3 of 4 answers: those with a majority" in html


def test_a_model_says_what_is_wrong_with_its_folder(
    open_app: OpenApp, answered: Path
) -> None:
    scored(answered)
    with Workspace.open(answered) as workspace:
        (model,) = workspace.ava_models()
    (model.folder / "report.json").write_text("{}")
    assert "is not a report" in page_html(opened(open_app, answered))
    shutil.rmtree(model.folder)
    assert "does not exist" in page_html(opened(open_app, answered))
