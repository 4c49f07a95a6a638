"""Commands on passages and ideal answers: ``passages``, ``coverage``, ``rouge``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from curator.cli.files import check_ending, write_figure
from curator.cli.parameters import BOARD
from curator.cli.program import command, echo_saved, verbs
from curator.errors import UnknownNameError

if TYPE_CHECKING:
    from curator.verbs.answers.extracted import LocatedAnswers
    from curator.workspace import Workspace

# As in modules which `curator --help` does not load.
Show = Literal[
    "all", "changed", "relevant-unanswered", "nonrelevant-answered", "uncovered"
]


@command(
    verb=verbs.pool,
    excludes={
        "depth": "show question_id system event sort reverse words measure grader "
        "min_rating label min_answered k"
    },
)
def passages(
    workspace: Workspace,
    *,
    form: str,
    query_id: str | None = None,
    depth: int | None = None,
    show: Show = "all",
    question_id: str | None = None,
    system: str | None = None,
    event: str | None = None,
    **options: Any,
) -> Any:
    """List a query's passages: label, judgment, answered questions, systems.

    With --format json and a grader that extracts answers, also prints the answers and
    their positions.

    Example:
      curator passages demo.db --query autumn-leaves --sort look --words "cold night"

    Args:
        query_id (ID): Query whose passages are listed. [with --depth, all]
        depth (N): List the passages among the first N of any run, with their number of
            runs and best rank, for judges.
        show (--show WHICH): all, changed, relevant-unanswered, nonrelevant-answered or
            uncovered.
        question_id (ID): Only passages that answer this question.
        system (NAME): Only passages that this system retrieves.
        event (--since EVENT): Compare labels with this event or release. [before your
            last edit]
    """
    from curator.tables.passages import passage_table
    from curator.verbs.passages import pool_rows

    if depth is not None:
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
    board = {name: options.pop(name) for name in BOARD if name in options}
    settings = workspace.settings(**board)
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
    pool = workspace.pool(query_id, settings, since=since, edit=edit, **options)
    pool_rows.refuse_without_judgments(pool, show)
    result = pool_rows.filter_passages(
        pool, show, question_id=question_id, system=system, sort=options.get("sort")
    )
    total = len(workspace.collection().pools[query_id].counted)
    located: LocatedAnswers = {}
    if settings.grader and form == "json":
        ids = [passage.passage_id for passage in result]
        located = workspace.located_answers(query_id, ids, settings.grader)
    return passage_table(result, settings, total=total, since=since, located=located)


@command(verb=verbs.coverage)
def coverage(workspace: Workspace, *, passages: bool = False, **options: Any) -> Any:
    """Count how many questions passages answer, by their official judgment.

    Example:
      curator coverage demo.db --query autumn-leaves

    Args:
        passages: List every passage with its number of questions instead.
    """
    result = workspace.coverage(**options)
    return result.passages if passages else result


@command(
    signs="Judge who marks, and judge of rows that name none.",
    excludes={"mark": "unmark"},
    needs={"span": "mark unmark", "grade": "mark unmark"},
)
def ideals(
    workspace: Workspace,
    *,
    query_id: str | None = None,
    mark: tuple[str, str] | None = None,
    unmark: tuple[str, str] | None = None,
    span: tuple[int, int] | None = None,
    grade: int | None = None,
    record: Path | None = None,
    agreement: bool = False,
) -> Any:
    """List the ideal answers: marked passages, gold answers, gold articles.

    Example:
      curator ideals demo.db --mark autumn-leaves leaves-02 --span 0 87

    Args:
        mark (QUERY PASSAGE): Mark a passage as an ideal answer of the query.
        unmark (QUERY PASSAGE): Remove the mark of a passage.
        span (START END): Mark only these characters, counted from 0, without END.
        grade (N): Grade of the answer, 1 or more; makes the mark a highlight of the
            judge.
        record (FILE): First import the highlights of this file: rows of query_id,
            passage_id, start, end, judge and grade, as JSON lines or a table with a
            heading.
        agreement: Print the agreement of annotators, word by word, instead.
    """
    from curator.tables.passages import ideal_table

    if target := mark or unmark:
        spans = [span or (0, None)]
        workspace.mark_ideals(*target, spans, marked=bool(mark), grade=grade)
        query_id = query_id or target[0]
    if record is not None:
        echo_saved(workspace.record_ideals(record), "highlight")
    if agreement:
        return workspace.word_agreement(query_id)
    return ideal_table(workspace.ideals(query_id), query_id)


@command(verb=verbs.rouge_agreement)
def rouge(
    workspace: Workspace,
    *,
    sources: Sequence[Literal["marked", "answers", "gold"]] = (),
    coefficient: Literal["pearson", "spearman", "kendall"] = "pearson",
    measure: str = "rouge-su4-p",
    passages: bool = False,
    figure: Path | None = None,
    **options: Any,
) -> Any:
    """Correlate ROUGE of single passages with their official judgments.

    As in Tables 2 to 4 of Keikha, Park & Croft 2014: --sample 3 draws half of the
    passages judged 3 as ideal answers, and compares the others with them.

    Example:
      curator rouge demo.db --source answers

    Args:
        sources: Kind of ideal answers; repeat for several. [all, or with --sample none]
        coefficient: Coefficient of the first table.
        measure (--measure -m NAME): Measure whose scores are shown by judgment.
        passages: List every passage with its scores instead.
        figure (FILE.svg|png|pdf): Also draw the scores of --measure by judgment.
    """
    from curator.evaluation.measures.rouge import NAMES
    from curator.tables.passages import rouge_agreement_tables, scored_passage_table

    if measure not in NAMES:
        raise UnknownNameError(
            f"Unknown measure '{measure}'. Choose one of {', '.join(NAMES)}."
        )
    if figure is not None:
        check_ending(figure)
    result = workspace.rouge_agreement(sources=sources, **options)
    if figure is not None:
        write_figure(result.figure(measure), figure)
    if passages:
        return scored_passage_table(result)
    return rouge_agreement_tables(result, coefficient=coefficient, measure=measure)
