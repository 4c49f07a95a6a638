"""``people``: who works in a workspace, in which role."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from curator.cli.options import WORKSPACE, opened, printed
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.store.people import Role
    from curator.tables.table import Table

NAMES = click.argument("names", metavar="NAME...", nargs=-1, required=True)


@main.group(invoke_without_command=True)
@WORKSPACE
@click.pass_context
def people(context: click.Context, workspace: Path) -> None:
    """Who works in the workspace: organizers, judges, viewers. Without a command, all.

    From the first name on whoever is not listed is turned away from the app. Organizers
    do everything and see everything; judges curate, vote, check and ask models for
    questions; viewers look. A command on this machine is its owner's and may do
    anything. docs/team.md says what each may do.

    \b
    Example:
      curator people demo.db
    """
    context.obj = workspace
    if context.invoked_subcommand is None:
        context.invoke(list_people)


@people.command("list")
@printed
def list_people() -> Table:
    """Everybody who is listed, organizers first.

    \b
    Example:
      curator people demo.db list
    """
    from curator.tables.team import people_table

    with opened(click.get_current_context().obj) as one:
        return people_table(one.people())


@people.command()
@NAMES
@click.option("--role", type=click.Choice(["organizer", "judge", "viewer"]),
              default="judge", show_default=True, help="What they may do."
              )  # fmt: skip
@printed
def add(names: Sequence[str], role: Role) -> Table:
    """List people in a role, or give those who are listed another role.

    The name is the one that they sign in with, an address mostly.

    \b
    Example:
      curator people demo.db add ann@example.org bo@example.org --role judge
    """
    from curator.tables.team import people_table

    with opened(click.get_current_context().obj) as one:
        return people_table(one.add_people(names, role))


@people.command()
@NAMES
@printed
def remove(names: Sequence[str]) -> Table:
    """List people no longer. What they did stays in the history, in their names.

    \b
    Example:
      curator people demo.db remove bo@example.org
    """
    from curator.tables.team import people_table

    with opened(click.get_current_context().obj) as one:
        return people_table(one.remove_people(names))
