"""The grader that checks make, as pages offer it."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.checked_graders import HIGH, LOW, checks_of_pairs, two_graders
from tests.web.conftest import OpenApp, page_html

EVERY = (
    "results/page",
    "judge/page",
    "settings/grading/page",
)


def test_pages_offer_what_was_learned_by_a_short_name(
    open_app: OpenApp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_USER", "ann")
    path = two_graders(tmp_path)
    with Workspace.open(path, judge="ann") as ann:
        ann.apply(checks_of_pairs(path, LOW, HIGH))
        name = ann.settings(grader="checked").grader
    for page in EVERY:
        app = open_app(path, f"{page}.py", grader=name)
        assert not app.exception, page
        html = page_html(app)
        assert "checked:low" in html, page
        assert f"{name} (imported)" not in html
    board = open_app(path, "results/page.py", grader=name)
    assert "learned from 48 checks" in page_html(board)
    assert "by checks" in page_html(open_app(path, "settings/grading/page.py"))
