"""``leaderboard``, ``scores``, ``correlate``, ``agreement`` and ``sweep``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    AGAINST,
    BY,
    COVER_DEPTH,
    DEPTH,
    FORMATS,
    GRADER,
    LABEL,
    MEASURES,
    MIN_ANSWERED,
    MIN_RATING,
    QUESTIONS,
    board_options,
    flag,
    format_option,
    in_workspace,
    labels,
    printed,
    several,
    shown,
)
from curator.cli.program import main
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@board_options
@click.option("--query", "query_id", help="Only this query.")
@click.option("--subtopic", "subtopic_id", help="Only questions of this subtopic.")
@BY
@QUESTIONS
@printed
def leaderboard(workspace: Workspace, **options: Any) -> Tabular:
    """Print every system's score, standard error and rank.

    For a grader learned from checks (--grader checked), also prints 95 % intervals of
    scores and ranks, and how much of the order is certain.

    \b
    Example:
      curator leaderboard demo.db --measure P@10
    """
    from curator.snapshot.learned import PREFIX as LEARNED
    from curator.tables.leaderboard import leaderboard_table

    with workspace.snapshot():
        board = workspace.leaderboard(**options)
        learned = board.settings.grader.startswith(LEARNED)
        whole = options["query_id"] is None and options["subtopic_id"] is None
        drawn = workspace.drawn_board(board.settings) if learned and whole else None
    return leaderboard_table(board, drawn=drawn)


@main.command()
@in_workspace
@board_options
@BY
@QUESTIONS
@click.option("--system", help="Only this system.")
@format_option(
    [*FORMATS, "trec_eval", "tot", "ir_measures"],
    "Output format. trec_eval: as its -q, with --system; tot and ir_measures: one "
    "score per line, for evaluation tools.",
)
def scores(workspace: Workspace, system: str | None, form: str, **options: Any) -> None:
    """Print one line per system and query, means last.

    \b
    Example:
      curator scores demo.db --measure P@10 --system bm25 --format trec_eval
    """
    from curator.formats.trec.scored_boards import FORMS
    from curator.tables.leaderboard import board_lines, score_table, trec_eval_lines
    from curator.tables.table import show

    table = workspace.scores(**options)
    if system is not None:
        table = table.select_system(system)
    if form == "trec_eval":
        for line in trec_eval_lines(table):
            echo(line)
    elif form in FORMS:
        for line in board_lines(table, form):
            echo(line)
    else:
        show(form, score_table(table))


@main.command()
@in_workspace
@several("--measure", "-m", "measures",
         help="Measure, as for `curator leaderboard`; repeat for several. [that of the "
              "first board]")  # fmt: skip
@GRADER
@labels
@DEPTH
@shown("--against", multiple=True, default=["official"],
       help="Reference: official[:<name>], judgments:<ir-measures name> or "
            "grader:<name>[:<measure>], by default with the same measure; repeat for "
            "several."
       )  # fmt: skip
@click.option("--ties", type=click.Choice(["average", "random"]), default="average",
              help="How equal systems are ranked: average shares the rank; random "
              "shuffles those within a standard error (Sander & Dietz 2021, 4.1.1)."
)  # fmt: skip
@shown("--repeats", type=click.IntRange(min=1), default=10,
       help="Number of shuffles of random ties.")  # fmt: skip
@shown("--bootstrap", type=click.IntRange(0, 10_000), default=0,
       help="Number of resamples of the queries for a 95 % interval of Kendall's tau; "
            "0: none.")  # fmt: skip
@shown("--seed", type=click.IntRange(min=0), default=0,
       help="Random seed.")  # fmt: skip
@click.option("--also", multiple=True, metavar="NAME",
              help="Further coefficient: tau_gap, tauap_b or kendall@K; repeat for "
                   "several.")  # fmt: skip
@BY
@QUESTIONS
@printed
def correlate(
    workspace: Workspace, measures: tuple[str, ...], **options: Any
) -> Tabular:
    """Correlate boards with references: Spearman, Kendall and tau AP.

    Prints one line per measure and reference. judgments:nDCG@10 is the board made from
    the official judgments; it may be a measure or a reference.

    \b
    Example:
      curator correlate demo.db -m cover -m P@10 --against official \\
        --against judgments:nDCG@10 --also tau_gap --also kendall@5
    """
    from curator.tables.leaderboard import correlation_table

    return correlation_table(workspace.correlations(measures, **options))


@main.command()
@in_workspace
@GRADER
@MIN_RATING
@LABEL
@MIN_ANSWERED
@click.option("--min-relevance", type=int,
              help="Lowest judgment of a relevant passage.")  # fmt: skip
@flag("--tables", "with_tables",
      help="Print all labels by all judgments, then with lenient (1 or more) and "
           "strict (4 or more) relevance.")  # fmt: skip
@click.option("--against", metavar="GRADER",
              help="Compare with the grades of this grader, such as people, instead of "
                   "judgments.",
)  # fmt: skip
@click.option("--query", "query_id", help="Only this query.")
@click.option("--subtopic", "subtopic_id", help="Only questions of this subtopic.")
@BY
@printed
def agreement(
    workspace: Workspace,
    grader: str | None,
    min_rating: int | None,
    label: str | None,
    min_answered: int,
    min_relevance: int | None,
    with_tables: bool,
    against: str | None,
    by: str | None,
    query_id: str | None,
    subtopic_id: str | None,
) -> Sequence[Tabular]:
    """Compare labels with official judgments: a 2x2 table and Cohen's kappa.

    --tables prints the tables of Farzi & Dietz 2024, with the kappa of every direct
    relevance grader. --against GRADER compares grades with those of another grader, for
    every pair of question and passage, and the labels made from them: for all graders,
    or for that of --grader; --tables then prints ratings by ratings.

    \b
    Example:
      curator agreement demo.db --tables
    """
    from curator.evaluation.settings import FIRST_MEASURE
    from curator.tables.agreement import (
        agreement_table,
        agreement_tables,
        graded_table,
        grader_agreement_table,
        rating_tables,
    )

    if against is not None:
        if (by, min_relevance, query_id, subtopic_id) != (None, None, None, None):
            raise click.UsageError(
                "--against GRADER compares all grades of two graders; leave out --by, "
                "--query, --subtopic and --min-relevance."
            )
        pairs = workspace.grader_agreement(
            against,
            grader=grader,
            min_rating=min_rating,
            min_answered=min_answered,
            label=label,
        )
        ratings = rating_tables(pairs) if with_tables else []
        return [grader_agreement_table(pairs), *ratings]
    part: Any = {"by": by, "query_id": query_id, "subtopic_id": subtopic_id}
    if with_tables:
        return agreement_tables(
            workspace.agreement_tables(
                grader=grader,
                min_rating=min_rating,
                min_relevance=min_relevance,
                min_answered=min_answered,
                label=label,
                **part,
            )
        )
    labelled: Any = {
        "grader": grader,
        "min_rating": min_rating,
        "min_answered": min_answered,
        "label": label,
    }
    agreement = workspace.agreement(**labelled, min_relevance=min_relevance, **part)
    settings = workspace.settings(measure=FIRST_MEASURE, **labelled)
    if min_relevance is None:
        min_relevance = workspace.collection().min_relevance
    part = {"query": query_id, "subtopic": subtopic_id}
    tables = [agreement_table(agreement, settings, min_relevance, part)]
    if agreement.graded is not None:
        caption = "all levels: labels by judgments"
        tables.append(graded_table(agreement.graded, caption))
    return tables


@main.command()
@in_workspace
@MEASURES
@GRADER
@LABEL
@MIN_ANSWERED
@COVER_DEPTH
@AGAINST
@BY
@printed
def sweep(workspace: Workspace, measures: tuple[str, ...], **options: Any) -> Tabular:
    """Correlate board and reference at every minimum rating, 1 to 5.

    \b
    Example:
      curator sweep demo.db --measure cover --measure P@10
    """
    from curator.tables.leaderboard import sweep_table

    return sweep_table(workspace.sweep(measures, **options))
