"""The page: one file that asks for nothing, says only text, and is the same each time.

What the parser here finds is what a browser would: a request, a script or an element
made of somebody's text cannot hide from it.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser

import pytest

from curator.evaluation.measures import title
from curator.evaluation.settings import Settings
from curator.verbs.files.report.report import (
    commands,
    report_page,
)
from curator.verbs.setup import GraderState
from curator.workspace import Workspace
from grading.responders import GraderSpec
from tests.samples.command_line import run
from tests.samples.workspaces import (
    RATED,
    one_graded,
    small_workspace,
)

VOID = {"meta", "br", "link", "img", "source"}
FETCHING = {
    "action", "background", "cite", "data", "formaction", "poster", "src", "srcset",
    "xlink:href",
}  # fmt: skip
FORBIDDEN = {
    "script", "link", "iframe", "object", "embed", "image", "use", "base", "form",
    "audio", "video", "foreignobject",
}  # fmt: skip
NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}{% raw %}",
    "</style><style>*{display:none}</style>",
    "</title></svg><iframe src=//evil>",
    "\u202egnp.exe\u202c\u2066",
    "a\x00b\x1bc",
    "' onmouseover='x",
)
CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069\\x00-\\x08\\x0b-\\x1f]")


class Page(HTMLParser):
    """The elements of a page, and its text by element."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag  # every element closed where it was opened

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        if data.strip():
            self.texts.append((self.open[-1] if self.open else "", data))

    def text(self, *, outside: tuple[str, ...] = ("style",)) -> str:
        return " ".join(text for tag, text in self.texts if tag not in outside)


def refuse_requests(source: str) -> Page:
    """The page, parsed; fails where a browser would ask for or run anything."""
    page = Page(source)
    assert not page.open
    for tag, attributes in page.elements:
        assert tag not in FORBIDDEN
        addresses = [attributes[name] for name in attributes.keys() & FETCHING]
        assert all(one.startswith("data:image/svg+xml;base64,") for one in addresses)
        assert not [name for name in attributes if name.startswith("on")]
        assert (attributes.get("href") or "#").startswith("#")
        assert "url(" not in (attributes.get("style") or "")
    styles = [text for tag, text in page.texts if tag == "style"]
    assert len(styles) == 1
    assert not re.search(r"url\(|@import|expression|https?:", styles[0])
    return page


@pytest.fixture
def workspace(tmp_path):
    with small_workspace(tmp_path) as opened:
        opened.set_up(title="A small collection")
        yield opened


def poisoned(value, poison):
    """A value of dataclasses with every text in it replaced; names of things kept."""
    if isinstance(value, Settings):  # what else is found by
        return value
    if is_dataclass(value):
        kept = {"kind", "item_kind", "how", "reading", "state"}
        kept |= {"name"} if isinstance(value, GraderState | GraderSpec) else set()
        return replace(
            value,
            **{
                one.name: poisoned(getattr(value, one.name), poison)
                for one in fields(value)
                if one.init and one.name not in kept
            },
        )
    if isinstance(value, tuple):
        return tuple(poisoned(one, poison) for one in value)
    if isinstance(value, str):
        return f"{value}{poison}"
    return value


def test_nasty_text_anywhere_in_a_report_stays_text(workspace):
    workspace.release("v1", allow_partial=True)
    report = workspace.report()
    harmless = Page(report_page(poisoned(report, "harmless")))
    (policy,) = (a for t, a in harmless.elements if t == "meta" and "http-equiv" in a)
    expected = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert policy["content"] == expected
    for poison in ("".join(NASTY), "".join(reversed(NASTY))):
        source = report_page(poisoned(report, poison))
        page = refuse_requests(source)
        assert not CONTROLS.search(source)
        # no text became an element or an attribute: the same ones in the same order
        assert [(tag, [*names]) for tag, names in page.elements] == [
            (tag, [*names]) for tag, names in harmless.elements
        ]


def test_equal_workspaces_give_equal_bytes_with_the_time_of_the_latest_change(
    workspace,
):
    report = workspace.report()
    history = replace(report.history, latest="2026-03-01T09:30:12.345+00:00")
    page = report_page(replace(report, history=history))
    assert page.count("2026-03-01 09:30 UTC") == 2  # under the title, and at the end
    with Workspace.open(workspace.path, judge="bob") as other:
        again = other.report()
        assert again.history == report.history
        assert report_page(replace(again, history=history)) == page


def test_the_commands_run_as_printed_and_print_the_numbers_of_the_report(
    workspace, tmp_path, monkeypatch
):
    other = one_graded(tmp_path / "other.jsonl", "p1", "q1", {"q1/a": 5}, llm="other")
    workspace.import_(autograder=other)
    workspace.release("v1", grader=RATED, allow_partial=True)
    report = workspace.report(grader=RATED, min_rating=3)
    page = " ".join(Page(report_page(report)).text().split())
    assert all(command in page for _, command in commands(report))
    monkeypatch.chdir(workspace.path.parent)
    workspace.backup("WORKSPACE")
    outputs = {what: run(*shlex.split(c)[1:]).stdout for what, c in commands(report)}
    assert len(report.boards) == 3
    for board in report.boards:
        output = outputs[f"the leaderboard by {title(board.settings.measure)}"]
        assert all(f"{row.score:.4f}" in output for row in board.standings)
    for row in report.correlations:
        assert row.against in outputs["correlations"]
    assert "v1" in outputs["releases"]
    kappas = [(name, row) for name, _, row in report.kappas if row.compared]
    assert len(kappas) == 2
    for name, row in kappas:
        assert row.kappa is None or f"{row.kappa:.4f}" in outputs[f"κ of {name}"]
