"""The library is the whole program: every verb is a method, every result a table."""

from __future__ import annotations

import ast
import doctest
import inspect
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, get_origin

import pytest

import curator
from curator import Workspace
from curator.bank.edits import Add, Propose, Retire, Vote
from curator.cli import main
from curator.results import Result, Rows
from curator.snapshot.methods import LazyVerb
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot

ROOT = Path(__file__).parent.parent / "curator"
RENAMED = {
    "adjudicate": "adjudication",
    "checks": "next_checks",
    "diff": "release_difference",
    "edit": "apply",
    "endpoint": "try_endpoint",
    "import": "import_",
    "next": "next_steps",
    "passages": "pool",
    "rouge": "rouge_agreement",
    "setup": "set_up",
}
"""Commands whose method has another name."""
WITHOUT_WORKSPACE = {"ava", "demo", "serve"}
"""``curator.ava`` and ``curator.demo`` hold these; serving is the app's."""
METHODS = [
    name for name in dir(Workspace) if isinstance(vars(Workspace).get(name), LazyVerb)
]


def imported_verbs() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Every function of a verb's module that commands, pages and jobs import."""
    for folder in ("cli", "web", "background"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text())):
                if not isinstance(node, ast.ImportFrom):
                    continue
                module = node.module or ""
                for alias in node.names if module.startswith("curator.verbs") else ():
                    found = getattr(import_module(module), alias.name, None)
                    if inspect.isfunction(found):
                        yield file.name, alias.name, found


def test_whatever_commands_and_pages_ask_of_a_workspace_is_a_method() -> None:
    """What they import beside the methods takes a result, a file or a folder."""
    beside = {
        (file, name)
        for file, name, verb in imported_verbs()
        for first in list(inspect.signature(verb).parameters.values())[:1]
        if first.annotation in ("State", "OpenWorkspace", "Workspace")
    }
    assert {name for _, name in beside} <= set(METHODS)


def test_a_method_has_the_name_of_its_verb() -> None:
    for name in METHODS:
        verb = vars(Workspace)[name]
        assert verb.name == name
        first, *_ = inspect.signature(
            getattr(import_module(verb.module), name)
        ).parameters.values()
        expected = Snapshot if verb.reads else OpenWorkspace
        assert first.annotation == expected.__name__, name


def test_every_command_has_its_method() -> None:
    for command in set(main.commands) - WITHOUT_WORKSPACE:
        assert callable(getattr(Workspace, RENAMED.get(command, command))), command


NATURAL = (
    """
None; bool; int; int | None; str | None; tuple[str, ...]
Qrels; QuestionQrels; dict[str, Run]; dict[str, str]; dict[str, int]
dict[str, dict[str, int | None]]; dict[str, dict[str, float | None]]
dict[str, NearDuplicate]; dict[str, LatestChange]; dict[str, tuple[DoneMark, ...]]
Answers; CheckBatch; Collection; Drawing; Gate; GenerationRequest; IfAdded; IfReworded
LocatedAnswers; Report; Settings; tuple[ReleaseRecord, Release]
""".strip()
    .replace("\n", "; ")
    .split("; ")
)
"""What a verb may return that is no table: plain values, and what is none at all."""


@pytest.mark.parametrize("name", METHODS)
def test_a_method_returns_rows_or_a_plain_value(name: str) -> None:
    verb = inspect.unwrap(getattr(Workspace, name))
    said = inspect.signature(verb).return_annotation
    if said in NATURAL:
        return
    names = vars(sys.modules[verb.__module__])
    for one in said.split(" | "):
        returned = eval(one, names)
        assert issubclass(get_origin(returned) or returned, Result | Rows), said


@pytest.fixture(scope="module")
def workspace(
    built_demo: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workspace]:
    """The demo with two judges' votes, a proposal, a release and an edit since."""
    path = Path(shutil.copy(built_demo, tmp_path_factory.mktemp("demo") / "demo.db"))
    with Workspace.open(path, judge="ann") as one:
        one.release("v1")
        first, second, *_ = one.bank()
        one.apply(Vote(first.question_id, "vital"), by="ann")
        one.apply(Vote(first.question_id, "okay"), by="bob")
        one.apply(Retire(second.question_id))
        one.apply(Propose(first.query_id, "Why do leaves fall?", "{}"))
        yield one


def query_of(one: Workspace) -> str:
    return one.collection().queries[0].query_id


@pytest.mark.parametrize("verb", ["leaderboard", "scores", "compare", "impact"])
def test_where_grades_are_missing_the_columns_have_names_of_their_own(
    verb: str, workspace: Workspace
) -> None:
    workspace.apply(Add(query_of(workspace), "Who painted the leaves?"))
    verb_of = getattr(workspace, verb)
    found = verb_of(since="v1") if verb == "impact" else verb_of("P@10")
    workspace.undo()
    frame = found.frame()
    assert frame.columns.is_unique
    assert {"lower", "lower_after", "P@10_lower"} & set(frame.columns)
    assert len(list(found)) == len(frame)


def test_a_frame_has_the_numbers_in_full(workspace: Workspace) -> None:
    board = workspace.leaderboard("P@10")
    frame = board.frame().set_index("system")
    assert frame["score"].to_dict() == board.scores()
    assert [row.system for row in board] == list(frame.index)


def test_what_nobody_knows_is_missing_in_a_frame(workspace: Workspace) -> None:
    frame = workspace.questions().frame().set_index("question_id")
    line = next(one for one in workspace.questions() if one.influence is None)
    assert frame["influence"].isna()[line.question.question_id]


def test_the_tour_of_the_library_prints_what_it_says(
    instant_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_DEMO", str(instant_demo))
    monkeypatch.chdir(tmp_path)
    page = ROOT.parent / "docs" / "library.md"
    found = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert found.attempted > 40
    assert not found.failed


def test_public_names_are_there_when_they_are_asked_for() -> None:
    assert all(getattr(curator, name) is not None for name in curator.__all__)


def test_a_notebook_shows_tables_and_figures(workspace: Workspace) -> None:
    workspace.apply(Add(query_of(workspace), "Is <b>this</b> safe?"))
    shown = workspace.bank()._repr_html_()
    workspace.undo()
    assert shown.startswith("<pre>query ")
    assert "Is &lt;b&gt;this&lt;/b&gt; safe?" in shown
    assert "<svg" in workspace.figure("bump")._repr_svg_()
