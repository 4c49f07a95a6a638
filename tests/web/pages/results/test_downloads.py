"""The ranking's figures and files."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from curator.tables.figures import sweep_figure
from curator.tables.table import Table
from curator.web.components.downloads import written
from curator.workspace import Workspace
from tests.web.conftest import OpenApp, page_html


def buttons(app: AppTest) -> list[str]:
    """The keys of everything the page offers to save."""
    return [str(one.key) for one in app.get("download_button")]


def test_the_board_and_its_plot_can_be_saved_in_every_form(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, "results/page.py")
    assert buttons(app) == [
        "scatter_svg", "scatter_png", "board_tsv", "board_latex", "board_markdown",
    ]  # fmt: skip


def test_behind_their_switches_stand_the_sweep_and_the_agreement_tables(
    open_app: OpenApp, hand_made: Path
) -> None:
    app = open_app(hand_made, "results/validity/page.py")
    assert "1+2+3+4+5" not in page_html(app)
    app.toggle(key="every_threshold").set_value(True)
    app.toggle(key="agreement_tables").set_value(True).run()
    assert not app.exception
    html = page_html(app)
    assert '<tr aria-current="true"><th scope="row">4</th><td>2</td>' in html
    assert "data:image/svg+xml;base64," in html
    # By hand: p1 and p2 both have label 5, judged 2 and 0.
    assert '<th scope="row">5</th><td>1</td><td>1</td><td>2</td>' in html
    assert "1+2+3+4+5" in html


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
