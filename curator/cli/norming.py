"""Commands ``norming``: rounds in which all judges answer the same items."""

from __future__ import annotations

from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    WORKSPACE,
    Function,
    file_given,
    flag,
    opened,
    printed,
    several,
    shown,
    signing,
)
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.workspace import Workspace

ROUND = click.argument("round_id", metavar="[ROUND]", type=int, required=False)
JUDGE = signing("Name of the judge.")


def of_workspace(function: Function) -> Function:
    """The workspace of the group, which the command is given open; ``--judge``."""

    @wraps(function)
    def command(judge: str | None = None, **options: Any) -> Any:
        with opened(click.get_current_context().obj, judge=judge) as one:
            return function(one, **options)

    return JUDGE(command)


@main.group(invoke_without_command=True)
@WORKSPACE
@click.pass_context
def norming(context: click.Context, workspace: Path) -> None:
    """Run norming rounds: all judges answer the same items, then discuss them.

    Judges answer on the page Check without seeing each other's answers. `reveal`
    shows all answers side by side, with Krippendorff's alpha before and after.
    docs/norming.md describes a round. Without a command, lists the rounds.

    \b
    Example:
      curator norming demo.db
    """
    context.obj = workspace
    if context.invoked_subcommand is None:
        context.invoke(list_rounds)


@norming.command("list")
@printed
@of_workspace
def list_rounds(workspace: Workspace) -> Tabular:
    """List all rounds, the latest first.

    \b
    Example:
      curator norming demo.db list
    """
    from curator.tables.norming import rounds_table

    return rounds_table(workspace.norming_rounds())


@norming.command("open")
@click.option("--of", type=click.Choice(["pairs", "passages", "votes"]),
              help="Pairs of question and passage, passages alone, or votes on the "
                   "importance of questions. [what the first board's grader grades]"
)  # fmt: skip
@shown("--count", default=10, help="Number of items to draw.")
@several("--item", "items", nargs=3, metavar="QUERY QUESTION PASSAGE",
         help="Use this item; - for no question or no passage; repeat for several."
)  # fmt: skip
@click.option("--query", "query_id", metavar="ID", help="Draw only from this query.")
@click.option("--seed", type=int, metavar="S",
              help="Random seed; the same seed repeats a draw. [a new one]"
)  # fmt: skip
@printed
@of_workspace
def open_round(
    workspace: Workspace, items: Sequence[tuple[str, str, str]], **options: Any
) -> Sequence[Tabular]:
    """Open a round with unchecked items of all ratings, or with the items given.

    \b
    Example:
      curator norming demo.db open --seed 1
    """
    from curator.tables.norming import norming_tables

    def named(name: str) -> str | None:
        return None if name == "-" else name

    given = [(query, named(one), named(other)) for query, one, other in items]
    return norming_tables(workspace.open_norming(items=given, **options))


@norming.command()
@ROUND
@flag("--answers", help="Show all answers even before the reveal. You then know them "
                        "while judges are still blind.")  # fmt: skip
@printed
@of_workspace
def show(workspace: Workspace, **options: Any) -> Sequence[Tabular]:
    """Show a round, by default the latest: who has finished, and all answers.

    Answers of others are shown once the round is revealed. Items with most disagreement
    come first. `no → yes` is an answer changed after the reveal; an answer in brackets
    was given only after it.

    \b
    Example:
      curator norming demo.db show
    """
    from curator.tables.norming import norming_tables

    return norming_tables(workspace.norming(**options))


@norming.command()
@ROUND
@several("--item", "items", nargs=2, metavar="NUMBER ANSWER",
         help="Your answer to an item, as in --item 3 yes; repeat for several."
         )  # fmt: skip
@file_given("--file", metavar="FILE",
            help="Answers of several judges: rows of item, judge and answer, as JSON "
            "lines or a table with a heading.")  # fmt: skip
@printed
@of_workspace
def answer(
    workspace: Workspace,
    round_id: int | None,
    items: Sequence[tuple[str, str]],
    file: Path | None,
) -> Sequence[Tabular]:
    """Answer items of a round, by the numbers that `show` prints.

    ROUND is the latest by default.

    \b
    Example:
      curator norming demo.db answer --item 1 yes --item 2 no --judge ann
    """
    from curator.tables.norming import norming_tables

    if bool(items) == bool(file):
        raise click.UsageError("Give answers by either --item or --file.")
    rows = [{"item": number, "answer": text} for number, text in items]
    return norming_tables(workspace.record_norming(file or rows, round_id))


@norming.command()
@ROUND
@printed
@of_workspace
def reveal(workspace: Workspace, round_id: int | None) -> Sequence[Tabular]:
    """Show all answers of a round to all judges.

    ROUND is the latest by default.

    \b
    Example:
      curator norming demo.db reveal
    """
    from curator.tables.norming import norming_tables

    return norming_tables(workspace.reveal_norming(round_id))


@norming.command()
@ROUND
@printed
@of_workspace
def close(workspace: Workspace, round_id: int | None) -> Sequence[Tabular]:
    """Close a round: it takes no more answers or comments.

    ROUND is the latest by default.

    \b
    Example:
      curator norming demo.db close
    """
    from curator.tables.norming import norming_tables

    return norming_tables(workspace.close_norming(round_id))
