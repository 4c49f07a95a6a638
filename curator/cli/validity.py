"""``validity``: graders, label rules and measures side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

import click

from curator.cli.options import (
    DEPTH,
    MIN_RATING,
    in_workspace,
    printed,
    several,
    shown,
)
from curator.cli.program import main
from curator.evaluation.settings import Label

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command()
@in_workspace
@several("--measure", "-m", "measures",
         help="A measure's name; once for each. [nDCG@10, P@20, cover, "
         "graded-alpha-nDCG@20]")  # fmt: skip
@several("--grader", "graders",
         help="Whose grades; may be cut short; once for each. [all]")  # fmt: skip
@several("--label", "labels", type=click.Choice(get_args(Label)),
         help="How ratings make a label; once for each. [all]")  # fmt: skip
@several("--against",
         help="official, judgments:<measure> or grader:<name>[:<measure>]; again for "
         "each. [the official ranks and judgments]")  # fmt: skip
@MIN_RATING
@DEPTH
@shown("--bootstrap", type=click.IntRange(0, 10_000), default=1000,
       help="How often queries are resampled for 95 % intervals; 0: none.")  # fmt: skip
@shown("--seed", type=click.IntRange(min=0), default=0,
       help="Of the resampling.")  # fmt: skip
@printed
def validity(workspace: Workspace, measures: tuple[str, ...], **options: Any) -> Table:
    """Which boards to trust: measures, label rules and graders side by side.

    Each board's rank correlations with what is known to be right: official ranks,
    judgments, or the grades of people.

    \b
    Example:
      curator validity demo.db --measure nDCG@10 --measure cover
    """
    from curator.tables.validity import validity_table

    return validity_table(workspace.validity(measures, **options))
