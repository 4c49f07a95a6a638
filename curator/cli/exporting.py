"""``export``: what people made here, to files that other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from curator.cli.options import WORKSPACE, board_options, opened
from curator.cli.program import main

KINDS = {
    "bank": "The kept questions, Autograder form; a table as .csv.",
    "autograder": "Graded passages, Autograder interchange.",
    "qrels": "Labels for trec_eval.",
    "leaderboard": "The board as TSV; with all digits as .csv.",
    "answers": "Answers known to be right or wrong, in WikiQA's form.",
    "nuggetbank": "The kept questions and nuggets, NuggetBank v3.",
    "nuggetizer": "The kept nuggets, as nuggetizer reads them.",
    "queries": "Queries with subtopics, JSONL.",
    "passages": "Passage texts, JSONL.",
    "runs": "TREC runs: one file of all, or a folder of them.",
    "judgments": "The official judgments, TREC qrels.",
    "official": "Official ranks, JSON.",
    "gold": "Gold articles, JSONL.",
    "report": "The report, one HTML page to publish.",
    "reports": "Generated reports, as they came in.",
    "tqa": "TQA lessons that came in, with their questions as they are now.",
    "bundle": "Everything in one zip, to check and rebuild it all from.",
}
"""What can be written, by the option that asks for it."""


def kind_options(function: Any) -> Any:
    """An option for each of KINDS, the file it is written to."""
    for kind, words in reversed(KINDS.items()):
        function = click.option(
            f"--{kind}", type=click.Path(path_type=Path), metavar="FILE", help=words
        )(function)
    return function


@main.command()
@WORKSPACE
@kind_options
@click.option("--release", metavar="NAME", help="Qrels or the board of this release.")
@click.option("--binary", is_flag=True, help="Qrels of 1 and 0 by --min-rating.")
@click.option("--by-subtopic", is_flag=True,
              help="Qrels of query/subtopic, from its questions.")  # fmt: skip
@click.option("--allow-partial", is_flag=True, help="Though grades are missing.")
@board_options
def export(
    workspace: Path,
    release: str | None,
    binary: bool,
    by_subtopic: bool,
    allow_partial: bool,
    measure: str,
    grader: str | None,
    min_rating: int,
    k: int,
    **targets: Path | None,
) -> None:
    """Write the bank, qrels, graded passages, a board and more to files.

    A file whose name ends in .gz is gzipped. Beside qrels and boards stands a manifest
    with the settings and the hash of the bank they rest on.

    \b
    Example:
      curator export demo.db --bank bank.jsonl --qrels labels.qrels
    """
    from curator.rendering.collection import counted_kind

    if not any(targets.values()):
        raise click.UsageError(
            f"Give at least one of {', '.join(f'--{kind}' for kind in targets)}."
        )
    named = [target.resolve() for target in targets.values() if target is not None]
    if len(set(named)) < len(named):
        raise click.UsageError("Each export needs a file of its own.")
    with opened(workspace) as one:
        for kind, target in targets.items():
            if target is None:
                continue
            written = one.export(
                kind,
                target,
                release=release,
                binary=binary,
                by_subtopic=by_subtopic,
                allow_partial=allow_partial,
                measure=measure,
                grader=grader,
                min_rating=min_rating,
                k=k,
            )
            what = counted_kind(written.written, written.what)
            click.echo(f"{target}: {what}")
            for notice in written.notices:
                click.echo(f"  note: {notice}", err=True)
            if written.lost:
                lost = ", ".join(written.lost)
                click.echo(f"  note: this format has no place for {lost}.", err=True)
