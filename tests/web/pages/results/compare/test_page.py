"""The pages that hold measures and systems against each other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from curator.bank.edits import Add
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace
from tests.web.conftest import OpenApp, page_html

COMPARE, SYSTEM = "results/compare/page.py", "results/compare/system.py"


@pytest.fixture(scope="module")
def hand_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Systems one and two: Cover 2/3 and 1/3 in q1, both 0 in q2."""
    return hand_made_workspace(tmp_path_factory.mktemp("compared"))


def following(html: str, *texts: str) -> bool:
    """Whether these stand one after the other in the page's text, tags away."""
    return "|".join(texts) in "|".join(re.split(r"\s*(?:<[^>]*>\s*)+", html))


def test_every_system_has_its_score_and_rank_under_each_measure(
    open_app: OpenApp, hand_made: Path
) -> None:
    html = page_html(open_app(hand_made, COMPARE))
    # By hand: Cover 1/3 and 1/6; one relevant passage in 20, in one of two queries,
    # so P@20 ties; tier 1 for both, since two queries cannot part them.
    assert following(html, "one", "1", ".333", "1", ".025", "1")
    assert following(html, "two", "1", ".167", "2", ".025", "1")
    assert "All 2 common systems tie" in html


def test_nothing_is_tested_while_grades_are_missing(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = hand_made_workspace(tmp_path)
    assert "significant" in page_html(open_app(path, COMPARE))
    with Workspace.open(path) as workspace:
        workspace.apply(Add("q1", "And when?"))
    for page in (COMPARE, SYSTEM):
        html = page_html(open_app(path, page))
        assert "significant" not in html
        assert ">Tier<" not in html
    assert "They differ in" in page_html(open_app(path, COMPARE))
