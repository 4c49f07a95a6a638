"""Whoever follows a call or an event by go-to-definition arrives at its function."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import curator.web.pages.events
import curator.workspace
from curator.snapshot.methods import imported_verbs
from curator.web.components.channel import HANDLERS

ROOT = Path(__file__).parent.parent
WEB = ROOT / "curator" / "web"
VERBS = imported_verbs(curator.workspace.__file__)

# Where a walk begins, the words to follow, and the module of their function.
WALKS = (
    ("cli/results", "workspace.leaderboard", "verbs/leaderboard/leaderboard"),
    ("cli/results", "verbs.validity", "verbs/validity/validity"),
    ("web/pages/judge/page_state", "workspace.what_ifs", "verbs/curate/impact"),
    ("web/pages/judge/events", "workspace.mark_ideals", "verbs/curate/edits"),
    ("web/pages/judge/page_state", "workspace.settings", "snapshot/settings"),
    ("web/components/shell", "pick(events.go_to", "web/components/events"),
    ("web/components/background_status", "pick(events.pause", "web/components/events"),
    ("web/pages/judge/impact_panel", "pick(events.grade", "web/components/events"),
    ("web/pages/check/page", "pick(events.choose", "web/components/events"),
    ("web/pages/results/page", "pick(events.go_to", "web/components/events"),
)


@pytest.mark.parametrize(("place", "words", "module"), WALKS)
def test_a_call_leads_to_its_function(place: str, words: str, module: str) -> None:
    assert words in (ROOT / "curator" / f"{place}.py").read_text()
    name = re.split(r"\W", words)[-1]
    if "pick(" not in words:
        assert VERBS[name] == f"curator.{module.replace('/', '.')}"
    tree = ast.parse((ROOT / "curator" / f"{module}.py").read_text())
    assert name in {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef)
    }


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
