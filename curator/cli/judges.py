"""``judges`` and ``pyramid``: votes on what is vital, and whose votes matter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    GRADER,
    LABEL,
    MIN_RATING,
    WORKSPACE,
    depth,
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

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command()
@in_workspace
@flag("--votes", help="Every vote instead, one on a line.")
@file_given("--record", metavar="FILE",
            help="First save the votes and verdicts of this file.")  # fmt: skip
@signing("Whose rows without a judge are.")
@printed
def judges(workspace: Workspace, votes: bool, record: Path | None) -> Sequence[Table]:
    """Who has voted, how far judges agree on what is vital, where they differ.

    Votes are cast on the Judges page, or by `curator edit WORKSPACE --vital ID`. Those
    of several judges come from a file by --record: rows of question_id, judge and vote
    (vital or okay), or question_id, judge, answer and verdict (right or wrong), as JSON
    lines or a table with a heading, such as `--votes --format tsv` prints.

    \b
    Example:
      curator judges demo.db
    """
    from curator.tables.judges import judge_tables, vote_table

    if record is not None:
        saved = workspace.record_votes(record)
        echo_saved(saved, "vote or verdict", "votes or verdicts")
    if votes:
        return [vote_table(workspace.bank())]
    return judge_tables(workspace.judges())


@main.command()
@WORKSPACE
@GRADER
@MIN_RATING
@LABEL
@depth("How many passages of a ranking are looked at.")
@shown("--beta", default=3.0, help="How many times recall weighs more than precision.")
@several("--without", metavar="NAME",
         help="As if this judge, or source of importances that came with a bank, had "
         "not voted; again for each.")  # fmt: skip
@flag("--without-imported", help="As if no importances had come with a bank.")
@flag("--test", "tested",
      help="Test what one judge more changes, by a bootstrap of the queries."
)  # fmt: skip
@shown("--samples", default=1000, help="How many the bootstrap draws.")
@shown("--seed", type=click.IntRange(min=0), default=0, help="Of the drawing.")
@printed
def pyramid(
    workspace: Path,
    beta: float,
    tested: bool,
    samples: int,
    seed: int,
    without: tuple[str, ...],
    without_imported: bool,
    **options: Any,
) -> Sequence[Table]:
    """Each judge's own board against the nugget pyramid, and what more judges add.

    The pyramid's board itself is `curator leaderboard --measure nugget-f`, and without
    a judge `--measure "nugget-f(without=NAME)"`.

    \b
    Example:
      curator pyramid demo.db -k 5
    """
    from curator.evaluation.measures.pyramid import measure_name, require_beta
    from curator.tables.judges import pyramid_tables

    require_beta(beta)
    if not tested:
        refuse_given(("samples", "seed"), "goes with --test")
    with opened(workspace) as one:
        settings = one.settings(measure=measure_name("nugget-f", beta=beta), **options)
        if without_imported:
            without += tuple(source.judge for source in one.judges().sources)
        tests = (
            one.pyramid_tests(settings, without=without, samples=samples, seed=seed)
            if tested
            else None
        )
        return pyramid_tables(
            one.judge_boards(settings, without=without),
            one.pyramid_curves(settings, without=without),
            tests,
        )
