"""The ranking's figures and files."""

from __future__ import annotations

from pathlib import Path

from curator.tables.figures import sweep_figure
from curator.tables.table import Table
from curator.web.components.downloads import written
from curator.workspace import Workspace


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
