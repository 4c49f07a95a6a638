"""Command ``adjudicate``: settle differences between judges."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import WORKSPACE, flag, opened, printed, signing
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.results import Tabular


@main.command()
@WORKSPACE
@click.option("--query", "query_id", metavar="ID", help="Only this query.")
@click.option("--kind", metavar="KIND",
              help="Only this kind: question, wording, vote, check, grade or verdict."
)  # fmt: skip
@flag("--names", help="Show which judges gave each answer.")
@flag("--decided", help="Also list what is already decided.")
@click.option(
    "--decide", nargs=2, metavar="KEY VALUE", help="Decide which answer is right."
)
@click.option("--undecide", metavar="KEY", help="Withdraw a decision.")
@click.option("--reason", metavar="TEXT", help="Reason for the decision.")
@signing("Judge who decides.")
@printed
def adjudicate(
    workspace: Path,
    decide: tuple[str, str] | None,
    undecide: str | None,
    reason: str | None,
    judge: str | None,
    names: bool,
    query_id: str | None,
    **options: Any,
) -> Sequence[Tabular]:
    """List where judges differ, with their reasons, and how far they agree.

    docs/adjudication.md says what counts as a difference and what a decision does.
    --decide and --undecide print the differences that remain.

    \b
    Example:
      curator adjudicate demo.db --kind vote
    """
    from curator.tables.adjudication import adjudication_tables

    if decide and undecide:
        raise click.UsageError("Give --decide or --undecide, not both.")
    if reason is not None and not decide:
        raise click.UsageError("--reason needs --decide.")
    with opened(workspace, judge=judge) as one:
        if key := undecide or (decide and decide[0]):
            value = decide[1] if decide else None
            one.decide(key, value, reason, query_id=query_id)
        found = one.adjudication(query_id=query_id, **options)
        return adjudication_tables(found, names=names)
