"""Pages on texts that the instant graders do not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.samples.arabic import JUDGE
from tests.web.conftest import OpenApp, page_html
from tests.web.test_every_page_opens import in_arabic

ALONE = "read only English"


@pytest.mark.parametrize("page", ["overview/page.py", "judge/page.py"])
def test_no_instant_board_is_shown_before_somebody_asks(
    open_app: OpenApp, tmp_path: Path, page: str
) -> None:
    graded = in_arabic(tmp_path)
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
