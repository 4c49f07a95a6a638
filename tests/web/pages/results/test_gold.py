"""n-EXAM on the Leaderboard page: the star and its legend, or why there is none."""

from __future__ import annotations

from pathlib import Path

from tests.samples.workspaces import small_workspace
from tests.snapshot.test_gold_articles import gold_file, gold_grades
from tests.web.conftest import OpenApp, page_html

PAGE = "results/page.py"


def test_the_star_has_a_legend(open_app: OpenApp, tmp_path: Path) -> None:
    with small_workspace(tmp_path) as workspace:
        workspace.import_(gold=gold_file(tmp_path))
        workspace.import_(autograder=gold_grades(tmp_path))
    html = page_html(open_app(workspace.path, PAGE, measure="n-exam"))
    assert '<bdi dir="auto">n-EXAM</bdi></th>' in html
    assert "⋆</i>1.3333" in html
    assert "1.33</span>" in page_html(
        open_app(workspace.path, "results/compare/system.py", measure="n-exam")
    )
    assert "⋆ comparable to the gold articles" in html


def test_without_articles_the_page_says_so(open_app: OpenApp, tmp_path: Path) -> None:
    with small_workspace(tmp_path) as workspace:
        pass
    html = page_html(open_app(workspace.path, PAGE, measure="n-exam"))
    assert "n-EXAM needs gold articles" in html
