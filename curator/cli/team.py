"""Commands ``people``, ``assign`` and ``progress``: roles, work and its progress."""

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
from curator.results import Rows

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.store.assignments import Work
    from curator.store.people import Role
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
    """Manage the people of a workspace. Without a command, list them.

    Once anybody is listed, the app refuses everybody who is not. Organizers do and see
    everything; judges curate, vote, check and ask models for questions; viewers only
    look. Anybody who runs a command on this machine may do anything. docs/team.md lists
    the rights of each role.

    \b
    Example:
      curator people demo.db
    """
    context.obj = workspace
    if context.invoked_subcommand is None:
        context.invoke(list_people)


@people.command("list")
@printed
def list_people() -> Tabular:
    """List the people with their roles, organizers first.

    \b
    Example:
      curator people demo.db list
    """
    with opened(click.get_current_context().obj) as one:
        return one.people()


@people.command()
@NAMES
@click.option("--role", type=click.Choice(["organizer", "judge", "viewer"]),
              help="Role of these people. [judge; listed people keep theirs]"
              )  # fmt: skip
@printed
def add(names: Sequence[str], role: Role | None) -> Tabular:
    """Add people with a role, or change the role of listed people.

    Give the name they sign in with, usually an e-mail address. If no one is listed yet
    and you name no organizer, you become the organizer.

    \b
    Example:
      curator people demo.db add ann@example.org bo@example.org --role judge
    """
    with opened(click.get_current_context().obj) as one:
        return one.add_people(names, role)


@people.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@flag(
    "--all", "everybody", help="Remove everybody; anybody may then do everything again."
)
@printed
def remove(names: Sequence[str], everybody: bool) -> Tabular:
    """Remove people. Their edits stay in the history under their names.

    The last organizer stays, unless --all removes everybody.

    \b
    Example:
      curator people demo.db remove bo@example.org
    """
    with opened(click.get_current_context().obj) as one:
        return one.remove_people(names, everybody=everybody)


@main.command()
@in_printed_workspace
@several(
    "--to",
    "judges",
    metavar="NAME",
    help="Judge who gets the work; repeat for several.",
)
@several(
    "--query",
    "query_ids",
    metavar="ID",
    help="Only this query; repeat for several. [all]",
)
@click.option("--work", type=click.Choice(["curate", "votes", "checks"]),
              help="Kind of work. [curate; with --from and --remove, all]"
              )  # fmt: skip
@shown("--count", default=10, help="Number of checks per query.")
@flag(
    "--evenly",
    help="Share the queries evenly among all judges, or among those of --to.",
)
@shown("--overlap", default=1, help="With --evenly: number of judges per query.")
@click.option("--seed", type=int, metavar="S",
              help="With --evenly: random seed.")  # fmt: skip
@click.option("--from", "giver", metavar="NAME",
              help="Move the unfinished work of NAME to the judge of --to."
)  # fmt: skip
@click.option("--remove", metavar="NAME", help="Take work away from NAME.")
@flag("--history", help="List all changes of assignments instead.")
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
) -> Tabular:
    """Assign queries to judges to curate, vote or check. Without options, list them.

    Done marks, votes and checks count as progress: docs/team.md.

    \b
    Example:
      curator assign demo.db --evenly --overlap 2 --to ann --to bo --to cy
    """
    queries = list(query_ids) or None
    if sum([evenly, giver is not None, remove is not None, history]) > 1:
        raise click.UsageError("Give one of --evenly, --from, --remove and --history.")
    if history:
        return workspace.handovers()
    if remove is not None:
        found = workspace.unassign(remove, queries, work=work)
    elif giver is not None:
        if len(judges) != 1:
            raise click.UsageError("--from needs exactly one --to.")
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
    return found


@main.command()
@in_printed_workspace
def progress(workspace: Workspace) -> Sequence[Tabular]:
    """Show each judge's progress with assigned work, their speed and agreement.

    Seconds are the median time between two decisions, without breaks. Agreement is the
    share of votes and checks that equal another judge's on the same item. Work that was
    taken away follows; `assign --history` lists all changes.

    \b
    Example:
      curator progress demo.db
    """
    handovers = workspace.handovers()
    taken = [handover for handover in handovers if handover.taken_from]
    more = [Rows(taken, handovers.row_type, caption=handovers.caption)]
    return [workspace.progress(), *(more if taken else [])]
