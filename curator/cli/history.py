"""``history``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from curator.cli.options import in_workspace, printed, shown
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command()
@in_workspace
@click.option("--query", "query_id", help="Only this query's.")
@shown("--limit", default=50, help="How many.")
@printed
def history(workspace: Workspace, query_id: str | None, limit: int) -> Table:
    """What people changed, when and who; the latest first.

    \b
    Example:
      curator history demo.db
    """
    from curator.tables.history import history_table

    texts = {question.question_id: question.title for question in workspace.bank()}
    return history_table(workspace.history(query_id=query_id, limit=limit), texts)
