"""docs/architecture.md is where newcomers begin: what it names is where it says."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_whatever_the_map_of_the_architecture_names_is_there() -> None:
    document = (ROOT / "docs" / "architecture.md").read_text()
    folders = ("", "curator", "curator/ui", "curator/verbs", "curator/cli", "tests")
    folders += ("curator/tables", "curator/ui/shared", "curator/ui/curate", "grading")
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
