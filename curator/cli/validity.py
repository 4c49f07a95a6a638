"""Command ``validity``: compare graders, label rules and measures."""

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
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@several("--measure", "-m", "measures",
         help="Name of a measure; repeat for several. [nDCG@10, P@20, cover, "
              "graded-alpha-nDCG@20]")  # fmt: skip
@several("--grader", "graders",
         help="Grader whose grades are used, the start of its name is enough; repeat "
              "for several. [all]")  # fmt: skip
@several("--label", "labels", type=click.Choice(get_args(Label)),
         help="Rule by which ratings make a label; repeat for several. [all]"
)  # fmt: skip
@several("--against",
         help="official, judgments:<measure> or grader:<name>[:<measure>]; repeat for "
              "several. [the official ranks and judgments]")  # fmt: skip
@MIN_RATING
@DEPTH
@shown("--bootstrap", type=click.IntRange(0, 10_000), default=1000,
       help="Number of resamples of the queries for 95 % intervals; 0: none."
)  # fmt: skip
@shown("--seed", type=click.IntRange(min=0), default=0,
       help="Random seed.")  # fmt: skip
@printed
def validity(
    workspace: Workspace, measures: tuple[str, ...], **options: Any
) -> Tabular:
    """Compare measures, label rules and graders with known rankings.

    Prints the rank correlation of each board with official ranks, judgments or the
    grades of people.

    \b
    Example:
      curator validity demo.db --measure nDCG@10 --measure cover
    """
    from curator.tables.validity import validity_table

    return validity_table(workspace.validity(measures, **options))
