"""Commands ``judges`` and ``pyramid``: votes on what is vital, and their effect."""

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
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@flag("--votes", help="List every vote instead, one per line.")
@file_given("--record", metavar="FILE",
            help="First import the votes and verdicts of this file.")  # fmt: skip
@signing("Judge of rows that name none.")
@printed
def judges(workspace: Workspace, votes: bool, record: Path | None) -> Sequence[Tabular]:
    """Show each judge's votes, how far judges agree, and where they differ.

    Judges vote on Judge, or by `curator edit WORKSPACE --vital ID`. --record
    imports votes of several judges from a file: rows of question_id, judge and vote
    (vital or okay), or of question_id, judge, answer and verdict (right or wrong), as
    JSON lines or a table with a heading, such as `--votes --format tsv` prints.

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
@depth("Number of passages per ranking.")
@shown("--beta", default=3.0, help="Weight of recall relative to precision.")
@several("--without", metavar="NAME",
         help="Ignore the votes of this judge, or the importances of this source in an "
              "imported bank; repeat for several.")  # fmt: skip
@flag("--without-imported", help="Ignore the importances of imported banks.")
@flag("--test", "tested",
      help="Test the effect of one more judge, by a bootstrap over queries."
)  # fmt: skip
@shown("--samples", default=1000, help="Number of bootstrap samples.")
@shown("--seed", type=click.IntRange(min=0), default=0, help="Random seed.")
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
) -> Sequence[Tabular]:
    """Compare each judge's board with the nugget pyramid, and more judges with fewer.

    `curator leaderboard --measure nugget-f` prints the board of the pyramid, and
    `--measure "nugget-f(without=NAME)"` prints it without a judge.

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
