"""``grade`` and ``jobs``."""

from __future__ import annotations

from pathlib import Path

import click

from curator.cli.options import FORMATS, WORKSPACE, format_option, opened
from curator.cli.program import main
from curator.cli.progress import progress_bar


@main.command()
@WORKSPACE
@click.option("--grader", default="embedding", show_default=True, help="Who grades.")
@click.option("--query", "query_id", help="Only this query.")
@click.option("--dry-run", is_flag=True, help="Say what is missing and stop.")
@click.option(
    "--background", is_flag=True, help="As a job of its own; `curator jobs` shows it."
)
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def grade(
    workspace: Path,
    grader: str,
    query_id: str | None,
    dry_run: bool,
    background: bool,
    form: str,
) -> None:
    """Ask a grader for every grade that is missing, and for no other.

    What is graded is stored as it comes: stopped, it goes on where it was.

    \b
    Example:
      curator grade demo.db --grader embedding --dry-run
    """
    from curator import rendering

    if background:
        if dry_run or query_id is not None:
            raise click.UsageError("--background goes with --grader alone.")
        with opened(workspace) as one:
            rendering.show(rendering.job(one.start_job(grader)), form)
        return
    with opened(workspace) as one, progress_bar("Grading") as progress:
        summary = one.grade(
            grader, query_id=query_id, dry_run=dry_run, progress=progress
        )
    rendering.show(rendering.graded(summary), form)


@main.command()
@WORKSPACE
@click.option("--pause", type=int, metavar="JOB", help="Let this job end for now.")
@click.option("--resume", type=int, metavar="JOB", help="Let this job go on.")
@format_option
def jobs(workspace: Path, pause: int | None, resume: int | None, form: str) -> None:
    """Work that goes on beside the app, and how far it is; the latest first.

    A job that is stopped, because its process was ended, has kept what it graded and
    is resumed like one that was paused.

    \b
    Example:
      curator jobs demo.db
    """
    from curator import rendering

    if pause is not None and resume is not None:
        raise click.UsageError("Give --pause or --resume, not both.")
    with opened(workspace) as one:
        if pause is not None:
            shown = rendering.job(one.pause_job(pause))
        elif resume is not None:
            shown = rendering.job(one.resume_job(resume))
        else:
            shown = rendering.jobs(one.jobs())
        rendering.show(shown, form)
