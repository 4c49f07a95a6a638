"""``judges`` and ``pyramid``: votes on what is vital, and whose votes matter."""

from __future__ import annotations

from pathlib import Path

import click

from curator.cli.options import WORKSPACE, format_option, opened
from curator.cli.program import main


@main.command()
@WORKSPACE
@click.option("--votes", is_flag=True, help="Every vote instead, one on a line.")
@format_option
def judges(workspace: Path, votes: bool, form: str) -> None:
    """Who has voted, how far judges agree on what is vital, where they differ.

    Votes are cast on the Judges page, or by `curator edit WORKSPACE --vital ID`.

    \b
    Example:
      curator judges demo.db
    """
    from curator.tables.judges import judge_tables, vote_table
    from curator.tables.table import show

    with opened(workspace) as one:
        if votes:
            show(form, vote_table(one.bank()))
            return
        found = one.judges()
    show(form, *judge_tables(found))


@main.command()
@WORKSPACE
@click.option("--grader", help="Whose grades; may be cut short. [the first]")
@click.option("--min-rating", type=int, default=4, show_default=True,
              help="The rating from which a question counts as answered.")  # fmt: skip
@click.option("-k", "k", type=int, default=20, show_default=True,
              help="How many passages of a ranking are looked at.")  # fmt: skip
@click.option("--beta", type=float, default=3.0, show_default=True,
              help="How many times recall weighs more than precision.")  # fmt: skip
@format_option
def pyramid(
    workspace: Path,
    grader: str | None,
    min_rating: int,
    k: int,
    beta: float,
    form: str,
) -> None:
    """Each judge's own board against the nugget pyramid, and what more judges add.

    The pyramid's board itself is `curator leaderboard --measure nugget-f`.

    \b
    Example:
      curator pyramid demo.db -k 5
    """
    from curator.evaluation.measures.pyramid import measure_name, require_beta
    from curator.tables.judges import pyramid_tables
    from curator.tables.table import show

    require_beta(beta)
    with opened(workspace) as one:
        settings = one.settings(
            grader=grader,
            measure=measure_name("nugget-f", beta=beta),
            min_rating=min_rating,
            k=k,
        )
        boards, curves = one.judge_boards(settings), one.pyramid_curves(settings)
    show(form, *pyramid_tables(boards, curves))
