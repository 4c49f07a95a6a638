"""``leaderboard``, ``scores``, ``correlate``, ``agreement`` and ``sweep``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from curator.cli.options import (
    AGAINST,
    DEPTH,
    FORMATS,
    GRADER,
    MEASURES,
    MIN_RATING,
    WORKSPACE,
    board_options,
    format_option,
    opened,
)
from curator.cli.program import main


@main.command()
@WORKSPACE
@board_options
@click.option("--query", "query_id", help="The board of this query alone.")
@click.option("--subtopic", "subtopic_id", help="On this subtopic's questions alone.")
@format_option
def leaderboard(workspace: Path, form: str, **options: Any) -> None:
    """Every system's score, standard error and rank.

    \b
    Example:
      curator leaderboard demo.db --measure P@10
    """
    from curator.tables.leaderboard import leaderboard_table
    from curator.tables.table import show

    with opened(workspace) as one:
        show(form, leaderboard_table(one.leaderboard(**options)))


@main.command()
@WORKSPACE
@board_options
@click.option("--by", type=click.Choice(["query", "subtopic"]), default="query")
@click.option("--system", help="The scores of this system alone.")
@click.option("--format", "form", type=click.Choice([*FORMATS, "trec_eval"]),
              default="table", show_default=True,
              help="How they are printed; trec_eval: as its -q, with --system."
)  # fmt: skip
def scores(workspace: Path, system: str | None, form: str, **options: Any) -> None:
    """One line per system and query, means last.

    \b
    Example:
      curator scores demo.db --measure P@10 --system bm25 --format trec_eval
    """
    from curator.tables.leaderboard import score_table, trec_eval_lines
    from curator.tables.table import show

    with opened(workspace) as one:
        table = one.scores(**options)
        if system is not None:
            table = table.of_system(system)
        if form == "trec_eval":
            for line in trec_eval_lines(table):
                click.echo(line)
        else:
            show(form, score_table(table))


@main.command()
@WORKSPACE
@click.option("--measure", "-m", "measures", multiple=True, default=["cover"],
              show_default=True,
              help="A measure, as of leaderboard, or judgments:<ir-measures name>, "
              "which only this command knows; again for each.")  # fmt: skip
@GRADER
@MIN_RATING
@DEPTH
@click.option("--against", multiple=True, default=["official"], show_default=True,
              help="official, or judgments:<ir-measures name>; again for each."
)  # fmt: skip
@click.option("--ties", type=click.Choice(["average", "random"]), default="average",
              help="How equal systems are ranked: average shares the rank; random "
              "shuffles those within a standard error (Sander & Dietz 2021, 4.1.1)."
)  # fmt: skip
@format_option
def correlate(
    workspace: Path, measures: tuple[str, ...], form: str, **options: Any
) -> None:
    """How alike boards are to references: Spearman, Kendall and tau AP.

    A line for each measure and reference. judgments:nDCG@10 is the board that the
    official judgments make, on either side.

    \b
    Example:
      curator correlate demo.db -m cover -m P@10 --against official \\
        --against judgments:nDCG@10
    """
    from curator.tables.leaderboard import correlation_table
    from curator.tables.table import show

    with opened(workspace) as one:
        show(form, correlation_table(one.correlations(measures, **options)))


@main.command()
@WORKSPACE
@GRADER
@click.option("--min-rating", type=int, default=4, show_default=True,
              help="The rating from which a label counts as relevant.")  # fmt: skip
@click.option("--min-relevance", type=int,
              help="The judgment from which a passage does.")  # fmt: skip
@click.option("--tables", "with_tables", is_flag=True,
              help="All labels by all judgments, then leniently (label 1 or more) "
              "and strictly (4 or more).")  # fmt: skip
@format_option
def agreement(
    workspace: Path,
    grader: str | None,
    min_rating: int,
    min_relevance: int | None,
    with_tables: bool,
    form: str,
) -> None:
    """Derived labels against official judgments: a 2x2 table and Cohen's kappa.

    --tables prints them as Farzi & Dietz 2024 do, with the kappa of every direct
    relevance grader beside them.

    \b
    Example:
      curator agreement demo.db --tables
    """
    from curator.tables.leaderboard import agreement_table, agreement_tables
    from curator.tables.table import show

    with opened(workspace) as one:
        if with_tables:
            tables = one.agreement_tables(grader=grader, min_relevance=min_relevance)
            show(form, *agreement_tables(tables))
            return
        found = one.agreement(
            grader=grader, min_rating=min_rating, min_relevance=min_relevance
        )
        settings = one.settings(grader=grader, measure="P@20", min_rating=min_rating)
        if min_relevance is None:
            min_relevance = one.collection().min_relevance
        show(form, agreement_table(found, settings, min_relevance))


@main.command()
@WORKSPACE
@MEASURES
@GRADER
@click.option("-k", "k", type=int, default=20, show_default=True,
              help="How many passages of a ranking Cover looks at.")  # fmt: skip
@AGAINST
@format_option
def sweep(
    workspace: Path, measures: tuple[str, ...], form: str, **options: Any
) -> None:
    """How alike board and reference are at every minimum rating, 1 to 5.

    \b
    Example:
      curator sweep demo.db --measure cover --measure P@10
    """
    from curator.tables.leaderboard import sweep_table
    from curator.tables.table import show

    with opened(workspace) as one:
        show(form, sweep_table(one.sweep(measures, **options)))
