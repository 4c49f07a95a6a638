"""Command ``stability``: how much ranks depend on the questions asked."""

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
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@board_options
@click.option("--query", "query_id", help="Only this query.")
@BY
@QUESTIONS
@click.option("--draws", type=int, help="Number of draws of questions. [200; 20 for "
                                        "slow measures]")  # fmt: skip
@shown("--more", default=2, help="Number of further questions per query.")
@shown("--seed", default=0, help="Random seed.")
@click.option("--against", help="Also correlate boards of 1, 2, … questions per query "
                                "with official, judgments:… or grader:….")  # fmt: skip
@printed
def stability(workspace: Workspace, **options: Any) -> Sequence[Tabular]:
    """Estimate how stable the ranks are under other questions.

    Prints for each query the expected correlation of its board with the board of as
    many other questions, and the probability that more questions in it change the top
    ten of the whole board. Then prints the same for the whole board, and the effect of
    more questions in every query.

    \b
    Example:
      curator stability demo.db --measure cover --more 1
    """
    from curator.tables.stability import stability_tables

    return stability_tables(workspace.stability(**options))
