"""Every command: its help, documentation, example and output in each format."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from curator import cli
from curator.cli import program
from curator.cli.program import VerbCommand, WorkspaceGroup
from curator.formats.answer_selection import write_answers
from curator.formats.text.json_text import json_line
from curator.workspace import Workspace
from scripts.command_reference import command_reference
from tests.samples.ava_samples import question, write_linear, write_run
from tests.samples.chat_server import ChatServer
from tests.samples.checked_answers import answered_workspace

REFERENCE = command_reference()
ID = "autumn-leaves/pigments/6a6d40933c80b153e9c87b45ffbe6047"
# Edits have no examples; those before the last make it possible.
EDITS = {
    "add": ["add autumn-leaves 'Why do larches lose their needles?'"],
    "batch": ["batch edits.txt"],
    "done": ["done autumn-leaves pacemaker"],
    "keep": [],
    "key": [f"key {ID} --answer carotene"],
    "move": [f"move {ID} -"],
    "note": [f"note {ID} Unclear. --flag"],
    "redo": [f"retire {ID}", "undo", "redo"],
    "restore": [f"retire {ID}", f"restore {ID}"],
    "retire": [f"retire {ID} --reason 'too easy'"],
    "reword": [f"reword {ID} 'Which pigments?'"],
    "subtopic": ["subtopic autumn-leaves shapes 'Shapes of leaves'"],
    "title": ["title autumn-leaves 'Why leaves turn'"],
    "undo": [f"retire {ID}", "undo"],
    "verdict": [f"verdict {ID} carotene right"],
    "vote": [f"vote {ID} vital", f"vote {ID} none"],
}


def commands(
    group: click.Group = cli.main, before: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    for name, command in sorted(group.commands.items()):
        yield " ".join((*before, name)), command
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))


COMMANDS = dict(commands())
LEAVES = {
    name: command
    for name, command in COMMANDS.items()
    if isinstance(command, VerbCommand)
}


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_screen(name: str) -> None:
    context = click.Context(
        COMMANDS[name], info_name=f"curator {name}", terminal_width=80
    )
    assert len(COMMANDS[name].get_help(context).splitlines()) <= 40
    summary = (COMMANDS[name].help or "").split("\n\n")[0].strip()
    assert summary.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_help_and_is_documented(name: str) -> None:
    section = REFERENCE.partition(f"## curator {name}\n")[2].partition("\n## ")[0]
    section = section.replace("-\n", "-")
    options = COMMANDS[name].get_params(click.Context(COMMANDS[name]))
    for option in options:
        if isinstance(option, click.Option):
            assert option.help, option.opts
            assert option.opts[0] in section


def test_only_an_option_of_the_scored_forms_has_others() -> None:
    for name, command in LEAVES.items():
        assert command.formats[:2] in (("table", "json"), ["table", "json"], ()), name


@pytest.fixture
def folder(
    tmp_path: Path,
    instant_demo: Path,
    demo_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """What the examples name, in the folder where they run."""
    shutil.copytree(demo_folder, tmp_path / "data" / "demo")
    shutil.copy(instant_demo, tmp_path / "demo.db")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CURATOR_DEMO", "demo.db")
    monkeypatch.setenv("CURATOR_USER", "ann")
    return tmp_path


def prepare_ava(folder: Path, name: str) -> None:
    for data, text in (("test", "t1"), ("dev", "d1")):
        write_answers(folder / f"{data}.tsv", [question(text, "good better", "bad")])
    (folder / "runs").mkdir()
    for system, ranked in (("ada", "good bad"), ("bob", "bad good")):
        rankings = {"t1": ranked, "d1": ranked}
        write_run(folder / "runs" / system, system, rankings)
    if name == "ava compare":
        answered_workspace(folder)
    if name != "ava train":  # it makes the model itself
        write_linear(folder / "models" / "linear")


def prepare_checks(folder: Path, name: str) -> None:
    with Workspace.open("demo.db") as workspace:
        (pair,) = workspace.next_checks(1)
        line = {"query_id": pair.query_id, "item_id": pair.item_id, "answer": "no"}
        line |= {"passage_id": pair.passage_id}
        if name == "checks quality":  # which has nothing to print without
            workspace.record_checks([line])
    (folder / "checks.jsonl").write_text(json_line(line))


@pytest.mark.parametrize("name", LEAVES)
def test_the_example_runs_and_prints_in_every_format(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: list[Any] = []
    served: list[Path] = []
    monkeypatch.setattr(
        program, "print_result", lambda result, form: results.append(result)
    )
    # The one thing an example cannot do in a test is serve until it is stopped.
    monkeypatch.setattr(
        cli.serve, "start_server", lambda path, *_, **__: served.append(path)
    )
    if name.startswith("ava"):
        prepare_ava(folder, name)
    if name.startswith("checks"):
        prepare_checks(folder, name)
    (folder / "edits.txt").write_text(f"# two\nretire {ID}\ndone pacemaker\n")

    if name.startswith("edit "):
        lines = [f"edit demo.db {line}" for line in EDITS[name.split()[1]]]
    else:
        _, found, example = (COMMANDS[name].help or "").partition("Example:\n")
        assert found, f"{name} has no example"
        lines = [example.replace("\\\n", " ").strip().removeprefix("curator ")]
    if name == "diff":  # of a release, which the demo does not have
        lines.insert(0, "release demo.db v1 --measure P@10")
    if name.startswith("norming") and name != "norming list":
        lines.insert(0, "norming demo.db open --seed 1")
    if name == "people remove":
        lines.insert(0, "people demo.db add bo@example.org")
    with ChatServer("4") as server:
        if name == "endpoint test":
            server.lead(monkeypatch).models = ["gpt-4o-mini"]
        for line in lines:
            result = CliRunner().invoke(cli.main, shlex.split(line))
            is_known = 2 if name == "gate" else 0  # nobody has checked a pair
            assert result.exit_code == is_known, (line, result.output)
    assert bool(served) == (name == "serve")

    monkeypatch.undo()
    if results:
        for form in program.FORMATS:
            program.print_result(results[-1], form)


def test_a_group_of_a_workspace_opens_what_it_is_given(folder: Path) -> None:
    for name, group in COMMANDS.items():
        if isinstance(group, WorkspaceGroup):
            code = CliRunner().invoke(cli.main, [name, "demo.db"]).exit_code
            assert code == (0 if group.default else 2), name


def test_the_old_spelling_of_edits_works_with_a_notice(folder: Path) -> None:
    words = ["edit", "demo.db", "--retire", ID, "--done", "pacemaker", "--judge", "bo"]
    words += ["--reason", "Not asked.", "--note", ID, "Hm.", "--flag"]
    result = CliRunner().invoke(cli.main, words)
    assert result.exit_code == 0, result.output
    assert result.stderr.count("Note: edits are commands now") == 1
    with Workspace.open("demo.db", judge="bo") as workspace:
        undone = workspace.undo()
    assert [change.kind for change in undone.changes] == [
        "undo note",
        "undo done",
        "undo retire",
    ]
