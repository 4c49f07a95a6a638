"""``curator ava compare``: string matching, AVA models and people on one table."""

from __future__ import annotations

from pathlib import Path

import click

from curator.cli.ava import ava
from curator.cli.options import WORKSPACE, format_option, opened


@ava.command("compare")
@WORKSPACE
@click.option("--source", metavar="GRADER",
              help="Whose answers; may be cut short. [who has most]")  # fmt: skip
@click.option("--grader", "graders", metavar="GRADER", multiple=True,
              help="An AVA grader, or several: give it again. [all]")  # fmt: skip
@click.option("--query", "query_id", metavar="ID",
              help="List disagreements in this query alone.")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True,
              help="How many disagreements to list.")  # fmt: skip
@format_option
def compare_checks(
    workspace: Path,
    source: str | None,
    graders: tuple[str, ...],
    query_id: str | None,
    limit: int,
    form: str,
) -> None:
    """Hold string matching, AVA models and people's verdicts against each other.

    They are compared on the same answers: every distinct answer that an answering
    grader extracted for a question with an answer key. The workspace needs such
    answers: `curator grade WORKSPACE --grader flan-t5-large/qa` extracts some,
    `curator grade WORKSPACE --grader ava:FOLDER` has a model score them.

    \b
    Example:
      curator ava compare answered.db --limit 5
    """
    from curator.tables.answers import answer_check_tables
    from curator.tables.table import show

    with opened(workspace) as one:
        found = one.answer_checks(source, graders or None)
        total, listed = found.listed(found.differing(), query_id=query_id, limit=limit)
    show(form, *answer_check_tables(found, total, listed))
