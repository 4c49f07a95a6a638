"""The reader of the Judge page and its list of passages.

In the hand-made collection's q1, p1 answers a and b and is judged 2, p2 answers c and
is judged 0; 2 and more is relevant.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from curator.web.server import WORKSPACE_VARIABLE
from curator.workspace import Workspace
from tests.samples.workspaces import (
    question_bank,
)
from tests.web.conftest import OpenApp, given, page_html, remember, sent


def passages(app: AppTest) -> list[str]:
    """The ids of the passages listed."""
    return re.findall(r'class="p-row" data-pick="passage:([^"]+)"', page_html(app))


def shows(app: AppTest) -> dict[str, int]:
    """How many passages each filter says it leaves."""
    (options,) = re.findall(
        r'data-setting="show".*?</select>', page_html(app), re.DOTALL
    )
    found = re.findall(r'value="([\w-]+)"[^>]*>([\d,]+) ', options)
    return {show: int(count) for show, count in found}


def test_the_url_has_filters_order_and_search(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, show="nonrelevant-answered", pool="yes")
    assert passages(app) == ["p2"]
    assert app.query_params["show"] == "nonrelevant-answered"
    # By hand: p1 is relevant and answered, p2 is neither relevant nor unanswered.
    assert shows(app) == {"all": 2, "nonrelevant-answered": 1}
    app = open_app(hand_made, question="q1/a", show="answers", pool="yes")
    assert passages(app) == ["p1"]
    assert passages(open_app(hand_made, system="two", pool="yes")) == ["p2"]
    # By hand: p1 is judged 2, p2 0.
    app = open_app(hand_made, sort="judgment", reverse="yes", pool="yes")
    assert passages(app) == ["p2", "p1"]
    app = open_app(hand_made, words="p2", pool="yes")
    assert passages(app) == ["p2"]
    assert 'data-pick="set:words=" data-key="Escape"' in page_html(app)
    app = open_app(hand_made, words="nowhere", pool="yes")
    assert "No passage passes these filters." in page_html(app)
    app = open_app(hand_made, show="best", system="nobody", pool="yes")
    assert passages(app) == ["p1", "p2"]


def test_among_nuggets_what_is_added_is_a_nugget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_app: OpenApp
) -> None:
    bank = question_bank(
        tmp_path / "bank.jsonl", {"q": {"q/n": "A fact"}}, kind="nugget"
    )
    path = tmp_path / "w.db"
    with Workspace.open(path, create=True) as workspace:
        workspace.import_(bank=bank)
    assert given(open_app(path))["kind"] == "nugget"
    monkeypatch.setenv(WORKSPACE_VARIABLE, str(path))
    remember()
    added = sent("add", query="q", texts=["Another fact"], item_kind="nugget").question
    with Workspace.open(path) as workspace:
        assert workspace.bank().question(str(added)).kind == "nugget"
