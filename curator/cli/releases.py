"""``release`` and ``diff``: banks frozen, compared and restored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from curator.cli.options import FORMATS, WORKSPACE, board_options, opened
from curator.cli.program import main


@main.command()
@WORKSPACE
@click.argument("name", required=False)
@click.option("--why", default="", metavar="TEXT", help="What it is made for.")
@click.option("--restore", is_flag=True,
              help="Make the kept bank that of this release again.")  # fmt: skip
@click.option("--allow-partial", is_flag=True, help="Though grades are missing.")
@board_options
@click.option("--format", "form", type=click.Choice(FORMATS), default="table")
def release(
    workspace: Path,
    name: str | None,
    why: str,
    restore: bool,
    allow_partial: bool,
    form: str,
    **options: Any,
) -> None:
    """Freeze the kept bank with its settings and labels, under a name.

    Its qrels and its board never change again, whatever is graded or edited later.
    Without a name, lists the releases. --restore takes one back into the bank, as edits
    that undo as one.

    \b
    Example:
      curator release demo.db v1 --measure P@10 --why "the pilot"
    """
    from curator.tables.curate import batch_table
    from curator.tables.releases import release_table
    from curator.tables.table import show

    if name is None and (restore or why):
        raise click.UsageError("--restore and --why are of a release: give its NAME.")
    if restore and (why or allow_partial):
        raise click.UsageError("--why and --allow-partial are of a new release.")
    with opened(workspace) as one:
        if name is None:
            show(form, release_table(one.releases()))
        elif restore:
            show(form, batch_table(one.restore_release(name)))
        else:
            made = one.release(name, why=why, allow_partial=allow_partial, **options)
            show(form, release_table([made]))


@main.command()
@WORKSPACE
@click.argument("name")
@click.argument("other", required=False)
@click.option("--format", "form", type=click.Choice(FORMATS[:3]), default="table")
def diff(workspace: Path, name: str, other: str | None, form: str) -> None:
    """What differs from a release to OTHER, or to the workspace as it is.

    Questions, labels, scores and ranks, under the settings of the release.

    \b
    Example:
      curator diff demo.db v1
    """
    from curator.tables.releases import difference_tables
    from curator.tables.table import show

    with opened(workspace) as one:
        found = one.release_difference(name, other)
    show(form, *difference_tables(found, name, other))
