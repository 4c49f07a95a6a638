"""``checks``: the pairs that people look at, and what that says of graders."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    FORMATS,
    PATH,
    WORKSPACE,
    Function,
    flag,
    labels,
    opened,
    printed,
    printed_in,
    several,
    signing,
)
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.group()
@WORKSPACE
@click.pass_context
def checks(context: click.Context, workspace: Path) -> None:
    """Check by hand what graders say of passages: some pairs, drawn by lot.

    `next` draws pairs, without a word of how any grader rates them, and `record` takes
    what somebody says of them. `quality` tells from it how far each grader can be
    believed.

    \b
    Example:
      curator checks demo.db next --count 5
    """
    context.obj = workspace


def of_workspace(function: Function) -> Function:
    """The workspace of the group, which the command is given open.

    With ``--judge`` as whoever that names.
    """

    @wraps(function)
    def command(**options: Any) -> Any:
        path: Path = click.get_current_context().obj
        with opened(path, judge=options.pop("judge", None)) as one:
            return function(one, **options)

    return command


JUDGE = signing("Who looks.")


@checks.command("next")
@click.option("--count", type=click.IntRange(min=1), default=20, show_default=True,
              help="How many pairs.")  # fmt: skip
@several("--grader", "graders", metavar="GRADER",
         help="Drawn by what is learned of these, some alike from every rating of the "
         "first; may be cut short. [of the first board]")  # fmt: skip
@click.option("--of", type=click.Choice(["pairs", "passages"]),
              help="Questions with passages, or passages alone. [what it grades]"
              )  # fmt: skip
@click.option("--query", "query_id", metavar="ID", help="Of this query alone.")
@flag("--assigned", help="Of the queries that are the judge's to check alone, as many "
      "as are left of each; without a probability, as with --query.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), metavar="S",
              help="The same draws the same of the same. [a new one]")  # fmt: skip
@JUDGE
@printed
@of_workspace
def next_pairs(workspace: Workspace, **options: Any) -> Table:
    """Pairs to look at next, which the judge has not checked yet.

    Each comes with the probability with which it was drawn, to be given back to
    `record` with the answer.

    \b
    Example:
      curator checks demo.db next --count 5 --seed 1 --format json
    """
    from curator.tables.checks import next_table

    return next_table(workspace.next_checks(**options))


@checks.command()
@click.argument("file", type=PATH)
@JUDGE
@printed_in(FORMATS[:2])
@of_workspace
def record(workspace: Workspace, file: Path) -> Table:
    """Save what people say of pairs, a line of JSON each: all of them, or none.

    A line has query_id, item_id (null where the passage alone is asked about),
    passage_id and answer: yes, no or unsure, of a passage a grade such as 0 to 3. It
    may have judge, probability (as `next` gave it), drawn (how many pairs were drawn
    together; as many as the file has) and seconds.

    \b
    Example:
      curator checks demo.db record checks.jsonl
    """
    from curator.tables.checks import recorded_table

    return recorded_table(workspace.record_checks(file))


@checks.command()
@click.option("--of", type=click.Choice(["pairs", "passages"]),
              help="Questions with passages, or passages alone. [pairs if any was "
              "checked]")  # fmt: skip
@several("--grader", "graders", help="Whose labels; may be cut short; once for each. "
         "[all]")  # fmt: skip
@labels
@click.option("--min-relevance", type=int, metavar="N",
              help="The grade from which a passage is relevant to people. [that of the "
              "judgments]")  # fmt: skip
@JUDGE
@printed
@of_workspace
def quality(workspace: Workspace, **options: Any) -> Sequence[Table]:
    """How far each grader's labels can be believed, told from all checks.

    Precision and recall from the minimum rating on, with 95 % limits; how many labels
    are wrong at most, with 95 % confidence; and the minimum rating that fits people
    best.

    \b
    Example:
      curator checks demo.db quality
    """
    from curator.tables.checks import quality_tables

    return quality_tables(workspace.check_quality(**options))
