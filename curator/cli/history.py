"""``history``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import in_workspace, printed, shown
from curator.cli.program import main
from curator.errors import UnknownNameError

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@click.option("--query", "query_id", help="Only this query.")
@click.option("--by", help="Only changes by this judge.")
@click.option(
    "--kind", help="Only changes of this kind, with undo and redo: retire, vote, …"
)
@click.option("--since", metavar="WHEN",
              help="Only changes since this day or time in UTC: 2026-03-14, "
                   "2026-03-14T10:30."
)  # fmt: skip
@click.option("--before", metavar="WHEN", help="Only changes before this day or time.")
@shown("--limit", default=50, type=click.IntRange(min=0), help="Number of changes.")
@printed
def history(workspace: Workspace, kind: str | None, **options: Any) -> Tabular:
    """List the changes that people made, the latest first.

    \b
    Example:
      curator history demo.db
    """
    from curator.bank.edits.kinds import KINDS
    from curator.tables.history import history_table

    if kind is not None and kind not in KINDS:
        raise UnknownNameError(f"No kind '{kind}'. Available: {', '.join(KINDS)}.")
    texts = {question.question_id: question.title for question in workspace.bank()}
    return history_table(workspace.history(kind=kind, **options), texts)
