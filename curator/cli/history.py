"""``history``."""

from __future__ import annotations

from pathlib import Path

import click

from curator.cli.options import WORKSPACE, format_option, opened
from curator.cli.program import main


@main.command()
@WORKSPACE
@click.option("--query", "query_id", help="Only this query's.")
@click.option("--limit", type=int, default=50, show_default=True, help="How many.")
@format_option
def history(workspace: Path, query_id: str | None, limit: int, form: str) -> None:
    """What people changed, when and who; the latest first.

    \b
    Example:
      curator history demo.db
    """
    from curator.tables.history import history_table
    from curator.tables.table import show

    with opened(workspace) as one:
        events = one.history(query_id=query_id, limit=limit)
        texts = {question.question_id: question.title for question in one.bank()}
    show(form, history_table(events, texts))
