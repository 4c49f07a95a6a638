"""``norming``: the same items for everybody, blind, then revealed and discussed."""

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
    from curator.tables.table import Table
    from curator.workspace import Workspace

ROUND = click.argument("round_id", metavar="[ROUND]", type=int, required=False)
JUDGE = signing("Who does it.")


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
    """Norming rounds: the same items for everybody, answered blind, then discussed.

    Everybody answers on the page Norming, without seeing anybody else's answers;
    `reveal` shows all of them side by side, with Krippendorff's alpha before and after.
    docs/norming.md says how a round goes. Without a command the rounds are listed.

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
def list_rounds(workspace: Workspace) -> Table:
    """Every round, the last first.

    \b
    Example:
      curator norming demo.db list
    """
    from curator.tables.norming import rounds_table

    return rounds_table(workspace.norming_rounds())


@norming.command("open")
@click.option("--of", type=click.Choice(["pairs", "passages", "votes"]),
              help="Questions with passages, passages alone, or how important "
              "questions are. [what the first board's grader grades]")  # fmt: skip
@shown("--count", default=10, help="How many items are drawn.")
@several("--item", "items", nargs=3, metavar="QUERY QUESTION PASSAGE",
         help="This item; - for no question or no passage; once for each.")  # fmt: skip
@click.option("--query", "query_id", metavar="ID", help="Drawn in this query alone.")
@click.option("--seed", type=int, metavar="S",
              help="The same draws the same of the same. [a new one]")  # fmt: skip
@printed
@of_workspace
def open_round(
    workspace: Workspace, items: Sequence[tuple[str, str, str]], **options: Any
) -> Sequence[Table]:
    """Open a round: items that nobody has checked, drawn over all ratings, or given.

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
@flag("--answers", help="Everybody's answers before the reveal too: whoever has seen "
      "them can lead no blind round.")  # fmt: skip
@printed
@of_workspace
def show(workspace: Workspace, **options: Any) -> Sequence[Table]:
    """The last round or this one: who has finished, and once revealed who says what.

    The items that judges differ on most stand first. `no → yes` is an answer changed
    after the reveal; in brackets stands one that was given after it alone.

    \b
    Example:
      curator norming demo.db show
    """
    from curator.tables.norming import norming_tables

    return norming_tables(workspace.norming(**options))


@norming.command()
@ROUND
@several("--item", "items", nargs=2, metavar="NUMBER ANSWER",
         help="An answer of whoever does it, as in --item 3 yes; once for each."
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
) -> Sequence[Table]:
    """Answer items of the last round or this one, by the numbers that `show` prints.

    \b
    Example:
      curator norming demo.db answer --item 1 yes --item 2 no --judge ann
    """
    from curator.tables.norming import norming_tables

    if bool(items) == bool(file):
        raise click.UsageError("Give answers, by --item or by --file.")
    rows = [{"item": number, "answer": text} for number, text in items]
    return norming_tables(workspace.record_norming(file or rows, round_id))


@norming.command()
@ROUND
@printed
@of_workspace
def reveal(workspace: Workspace, round_id: int | None) -> Sequence[Table]:
    """Show everybody's answers in the last round or this one to everybody.

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
def close(workspace: Workspace, round_id: int | None) -> Sequence[Table]:
    """End the last round or this one: nothing more is answered or said in it.

    \b
    Example:
      curator norming demo.db close
    """
    from curator.tables.norming import norming_tables

    return norming_tables(workspace.close_norming(round_id))
