"""The ranking's figures and files."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from curator.tables.figures import sweep_figure
from curator.tables.table import Table
from curator.web.components.downloads import written
from curator.workspace import Workspace
from tests.web.conftest import OpenApp


def buttons(app: AppTest) -> list[str]:
    """The keys of everything the page offers to save."""
    return [str(one.key) for one in app.get("download_button")]


def test_blind_no_official_rank_is_swept_or_drawn(
    open_app: OpenApp, hand_made: Path
) -> None:
    with Workspace.open(hand_made) as workspace:
        workspace.set_up(blind=True)
    assert len(buttons(open_app(hand_made, "results/page.py"))) == 3
    app = open_app(hand_made, "results/validity/page.py")
    assert not app.toggle
    assert not buttons(app)


def test_files_are_what_their_buttons_say(hand_made: Path) -> None:
    table = Table.of(["system", "cover"], [["=a|b", 0.5]])
    assert written(lambda: table, "TSV") == b"system\tcover\n'=a|b\t0.5\n"
    assert b"\\begin{tabular}{lr}" in written(lambda: table, "LaTeX")
    assert b"| =a\\|b | 0.5000 |" not in written(lambda: table, "Markdown")
    assert b"| \\=a\\|b | 0.5000 |" in written(lambda: table, "Markdown")
    with Workspace.open(hand_made) as workspace:
        swept = workspace.sweep()
    assert sweep_figure(swept).svg()[:5] == b"<?xml"
    assert sweep_figure(swept).png()[1:4] == b"PNG"
