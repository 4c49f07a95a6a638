"""docs/architecture.md is where newcomers begin: what it names is where it says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_whatever_the_map_of_the_architecture_names_is_there() -> None:
    document = (ROOT / "docs" / "architecture.md").read_text()
    folders = ("", "curator", "curator/web", "curator/verbs", "curator/cli", "tests")
    folders += (
        "curator/tables",
        "curator/web/components",
        "curator/web/pages",
        "curator/web/pages/judge",
        "grading",
    )
    named = set(re.findall(r"`([\w./]+(?:\.(?:py|js|md)|/))(?=[`:])", document))
    cells = re.findall(r"^\|.*\|$", document, re.MULTILINE)
    named |= {name for row in cells for name in re.findall(r"`(\w+/\w+)`", row)}
    assert len(named) > 60
    missing = {
        name
        for name in named
        if not any((ROOT / folder / name).exists() for folder in folders)
    }
    assert missing == set()


NAMED_IMPORTS = {"curator/verbs/files/export.py"}
"""Modules that import others of their own package by a name of their own making."""


def test_no_import_is_hidden_from_the_import_contracts() -> None:
    """A module imported by a text is seen by no contract of ``.importlinter``."""
    hidden = set()
    for path in [*ROOT.glob("curator/**/*.py"), *ROOT.glob("grading/**/*.py")]:
        source = path.read_text()
        tree = ast.parse(source if "import_module" in source else "")
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
                name = ast.unparse(node.args[0]).lstrip("f").strip("'\"")
                if name.startswith(("curator.", "grading.")):
                    hidden.add(path.relative_to(ROOT).as_posix())
    assert hidden == NAMED_IMPORTS


def test_no_page_asks_for_what_is_hidden_from_its_viewer() -> None:
    """Pages, commands and tables show; verbs alone compute from the full snapshot."""
    shown = [
        path
        for layer in ("web", "cli", "tables", "figures")
        for path in ROOT.glob(f"curator/{layer}/**/*.py")
        if re.search(r"snapshot\w*(\(\))?\.(full|counted|with_texts)", path.read_text())
    ]
    assert shown == []
