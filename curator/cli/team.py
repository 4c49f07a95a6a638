"""``people``, ``assign`` and ``progress``: who works here, on what, and how far."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    WORKSPACE,
    Function,
    flag,
    opened,
    printed,
    several,
    shown,
)
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.store.assignments import Work
    from curator.store.people import Role
    from curator.tables.table import Table
    from curator.workspace import Workspace


def in_printed_workspace(function: Function) -> Function:
    """WORKSPACE, which the command is given open, and ``--format``."""

    @wraps(function)
    def command(workspace: Path, **options: Any) -> Any:
        with opened(workspace) as one:
            return function(one, **options)

    return WORKSPACE(printed(command))


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
              help="What they may do. [judge; who is listed keeps theirs]"
              )  # fmt: skip
@printed
def add(names: Sequence[str], role: Role | None) -> Table:
    """List people in a role, or give those who are listed another role.

    The name is the one that they sign in with, an address mostly. Where nobody is
    listed yet and no organizer is named, you become the organizer.

    \b
    Example:
      curator people demo.db add ann@example.org bo@example.org --role judge
    """
    from curator.tables.team import people_table

    with opened(click.get_current_context().obj) as one:
        return people_table(one.add_people(names, role))


@people.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@flag("--all", "everybody", help="List nobody: everybody may do everything again.")
@printed
def remove(names: Sequence[str], everybody: bool) -> Table:
    """List people no longer. What they did stays in the history, in their names.

    The last organizer stays, unless --all removes everybody.

    \b
    Example:
      curator people demo.db remove bo@example.org
    """
    from curator.tables.team import people_table

    with opened(click.get_current_context().obj) as one:
        return people_table(one.remove_people(names, everybody=everybody))


@main.command()
@in_printed_workspace
@several("--to", "judges", metavar="NAME", help="Who gets it.")
@several("--query", "query_ids", metavar="ID", help="In these queries. [all]")
@click.option("--work", type=click.Choice(["curate", "votes", "checks"]),
              help="What is to be done. [curate; all of it with --from and --remove]"
              )  # fmt: skip
@shown("--count", default=10, help="How many checks of a query.")
@flag("--evenly", help="As many queries for each judge, or for each of --to.")
@shown("--overlap", default=1, help="With --evenly: how many judges a query has.")
@click.option("--seed", type=int, metavar="S",
              help="With --evenly: the same gives the same.")  # fmt: skip
@click.option("--from", "giver", metavar="NAME",
              help="Give --to what NAME has not finished.")  # fmt: skip
@click.option("--remove", metavar="NAME", help="Take work away from NAME.")
@flag("--history", help="List every time that work changed hands instead.")
def assign(
    workspace: Workspace,
    judges: Sequence[str],
    query_ids: Sequence[str],
    work: Work | None,
    count: int,
    evenly: bool,
    overlap: int,
    seed: int | None,
    giver: str | None,
    remove: str | None,
    history: bool,
) -> Table:
    """Say whose work a query is: to curate, vote on or check. Without options, list it.

    How far it is follows from done marks, votes and checks: docs/team.md.

    \b
    Example:
      curator assign demo.db --evenly --overlap 2 --to ann --to bo --to cy
    """
    from curator.tables.team import assignment_table, handover_table

    queries = list(query_ids) or None
    if sum([evenly, giver is not None, remove is not None, history]) > 1:
        raise click.UsageError("Give one of --evenly, --from, --remove and --history.")
    if history:
        return handover_table(workspace.handovers())
    if remove is not None:
        found = workspace.unassign(remove, queries, work=work)
    elif giver is not None:
        if len(judges) != 1:
            raise click.UsageError("--from NAME goes with one --to NAME.")
        found = workspace.reassign(giver, judges[0], queries, work=work)
    elif evenly:
        found = workspace.assign_evenly(
            *(list(judges) or None, queries),
            work=work or "curate",
            overlap=overlap,
            count=count,
            seed=seed,
        )
    elif judges:
        found = workspace.assign(
            list(judges), queries, work=work or "curate", count=count
        )
    else:
        found = workspace.assignments(work=work)
    return assignment_table(found)


@main.command()
@in_printed_workspace
def progress(workspace: Workspace) -> Sequence[Table]:
    """How far everybody is with what is assigned, and how their judging goes.

    Seconds are the median time between two decisions, without breaks; agreement is the
    share of votes and checks that say the same as another judge's of the same. Beneath
    stands what was taken from whom; `assign --history` has what was given, too.

    \b
    Example:
      curator progress demo.db
    """
    from curator.tables.team import handover_table, progress_table

    taken = [one for one in workspace.handovers() if one.taken_from]
    more = [handover_table(taken)] if taken else []
    return [progress_table(workspace.progress()), *more]
