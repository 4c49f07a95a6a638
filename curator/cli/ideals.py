"""``ideals``: the ideal answers that ROUGE compares with, and marking them."""

from __future__ import annotations

from pathlib import Path

import click

from curator.cli.options import WORKSPACE, format_option, opened
from curator.cli.program import main


@main.command()
@WORKSPACE
@click.option("--query", "query_id", help="Only this query's. [every query]")
@click.option("--mark", nargs=2, metavar="QUERY PASSAGE",
              help="Mark a passage as an ideal answer of the query.")  # fmt: skip
@click.option("--unmark", nargs=2, metavar="QUERY PASSAGE",
              help="Take the mark away again.")  # fmt: skip
@click.option("--span", nargs=2, type=int, metavar="START END",
              help="Only these characters, from 0, END not included.")  # fmt: skip
@format_option
def ideals(
    workspace: Path,
    query_id: str | None,
    mark: tuple[str, str] | None,
    unmark: tuple[str, str] | None,
    span: tuple[int, int] | None,
    form: str,
) -> None:
    """Ideal answers by query: marked passages, gold answers, gold articles.

    \b
    Example:
      curator ideals demo.db --mark autumn-leaves leaves-02 --span 0 87
    """
    from curator.tables.passages import ideal_table
    from curator.tables.table import show

    if mark and unmark:
        raise click.UsageError("Give --mark or --unmark, not both.")
    if span and not (mark or unmark):
        raise click.UsageError("--span says which part to --mark or to --unmark.")
    with opened(workspace) as one:
        if mark or unmark:
            query, passage = mark or unmark or ("", "")
            one.mark_ideals(query, passage, [span or (0, None)], marked=bool(mark))
            query_id = query_id or query
        show(form, ideal_table(one.ideals(query_id), query_id))
