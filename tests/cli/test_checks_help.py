"""Every command of ``curator checks`` has help, and its example runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from curator import cli
from curator.cli.checks import checks
from curator.formats.text.json_text import json_line
from curator.workspace import Workspace
from tests.cli.test_help import example_of


@pytest.mark.parametrize("name", sorted(checks.commands))
def test_the_example_in_a_commands_help_runs(
    name: str, instant_demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(instant_demo, tmp_path / "demo.db")
    monkeypatch.chdir(tmp_path)
    with Workspace.open("demo.db") as workspace:
        (pair,) = workspace.next_checks(1)
        line = {"query_id": pair.query_id, "item_id": pair.item_id, "answer": "no"}
        line |= {"passage_id": pair.passage_id}
        if name == "quality":  # which has nothing to say without
            workspace.record_checks([line])
    Path("checks.jsonl").write_text(json_line(line))

    program, group, _, *arguments = example_of(checks.commands[name])
    result = CliRunner().invoke(cli.main, [group, "demo.db", *arguments])

    assert (program, group, arguments[0]) == ("curator", "checks", name)
    assert result.exit_code == 0, result.output
    assert result.stdout


def test_every_option_says_what_it_is_for() -> None:
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in checks.commands.items()
        for option in command.params
        if isinstance(option, click.Option)
        and not option.help
        and option.name != "form"  # its choices say it
    ]
    assert silent == []
