"""Commands ``compare`` and ``topics``."""

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
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@several("--measure", "-m", "measures",
         help="Measure, as for `curator leaderboard`; repeat for several. [that of the "
              "first board, cover, P@20 and nDCG@10]")  # fmt: skip
@several(
    "--grader",
    "graders",
    help="Grader whose grades are used; repeat for several. [the first]",
)
@labels
@DEPTH
@flag(
    "--tests",
    help="Test all pairs of systems for significance under the first measure.",
)
@click.option("--between", nargs=2, metavar="SYSTEM SYSTEM",
              help="List the queries on which these two differ most.")  # fmt: skip
@BY
@several("--questions", metavar="GROUP", help=f"{GROUP} Repeat for several.")
@printed
def compare(workspace: Workspace, **options: Any) -> Sequence[Tabular]:
    """Compare measures: scores, ranks and correlations of their boards.

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
def topics(workspace: Workspace, system: str, **options: Any) -> Tabular:
    """Compare one system's score in every query with the range of all systems.

    The query furthest below the median comes first.

    \b
    Example:
      curator topics demo.db bm25 --measure P@10
    """
    from curator.tables.compare import topic_table

    return topic_table(workspace.topics(system, **options))
