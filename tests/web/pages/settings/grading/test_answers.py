"""Answers on Grading: checks of answers side by side, what is listed, AVA models."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.samples.checked_answers import (
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
