"""``adjudicate``: where judges differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from curator.cli.options import flag, in_workspace, printed
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command()
@in_workspace
@click.option("--query", "query_id", metavar="ID", help="In this query alone.")
@click.option("--kind", metavar="KIND",
              help="question, wording, vote, check, grade or verdict.")  # fmt: skip
@flag("--names", help="Say who is on which side.")
@printed
def adjudicate(
    workspace: Workspace, query_id: str | None, kind: str | None, names: bool
) -> Sequence[Table]:
    """Where judges differ, both sides with their reasons, and how far they agree.

    docs/adjudication.md says what counts as a difference.

    \b
    Example:
      curator adjudicate demo.db --kind vote
    """
    from curator.tables.adjudication import adjudication_tables

    found = workspace.adjudication(query_id=query_id, kind=kind)
    return adjudication_tables(found, names=names)
