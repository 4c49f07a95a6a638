"""The Overview page: the first after opening."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from curator.ui.server import APP
from tests.ui.conftest import OpenApp, page_html


def test_an_address_without_parameters_opens_the_overview(
    open_app: OpenApp, hand_made: Path
) -> None:
    open_app(hand_made)  # says which workspace
    app = AppTest.from_file(str(APP), default_timeout=30).run()
    assert not app.exception
    assert '<h1 class="c-title">Overview' in page_html(app)


def test_an_address_with_parameters_opens_curate(
    open_app: OpenApp, hand_made: Path
) -> None:
    assert "c-impact" in page_html(open_app(hand_made, query="q1"))
