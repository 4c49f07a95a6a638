"""``next``: what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import board_options, in_workspace, printed
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command("next")
@in_workspace
@click.option("--query", "query_id", metavar="ID", help="In this query alone.")
@click.option("--limit", type=click.IntRange(min=1), help="So many. [all]")
@board_options
@printed
def next_steps(workspace: Workspace, **options: Any) -> Table:
    """What to do next in the bank, what the board hangs on most first.

    docs/next.md says what each kind of step is, and how often it is right.

    \b
    Example:
      curator next demo.db --query autumn-leaves --limit 3
    """
    from curator.tables.next import next_table

    return next_table(workspace.next_steps(**options))
