"""``leaderboard``, ``scores``, ``correlate`` and ``agreement``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from curator.cli.options import WORKSPACE, board_options, format_option, opened
from curator.cli.program import main


@main.command()
@WORKSPACE
@board_options
@click.option("--query", "query_id", help="The board of this query alone.")
@click.option("--subtopic", "subtopic_id", help="On this subtopic's questions alone.")
@format_option
def leaderboard(
    workspace: Path,
    query_id: str | None,
    subtopic_id: str | None,
    form: str,
    **options: Any,
) -> None:
    """Every system's score, standard error and rank.

    \b
    Example:
      curator leaderboard demo.db --measure P@10
    """
    from curator import rendering

    with opened(workspace) as one:
        board = one.leaderboard(query_id=query_id, subtopic_id=subtopic_id, **options)
        rendering.show(rendering.board(board), form)


@main.command()
@WORKSPACE
@board_options
@click.option("--by", type=click.Choice(["query", "subtopic"]), default="query")
@click.option("--format", "form", type=click.Choice(["table", "json", "tsv"]),
              default="table")  # fmt: skip
def scores(workspace: Path, by: str, form: str, **options: Any) -> None:
    """One line per system and query, as trec_eval -q prints, means last.

    \b
    Example:
      curator scores demo.db --measure P@10
    """
    from curator import rendering

    with opened(workspace) as one:
        table = one.scores(by=by, **options)
        rendering.show(rendering.scores(table), form)


@main.command()
@WORKSPACE
@board_options
@click.option("--against", default="official", show_default=True,
              help="official, or judgments:<measure>.")  # fmt: skip
@click.option("--ties", type=click.Choice(["average", "random"]), default="average",
              help="random: Sander & Dietz 2021, 4.1.1.")  # fmt: skip
@format_option
def correlate(
    workspace: Path, against: str, ties: str, form: str, **options: Any
) -> None:
    """How alike the board is to a reference: Spearman, Kendall and tau AP.

    \b
    Example:
      curator correlate demo.db --measure P@10
    """
    from curator import rendering

    with opened(workspace) as one:
        settings = one.settings(**options)
        found = one.correlate(settings, against=against, ties=ties)
        rendering.show(rendering.correlation(found, settings, against), form)


@main.command()
@WORKSPACE
@click.option("--grader", help="Whose grades; may be cut short. [the first]")
@click.option("--min-rating", type=int, default=4, show_default=True,
              help="The rating from which a label counts as relevant.")  # fmt: skip
@click.option("--min-relevance", type=int,
              help="The judgment from which a passage does.")  # fmt: skip
@format_option
def agreement(
    workspace: Path,
    grader: str | None,
    min_rating: int,
    min_relevance: int | None,
    form: str,
) -> None:
    """Derived labels against official judgments: a 2x2 table and Cohen's kappa.

    \b
    Example:
      curator agreement demo.db
    """
    from curator import rendering

    with opened(workspace) as one:
        found = one.agreement(
            grader=grader, min_rating=min_rating, min_relevance=min_relevance
        )
        settings = one.settings(grader=grader, measure="P@20", min_rating=min_rating)
        relevance = min_relevance
        if relevance is None:
            relevance = one.collection().min_relevance
        rendering.show(rendering.agreement(found, settings, relevance), form)
