"""``compare`` and ``topics``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    BY,
    DEPTH,
    GROUP,
    board_options,
    flag,
    in_workspace,
    labels,
    printed,
    several,
)
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command()
@in_workspace
@several("--measure", "-m", "measures",
         help="A measure, as of leaderboard; again for each. [the first board, "
         "cover, P@20 and nDCG@10]")  # fmt: skip
@several("--grader", "graders", help="Whose grades; again for each. [the first]")
@labels
@DEPTH
@flag("--tests", help="Test all pairs of systems under the first measure.")
@click.option("--between", nargs=2, metavar="SYSTEM SYSTEM",
              help="List the queries on which these two differ most.")  # fmt: skip
@BY
@several("--questions", metavar="GROUP", help=f"{GROUP} Again for each.")
@printed
def compare(workspace: Workspace, **options: Any) -> Sequence[Table]:
    """Measures side by side: scores, ranks, and how alike the boards are.

    Kendall's tau and Spearman's rho come with 95 % bootstrap intervals over queries.

    \b
    Example:
      curator compare demo.db -m cover -m P@20 -m nDCG@10 --tests
    """
    from curator.tables.compare import comparison_tables

    return comparison_tables(workspace.compare(**options))


@main.command()
@in_workspace
@click.argument("system")
@board_options
@BY
@printed
def topics(workspace: Workspace, system: str, **options: Any) -> Table:
    """One system's score in every query, against all systems' range and median.

    The furthest below the median first.

    \b
    Example:
      curator topics demo.db bm25 --measure P@10
    """
    from curator.tables.compare import topic_table

    return topic_table(workspace.topics(system, **options))
