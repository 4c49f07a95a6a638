"""Command ``next``: list what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import WORKSPACE, board_options, flag, opened, printed, signing
from curator.cli.program import main
from curator.edit_words import DISMISS

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.verbs.next.next_steps import NextStep


@main.command("next")
@WORKSPACE
@click.option("--query", "query_id", metavar="ID", help="Only this query.")
@click.option("--limit", type=click.IntRange(min=1), help="Number of steps. [all]")
@flag("--dismissed", help=f"List {DISMISS.past} steps, by whom and why.")
@click.option(
    "--dismiss", metavar="KEY", help=f"{DISMISS.base.capitalize()} this step."
)
@click.option("--bring-back", metavar="KEY", help=f"Bring back a {DISMISS.past} step.")
@click.option("--reason", metavar="TEXT", help="Reason for --dismiss.")
@signing(f"Judge who {DISMISS.third}.")
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
) -> Tabular:
    """List what to do next in the bank, the steps that move scores most first.

    docs/next.md describes the kinds of steps, and how often each is right. A dismissed
    step comes back when its reasons change. --dismiss and --bring-back print the steps
    that remain.

    \b
    Example:
      curator next demo.db --query autumn-leaves --limit 3
    """
    if (dismiss is None) != (reason is None):
        raise click.UsageError("--dismiss KEY and --reason TEXT go together.")
    if dismiss is not None and bring_back is not None:
        raise click.UsageError("Give --dismiss or --bring-back, not both.")
    with opened(workspace, judge=judge) as one:
        key = bring_back if dismiss is None else dismiss
        if key is not None:
            from curator.bank.edits import Dismiss

            there = one.next_steps(**options | {"dismissed": dismiss is None})
            step = named(there, key)
            one.apply(Dismiss(step.query_id, step.key, step.state, reason))
        return one.next_steps(limit=limit, **options)


def named(steps: Iterable[NextStep], key: str) -> NextStep:
    """The step of this key. Raises UnknownNameError where none is there."""
    from curator.errors import UnknownNameError

    for step in steps:
        if step.key == key:
            return step
    raise UnknownNameError(
        f"No such next step: '{key}'. `curator next WORKSPACE` lists the keys, with "
        f"--dismissed those of {DISMISS.past} steps."
    )
