"""Commands ``checks``: draw and record people's checks, and rate graders by them."""

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
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.group()
@WORKSPACE
@click.pass_context
def checks(context: click.Context, workspace: Path) -> None:
    """Check a random sample of the graders' ratings by hand.

    `next` draws pairs of question and passage and hides how graders rate them, and
    `record` saves people's answers. `quality` estimates from these answers how reliable
    each grader is. `gold` tells how
    often each judge is right on pairs with a known answer.

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


JUDGE = signing("Judge who checks.")


@checks.command("next")
@click.option("--count", type=click.IntRange(min=1), default=20, show_default=True,
              help="Number of pairs.")  # fmt: skip
@several("--grader", "graders", metavar="GRADER",
         help="Draw the pairs that tell most about these graders, and some of every "
              "rating of the first; the start of its name is enough. [that of the "
              "first board]")  # fmt: skip
@click.option("--of", type=click.Choice(["pairs", "passages"]),
              help="Check pairs of question and passage, or passages alone. [what the "
                   "grader grades]"
              )  # fmt: skip
@click.option("--query", "query_id", metavar="ID", help="Only this query.")
@flag("--assigned", help="Only queries that the judge is assigned to check, as many "
                         "pairs as are left of each; without probabilities, as with "
                         "--query.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), metavar="S",
              help="Random seed; the same seed repeats a draw. [a new one]"
)  # fmt: skip
@JUDGE
@printed
@of_workspace
def next_pairs(workspace: Workspace, **options: Any) -> Tabular:
    """Draw pairs that the judge has not checked yet.

    Each pair comes with the probability with which it was drawn. Pass it to `record`
    with the answer.

    \b
    Example:
      curator checks demo.db next --count 5 --seed 1 --format json
    """
    return workspace.next_checks(**options)


@checks.command()
@click.argument("file", type=PATH)
@JUDGE
@printed_in(FORMATS[:2])
@of_workspace
def record(workspace: Workspace, file: Path) -> Tabular:
    """Save people's checks from FILE, one JSON line each; all of them or none.

    A line has query_id, item_id (null for a check of the passage alone), passage_id and
    answer: yes, no or unsure, or for a passage alone a grade such as 0 to 3. Optional
    are judge, probability (as `next` printed it), drawn (how many pairs were drawn
    together; by default as many as the file has) and seconds.

    \b
    Example:
      curator checks demo.db record checks.jsonl
    """
    from curator.tables.checks import recorded_table

    return recorded_table(workspace.record_checks(file))


@checks.command()
@click.argument("file", type=PATH, required=False)
@JUDGE
@printed
@of_workspace
def gold(workspace: Workspace, file: Path | None) -> Tabular:
    """Mix pairs with a known answer into every judge's pairs, and rate the judges.

    FILE has a line for each pair, as a table or JSON lines: query, question (its id or
    text), passage, and answer (yes or no; without one the pair is no longer gold).
    About one in ten pairs on the page Check is then one of them, and nothing tells
    which. Answers to them count in no certificate and no agreement. Prints how many
    each judge answered, and how many right.

    \b
    Example:
      curator checks demo.db gold
    """
    from curator.tables.checks import gold_table

    if file is not None:
        workspace.mark_gold(file)
    return gold_table(workspace.gold())


@checks.command()
@click.option("--of", type=click.Choice(["pairs", "passages"]),
              help="Checks of pairs of question and passage, or of passages alone. "
                   "[pairs, if any was checked]")  # fmt: skip
@several("--grader", "graders", help="Only this grader, the start of its name is "
                                     "enough; repeat for several. [all]")  # fmt: skip
@labels
@click.option("--min-relevance", type=int, metavar="N",
              help="Lowest grade by people of a relevant passage. [that of the "
                   "judgments]")  # fmt: skip
@JUDGE
@printed
@of_workspace
def quality(workspace: Workspace, **options: Any) -> Sequence[Tabular]:
    """Estimate from all checks how reliable each grader's labels are.

    Prints precision and recall for labels of the minimum rating or more, with 95 %
    limits; the largest likely number of wrong labels, with 95 % confidence; and the
    minimum rating that agrees best with people.

    \b
    Example:
      curator checks demo.db quality
    """
    from curator.tables.checks import quality_tables

    return quality_tables(workspace.check_quality(**options))
