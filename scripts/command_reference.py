"""The page Commands of the documentation, generated from the help of every command.

``mkdocs build`` calls ``on_files``; ``python -m scripts.command_reference`` prints it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from curator.cli import main


def commands(
    group: click.Group, before: str = "curator"
) -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its full name."""
    for name, command in sorted(group.commands.items()):
        yield f"{before} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{before} {name}")


def command_reference() -> str:
    """Return the page as Markdown: a section with the help for every command."""
    sections = ["# Commands", "As `curator COMMAND --help` prints them."]
    for name, command in commands(main):
        context = click.Context(command, info_name=name, terminal_width=80)
        sections += [f"## {name}", f"```\n{command.get_help(context)}\n```"]
    return "\n\n".join(sections) + "\n"


def on_files(files: Any, config: Any) -> Any:
    """Add the page to the files of a site that MkDocs builds."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, "commands.md", content=command_reference()))
    return files


if __name__ == "__main__":
    print(command_reference())
