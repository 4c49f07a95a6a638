"""``next``: what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import WORKSPACE, board_options, flag, opened, printed, signing
from curator.cli.program import main
from curator.edit_words import DISMISS

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.verbs.next.next_steps import NextStep


@main.command("next")
@WORKSPACE
@click.option("--query", "query_id", metavar="ID", help="In this query alone.")
@click.option("--limit", type=click.IntRange(min=1), help="So many. [all]")
@flag("--dismissed", help=f"{DISMISS.past.capitalize()} steps, with judge and reason.")
@click.option("--dismiss", metavar="KEY", help="Leave this step alone.")
@click.option("--bring-back", metavar="KEY", help="Offer it again.")
@click.option("--reason", metavar="TEXT", help=f"Why it is {DISMISS.past}.")
@signing(f"Who {DISMISS.third}.")
@board_options
@printed
def next_steps(
    workspace: Path,
    dismiss: str | None,
    bring_back: str | None,
    reason: str | None,
    judge: str | None,
    limit: int | None,
    **options: Any,
) -> Table:
    """What to do next in the bank, what the board hangs on most first.

    docs/next.md describes each kind of step, and how often it is right. After
    --dismiss a step stays away until its data change; --dismiss and --bring-back
    print the remaining steps.

    \b
    Example:
      curator next demo.db --query autumn-leaves --limit 3
    """
    from curator.tables.next import next_table

    if (dismiss is None) != (reason is None):
        raise click.UsageError("--dismiss KEY and --reason TEXT go together.")
    if dismiss is not None and bring_back is not None:
        raise click.UsageError("Give --dismiss or --bring-back.")
    with opened(workspace, judge=judge) as one:
        key = bring_back if dismiss is None else dismiss
        if key is not None:
            from curator.bank.edits import Dismiss

            there = one.next_steps(**options | {"dismissed": dismiss is None})
            step = named(there, key)
            one.apply(Dismiss(step.query_id, step.key, step.state, reason))
        return next_table(one.next_steps(limit=limit, **options))


def named(steps: Iterable[NextStep], key: str) -> NextStep:
    """The step of this key. Raises UnknownNameError where none is there."""
    from curator.errors import UnknownNameError

    for step in steps:
        if step.key == key:
            return step
    raise UnknownNameError(
        f"No such next step: '{key}'. `curator next WORKSPACE` lists their keys, with "
        "--dismissed those that were left alone."
    )
