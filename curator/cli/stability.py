"""``stability``: how far the ranks rest on which questions were asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    BY,
    QUESTIONS,
    board_options,
    in_workspace,
    printed,
    shown,
)
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command()
@in_workspace
@board_options
@click.option("--query", "query_id", help="Of this query alone.")
@BY
@QUESTIONS
@click.option("--draws", type=int, help="How often questions are drawn. [200; 20 for "
              "measures that take long]")  # fmt: skip
@shown("--more", default=2, help="How many more questions a query might get.")
@shown("--seed", default=0, help="Of the draws.")
@click.option("--against", help="Also how well boards of 1, 2, … questions a query "
              "correlate with official, judgments:… or grader:….")  # fmt: skip
@printed
def stability(workspace: Workspace, **options: Any) -> Sequence[Table]:
    """How stable the ranks are if other questions had been asked.

    A line per query: how alike its board and that of as many other questions are
    expected to be, and how probable it is that more questions in it change the top ten
    of the whole board. Then the same of the whole board, and what more questions in
    every query would make of it.

    \b
    Example:
      curator stability demo.db --measure cover --more 1
    """
    from curator.tables.stability import stability_tables

    return stability_tables(workspace.stability(**options))
