"""Every event that scripts and templates send has one handler."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from curator.web.components.channel import HANDLERS

ROOT = Path(__file__).parent.parent
WEB = ROOT / "curator" / "web"


def sent_types() -> set[str]:
    """The types of events that scripts and templates send, as they stand there."""
    picks = r"data-pick=\"([\w-]+):", r"data-pick\": [`\"]([\w-]+):"
    patterns = r"\bsend\(\"([\w -]+)\"", *picks
    return {
        kind
        for file in WEB.rglob("*")
        if file.suffix in (".js", ".html")
        for pattern in patterns
        for kind in re.findall(pattern, file.read_text())
    }


def test_an_event_has_one_handler() -> None:
    registered = Counter(
        kind
        for file in WEB.rglob("*.py")
        for kinds in re.findall(r"^@handles\((.*)\)$", file.read_text(), re.MULTILINE)
        for kind in re.findall(r'"([^"]+)"', kinds)
    )
    assert registered == dict.fromkeys(HANDLERS, 1)
    assert len(sent_types()) > 40
    assert sent_types() <= HANDLERS.keys()
    assert all(handler.__doc__ for handler in HANDLERS.values())
