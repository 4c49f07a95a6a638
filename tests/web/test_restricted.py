"""No page shows a judge or viewer the texts of a restricted query."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from streamlit.testing.v1 import AppTest

from curator.web.components import session
from curator.web.components.channel import Answer
from curator.web.components.places import PLACES
from curator.workspace import Workspace
from tests.samples.restricted import SECRET, secretive_workspace
from tests.web.conftest import OpenApp, given, question_rows, sent
from tests.web.test_every_page_opens import turned

LINE = "Restricted: shown to organizers alone"


def drawn(app: AppTest) -> str:
    """All that the page sends to the browser."""
    nodes = (node for part in (app.main, app.sidebar) for node in part)
    return "\n".join(str(getattr(node, "proto", "")) for node in nodes)


def test_no_page_shows_its_texts(open_app: OpenApp, tmp_path: Path) -> None:
    path = secretive_workspace(tmp_path)
    with Workspace.open(path, judge="owner") as owner:
        owner.restrict("q1")
    chosen = {"query": "q1", "judge": "ann", "question": "q1/a", "passage": "p1"}
    app = open_app(path, **chosen)
    for page in (place.script for place in PLACES.values()):
        assert SECRET not in drawn(turned(app, page, **chosen)), page
    turned(app, "judge/page.py", **chosen)
    assert given(app)["title"] == "q1"
    assert given(app)["background"] == given(app)["barred"] == LINE
    assert {row["text"] for row in question_rows(app).values()} == {LINE}
    organizer = open_app(path, "judge/page.py", **{**chosen, "judge": "olga"})
    assert SECRET in drawn(organizer)
    assert LINE in given(organizer)["background"]
    assert given(organizer)["barred"] == ""


def test_organizers_restrict_and_lift_on_curate(
    open_app: OpenApp, tmp_path: Path
) -> None:
    path = secretive_workspace(tmp_path)

    def asked(judge: str, *, lift: bool) -> Answer:
        app = open_app(path, "judge/page.py", judge=judge, query="q1")
        offered.append(given(app)["restricting"])
        st.session_state.clear()
        st.session_state[session.KEY] = app.session_state[session.KEY]
        answer = sent("restrict", f"{judge}{lift}-nonce", query="q1", lift=lift)
        st.session_state.clear()
        with Workspace.open(path) as workspace:
            now.append([*workspace.collection().restricted])
        return answer

    offered, now = list[str](), list[list[str]]()
    assert asked("olga", lift=False).ok
    assert "for organizers" in asked("ann", lift=True).line
    assert asked("olga", lift=True).ok
    assert offered == ["restrict", "", "lift"]
    assert now == [["q1"], ["q1"], []]
