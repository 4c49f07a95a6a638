"""Commands on passages and ideal answers: ``passages``, ``coverage``, ``rouge``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.files import check_ending, write_figure
from curator.cli.options import (
    GRADER,
    LABEL,
    MIN_RATING,
    WORKSPACE,
    board_options,
    echo_saved,
    file_given,
    flag,
    in_workspace,
    opened,
    printed,
    refuse_given,
    several,
    shown,
    signing,
)
from curator.cli.program import main
from curator.errors import UnknownNameError

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.verbs.answers.extracted import LocatedAnswers
    from curator.verbs.passages.order import Order
    from curator.verbs.passages.pool_rows import Show
    from curator.workspace import Workspace

# As in modules which `curator --help` does not load.
SOURCES = ("marked", "answers", "gold")
COEFFICIENTS = ("pearson", "spearman", "kendall")
SHOWS = ("all", "changed", "relevant-unanswered", "nonrelevant-answered", "uncovered")
ORDERS = ("pool", "look", "label", "judgment", "rank", "retrieved", "covered", "length")


@main.command()
@in_workspace
@click.option(
    "--query", "query_id", help="Query whose passages are listed. [with --depth, all]"
)
@click.option("--depth", type=click.IntRange(min=1),
              help="List the passages among the first DEPTH of any run, with their "
                   "number of runs and best rank, for judges.")  # fmt: skip
@shown(
    "--show", type=click.Choice(SHOWS), default="all", help="Which passages to list."
)
@click.option(
    "--question", "question_id", help="Only passages that answer this question."
)
@click.option("--system", help="Only passages that this system retrieves.")
@click.option("--since", "event", metavar="EVENT",
              help="Compare labels with this event or release. [before your last edit]"
)  # fmt: skip
@click.option("--sort", type=click.Choice(ORDERS),
              help="Order: most worth a look, highest label or judgment, best rank, "
                   "most systems, most questions answered, longest.  [pool; for --show "
                   "uncovered, likeliest relevant]")  # fmt: skip
@flag("--reverse", help="Reverse the order; passages without a value stay last.")
@click.option("--words", metavar="WORDS", default="",
              help="Only passages whose text or id contains all these words."
)  # fmt: skip
@board_options
@printed
def passages(
    workspace: Workspace,
    query_id: str | None,
    depth: int | None,
    show: Show,
    question_id: str | None,
    system: str | None,
    event: str | None,
    sort: Order | None,
    reverse: bool,
    words: str,
    **options: Any,
) -> Tabular:
    """List a query's passages: label, judgment, answered questions, systems.

    With --format json and a grader that extracts answers, also prints the answers and
    their positions.

    \b
    Example:
      curator passages demo.db --query autumn-leaves --sort look --words "cold night"
    """
    from curator.tables.passages import passage_table
    from curator.verbs.passages import pool_rows

    if depth is not None:
        params = click.get_current_context().params
        others = params.keys() - {"workspace", "query_id", "depth", "form"}
        refuse_given(others, "does not apply with --depth; leave it out")
        return workspace.pool_to_depth(depth, query_id=query_id)
    if query_id is None:
        raise click.UsageError("Give --query, or --depth for the pools of all queries.")
    if question_id is not None:
        workspace.bank().question(question_id)
    if system is not None and system not in workspace.collection().systems:
        raise UnknownNameError(
            f"No system '{system}' in this workspace. "
            "`curator leaderboard WORKSPACE` lists them."
        )
    settings = workspace.settings(**options)
    since, edit = None, None
    if event is not None:
        since = workspace.event_of(event)
    else:
        own = workspace.baselines(query_id, settings=settings)
        since, edit = own.last_edit, own.edited
        if edit is None and show == "changed":
            raise UnknownNameError(
                "You have no edit in this query to compare with: give --since EVENT. "
                "`curator history WORKSPACE` lists the events."
            )
    pool = workspace.pool(query_id, settings, since=since, edit=edit)
    pool_rows.refuse_without_judgments(pool, show)
    if sort or reverse or words:
        pool = workspace.pool(
            *(query_id, settings),
            since=since,
            edit=edit,
            sort=sort or "pool",
            reverse=reverse,
            words=words,
        )
    found = pool_rows.filter_passages(
        pool, show, question_id=question_id, system=system, sort=sort
    )
    total = len(workspace.collection().pools[query_id].counted)
    located: LocatedAnswers = {}
    if settings.grader and click.get_current_context().params["form"] == "json":
        ids = [passage.passage_id for passage in found]
        located = workspace.located_answers(query_id, ids, settings.grader)
    return passage_table(found, settings, total=total, since=since, located=located)


@main.command()
@in_workspace
@click.option("--query", "query_id", help="Only this query. [all]")
@GRADER
@MIN_RATING
@LABEL
@click.option("--min-relevance", type=int,
              help="Lowest judgment of a relevant passage.")  # fmt: skip
@flag(
    "--passages",
    "listed",
    help="List every passage with its number of questions instead.",
)
@printed
def coverage(workspace: Workspace, listed: bool, **options: Any) -> Tabular:
    """Count how many questions passages answer, by their official judgment.

    \b
    Example:
      curator coverage demo.db --query autumn-leaves
    """
    from curator.tables.passages import coverage_table

    found = workspace.coverage(**options)
    return found.passages if listed else coverage_table(found)


@main.command()
@WORKSPACE
@click.option("--query", "query_id", help="Only this query. [all]")
@click.option("--mark", nargs=2, metavar="QUERY PASSAGE",
              help="Mark a passage as an ideal answer of the query.")  # fmt: skip
@click.option("--unmark", nargs=2, metavar="QUERY PASSAGE",
              help="Remove the mark of a passage.")  # fmt: skip
@click.option("--span", nargs=2, type=int, metavar="START END",
              help="Mark only these characters, counted from 0, without END."
)  # fmt: skip
@click.option("--grade", type=int, metavar="N",
              help="Grade of the answer, 1 or more; makes the mark a highlight of the "
                   "judge.")  # fmt: skip
@file_given("--record", metavar="FILE",
            help="First import the highlights of this file: rows of query_id, "
                 "passage_id, start, end, judge and grade, as JSON lines or a table "
                 "with a heading.")  # fmt: skip
@flag("--agreement", help="Print the agreement of annotators, word by word, instead.")
@signing("Judge who marks, and judge of rows that name none.")
@printed
def ideals(
    workspace: Path,
    query_id: str | None,
    mark: tuple[str, str] | None,
    unmark: tuple[str, str] | None,
    span: tuple[int, int] | None,
    grade: int | None,
    record: Path | None,
    agreement: bool,
    judge: str | None,
) -> Tabular:
    """List the ideal answers: marked passages, gold answers, gold articles.

    \b
    Example:
      curator ideals demo.db --mark autumn-leaves leaves-02 --span 0 87
    """
    from curator.tables.passages import ideal_table

    if mark and unmark:
        raise click.UsageError("Give --mark or --unmark, not both.")
    if span and not (mark or unmark):
        raise click.UsageError("--span needs --mark or --unmark.")
    if grade is not None and not (mark or unmark):
        raise click.UsageError("--grade needs --mark or --unmark.")
    with opened(workspace, judge=judge) as opened_workspace:
        if mark or unmark:
            query, passage = mark or unmark or ("", "")
            spans = [span or (0, None)]
            opened_workspace.mark_ideals(
                query, passage, spans, marked=bool(mark), grade=grade
            )
            query_id = query_id or query
        if record is not None:
            echo_saved(opened_workspace.record_ideals(record), "highlight")
        if agreement:
            return opened_workspace.word_agreement(query_id)
        return ideal_table(opened_workspace.ideals(query_id), query_id)


@main.command()
@in_workspace
@several("--source", "sources", type=click.Choice(SOURCES),
         help="Kind of ideal answers to compare with; repeat for several. [all, or "
              "with --sample none]")  # fmt: skip
@several("--sample", type=int, metavar="JUDGMENT",
         help="Draw some of the passages with this judgment as ideal answers; repeat "
              "for several."
)  # fmt: skip
@shown("--share", default=0.5, help="Share of these passages to draw.")
@shown("--seed", type=click.IntRange(min=0), default=0, help="Random seed.")
@flag("--highlights", help="Compare graded highlights (`curator ideals`), not judged "
      "passages.")  # fmt: skip
@flag(
    "--mean", help="Use a passage's mean over the ideal answers, instead of its best."
)
@flag("--sets", help="Count a word or pair once per text.")
@shown("--from-judgment", default=0, help="Only passages with this judgment or higher.")
@click.option("--min-relevance", type=int,
              help="Lowest judgment of a relevant passage, for AUC."
)  # fmt: skip
@shown("--coefficient", type=click.Choice(COEFFICIENTS), default="pearson",
       help="Coefficient of the first table.")  # fmt: skip
@shown("--measure", "-m", default="rouge-su4-p",
       help="Measure whose scores are shown by judgment.")  # fmt: skip
@flag("--passages", "listed", help="List every passage with its scores instead.")
@file_given("--figure", metavar="FILE.svg|png|pdf",
            help="Also draw the scores of --measure by judgment.")  # fmt: skip
@printed
def rouge(
    workspace: Workspace,
    coefficient: str,
    measure: str,
    listed: bool,
    figure: Path | None,
    **options: Any,
) -> Sequence[Tabular]:
    """Correlate ROUGE of single passages with their official judgments.

    As in Tables 2 to 4 of Keikha, Park & Croft 2014: --sample 3 draws half of the
    passages judged 3 as ideal answers, and compares the others with them.

    \b
    Example:
      curator rouge demo.db --source answers
    """
    from curator.evaluation.measures.rouge import NAMES
    from curator.tables.passages import rouge_agreement_tables, scored_passage_table

    if measure not in NAMES:
        raise UnknownNameError(
            f"Unknown measure '{measure}'. Choose one of {', '.join(NAMES)}."
        )
    if figure is not None:
        check_ending(figure)
    found = workspace.rouge_agreement(**options)
    if figure is not None:
        write_figure(found.figure(measure), figure)
    if listed:
        return [scored_passage_table(found)]
    return rouge_agreement_tables(found, coefficient=coefficient, measure=measure)
