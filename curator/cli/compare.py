"""``compare`` and ``topics``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from curator.cli.options import (
    DEPTH,
    MIN_RATING,
    WORKSPACE,
    board_options,
    format_option,
    opened,
)
from curator.cli.program import main


@main.command()
@WORKSPACE
@click.option("--measure", "-m", "measures", multiple=True,
              help="A measure, as of leaderboard; again for each. [cover, P@20 and "
              "nDCG@10]")  # fmt: skip
@click.option("--grader", "graders", multiple=True,
              help="Whose grades; again for each. [the first]")  # fmt: skip
@MIN_RATING
@DEPTH
@click.option("--tests", is_flag=True,
              help="Test all pairs of systems under the first measure.")  # fmt: skip
@click.option("--between", nargs=2, metavar="SYSTEM SYSTEM",
              help="List the queries on which these two differ most.")  # fmt: skip
@format_option
def compare(workspace: Path, form: str, **options: Any) -> None:
    """Measures side by side: scores, ranks, and how alike the boards are.

    Kendall's tau and Spearman's rho come with 95 % bootstrap intervals over queries.

    \b
    Example:
      curator compare demo.db -m cover -m P@20 -m nDCG@10 --tests
    """
    from curator.tables.compare import comparison_tables
    from curator.tables.table import show

    with opened(workspace) as one:
        show(form, *comparison_tables(one.compare(**options)))


@main.command()
@WORKSPACE
@click.argument("system")
@board_options
@format_option
def topics(workspace: Path, system: str, form: str, **options: Any) -> None:
    """One system's score in every query, against all systems' range and median.

    The furthest below the median first.

    \b
    Example:
      curator topics demo.db bm25 --measure P@10
    """
    from curator.tables.compare import topic_table
    from curator.tables.table import show

    with opened(workspace) as one:
        found = one.topics(system, one.settings(**options))
        show(form, topic_table(found))
