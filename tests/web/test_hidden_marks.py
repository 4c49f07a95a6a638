"""No page and no command tells a judge of marks that are hidden from them."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from curator.cli import main
from curator.web.components.places import PLACES
from curator.workspace import AS_JUDGE_VARIABLE, Workspace
from tests.samples.histories import values_of
from tests.samples.twins import twin_workspaces
from tests.web.conftest import OpenApp, page_html
from tests.web.test_every_history import command_line, commands
from tests.web.test_every_page_opens import turned

ALWAYS_NEW = re.compile(r'\d{4}-\d\d-\d\d[T ][\d:.+]+|"workspace": "\w+"')
BOARDS_OF_VOTES = {"results/compare/page.py"}
"""Pages with boards of measures of votes, which count all votes."""


@pytest.fixture
def twins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Two workspaces, opened as ann's."""
    monkeypatch.setenv(AS_JUDGE_VARIABLE, "1")
    monkeypatch.setenv("CURATOR_USER", "ann")
    return twin_workspaces(tmp_path)


def without_new(text: str, path: Path) -> str:
    return ALWAYS_NEW.sub("", text.replace(str(path.parent), ""))


def test_no_page_depends_on_hidden_marks(
    twins: tuple[Path, Path], open_app: OpenApp, at_once: None
) -> None:
    shown = []
    for path in twins:
        app = open_app(path, judge="ann", query="q2")
        pages = {}
        for place in PLACES.values():
            app = turned(app, place.script, judge="ann", query="q2")
            parts = [part.proto.json for part in app.get("bidi_component")]
            pages[place.script] = without_new("".join([page_html(app), *parts]), path)
        shown.append(pages)
    first, second = shown
    assert {page for page in first if first[page] != second[page]} <= BOARDS_OF_VOTES


def test_no_command_depends_on_hidden_marks(twins: tuple[Path, Path]) -> None:
    printed = []
    for path in twins:
        with Workspace.open(path, judge="ann", as_judge=True) as ann:
            values = values_of(ann) | {"judge": ["ann"]}
        random, outputs = Random(0), {}
        for names in commands(main):
            if names[0] == "edit":  # an own mark shows those of others
                continue
            line = command_line(random, names, path, values)
            if "next" in names:  # else drawn anew each time
                line[-1:] = ["--seed", "1"]
            result = CliRunner().invoke(main, line)
            text = f"{result.output}{result.exception!r}"
            outputs[without_new(" ".join(line), path)] = without_new(text, path)
        printed.append(outputs)
    first, second = printed
    assert first.keys() == second.keys()
    assert [line for line in first if first[line] != second[line]] == []
