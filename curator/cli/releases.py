"""Commands ``release`` and ``diff``: freeze, compare and restore banks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    FORMATS,
    WORKSPACE,
    board_options,
    flag,
    in_workspace,
    opened,
    printed_in,
)
from curator.cli.program import main
from curator.results import Rows

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@WORKSPACE
@click.argument("name", required=False)
@click.option("--why", default="", metavar="TEXT", help="Purpose of the release.")
@flag("--restore", help="Make the bank equal to this release again.")
@flag("--allow-partial", help="Release even if grades are missing.")
@board_options
@printed_in(FORMATS)
def release(
    workspace: Path,
    name: str | None,
    why: str,
    restore: bool,
    allow_partial: bool,
    **options: Any,
) -> Tabular:
    """Freeze the kept questions with settings and labels, under a name.

    The qrels and the board of a release never change, also after later grades or
    edits. Without a name, lists the releases. --restore makes the bank equal to a
    release again, by edits that are undone together.

    \b
    Example:
      curator release demo.db v1 --measure P@10 --why "the pilot"
    """
    from curator.tables.curate import batch_table

    if name is None and (restore or why):
        raise click.UsageError("--restore and --why need the NAME of a release.")
    if restore and (why or allow_partial):
        raise click.UsageError("--why and --allow-partial do not go with --restore.")
    with opened(workspace) as one:
        if name is None:
            return one.releases()
        if restore:
            return batch_table(one.restore_release(name))
        made = one.release(name, why=why, allow_partial=allow_partial, **options)
        return Rows([made], type(made))


@main.command()
@in_workspace
@click.argument("name")
@click.argument("other", required=False)
@printed_in(FORMATS[:3])
def diff(workspace: Workspace, name: str, other: str | None) -> Sequence[Tabular]:
    """Compare a release with OTHER, or with the workspace as it is now.

    Compares questions, labels, scores and ranks under the settings of the release.

    \b
    Example:
      curator diff demo.db v1
    """
    from curator.tables.releases import difference_tables

    found = workspace.release_difference(name, other)
    return difference_tables(found, name, other)
