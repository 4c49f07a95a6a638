"""No page shows a judge or viewer the texts of a restricted query."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from curator.ui.shared.shell import PLACES
from curator.workspace import Workspace
from tests.samples.restricted import SECRET, secretive_workspace
from tests.ui.conftest import OpenApp, given, question_rows
from tests.ui.test_every_page_opens import turned

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
    for page in map(str, PLACES.values()):
        assert SECRET not in drawn(turned(app, page, **chosen)), page
    turned(app, "curate/page.py", **chosen)
    assert given(app)["title"] == "q1"
    assert given(app)["background"] == LINE
    assert {row["text"] for row in question_rows(app).values()} == {LINE}
    organizer = open_app(path, "curate/page.py", **{**chosen, "judge": "olga"})
    assert SECRET in drawn(organizer)
    assert LINE in given(organizer)["background"]
