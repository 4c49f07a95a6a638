"""Every command has help, and its example runs."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from curator import cli
from tests.samples.chat_server import ChatServer

COMMANDS = sorted(cli.main.commands)


@pytest.fixture(scope="module")
def chat_server() -> Iterator[ChatServer]:
    with ChatServer("4") as server:
        yield server


def example_of(command: click.Command) -> list[str]:
    """The words of the example at the end of a command's help."""
    assert command.help, f"{command.name} has no help"
    _, found, example = command.help.partition("Example:\n")
    assert found, f"{command.name}'s help has no example"
    return shlex.split(example.replace("\\\n", " "))


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_in_a_commands_help_runs(
    name: str,
    instant_demo: Path,
    tmp_path: Path,
    demo_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    chat_server: ChatServer,
) -> None:
    shutil.copytree(demo_folder, tmp_path / "data" / "demo")
    shutil.copy(instant_demo, tmp_path / "demo.db")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CURATOR_DEMO", "demo.db")
    served: list[Path] = []
    # The one thing an example cannot do in a test is serve until it is stopped.
    monkeypatch.setattr(
        cli.serve, "start_server", lambda path, *_, **__: served.append(path)
    )

    if name == "endpoint":
        server = chat_server.lead(monkeypatch)
        server.models = ["gpt-4o-mini"]
    if name == "diff":  # of a release, which the demo does not have
        CliRunner().invoke(cli.main, example_of(cli.main.commands["release"])[1:])

    program, *arguments = example_of(cli.main.commands[name])
    result = CliRunner().invoke(cli.main, arguments)

    assert program == "curator"
    assert arguments[0] == name
    assert result.exit_code == 0, result.output
    assert bool(served) == (name == "serve")


def test_every_option_says_what_it_is_for() -> None:
    silent = [
        f"{name} {option.opts[0]}"
        for name, command in cli.main.commands.items()
        for option in command.params
        if isinstance(option, click.Option)
        and not option.help
        and option.name not in ("form", "by")  # their choices say it
    ]
    assert silent == []
