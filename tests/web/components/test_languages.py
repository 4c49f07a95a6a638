"""Pages on texts that the instant graders do not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.web.components.places import PLACES, PagePlace
from curator.workspace import Workspace
from tests.samples.arabic import JUDGE, arabic_files
from tests.samples.workspaces import FakeEncoder
from tests.web.conftest import OpenApp, page_html

ALONE = "read only English"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arabic")
    with Workspace.open(folder / "w.db", create=True, judge=JUDGE) as workspace:
        workspace.import_(**arabic_files(folder))
    return folder / "w.db"


@pytest.fixture(scope="module")
def graded(path: Path) -> Path:
    with Workspace.open(path, judge=JUDGE) as workspace:
        workspace.grade("instant", encoder=FakeEncoder())
    return path


@pytest.mark.parametrize("page", ["overview/page.py", "judge/page.py"])
def test_no_instant_board_is_shown_before_somebody_asks(
    open_app: OpenApp, graded: Path, page: str
) -> None:
    html = page_html(open_app(graded, page, judge=JUDGE))
    assert ALONE in html
    assert "rating ≥" not in html
    if page != "overview/page.py":
        assert 'data-pick="set:grader=instant"' in html
        app = open_app(graded, page, judge=JUDGE, grader="instant", board="yes")
        html = page_html(app)
        assert "Rating ≥" in html
        assert 'data-pick="set:grader=instant"' not in html
        assert ALONE in html


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_every_page_opens_on_texts_that_are_not_read(
    open_app: OpenApp, graded: Path, place: PagePlace
) -> None:
    assert page_html(open_app(graded, place.script, judge=JUDGE))
