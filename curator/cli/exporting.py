"""``export``: what people made here, to files that other tools read."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from curator.cli.importing import echo_json
from curator.cli.options import FORMATS, WORKSPACE, board_options, opened
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


OF_QRELS = ("binary", "by_subtopic")
"""Options that say what labels are; without --qrels a slip of the pen."""

SETTINGS = ("measure", "grader", "min_rating", "k")


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
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table",
              show_default=True, help="How it is told what was written.")  # fmt: skip
def export(
    workspace: Path,
    release: str | None,
    binary: bool,
    by_subtopic: bool,
    allow_partial: bool,
    form: str,
    **options: Any,
) -> None:
    """Write the bank, qrels, graded passages, a board and more to files.

    A file whose name ends in .gz is gzipped. Beside qrels and boards stands a manifest
    with the settings and the hash of the bank they rest on.

    \b
    Example:
      curator export demo.db --bank bank.jsonl --qrels labels.qrels
    """
    from curator.formats.manifests import manifest_path
    from curator.tables.setup import counted_kind, export_json
    from curator.verbs.files.export import OF_NUMBERS, refuse

    targets = {kind: options.pop(kind) for kind in KINDS}
    targets = {kind: path for kind, path in targets.items() if path is not None}
    if not targets:
        raise click.UsageError(
            f"Give at least one of {', '.join(f'--{kind}' for kind in KINDS)}."
        )
    files = [target.resolve() for target in targets.values()]
    files += [manifest_path(targets[k].resolve()) for k in targets if k in OF_NUMBERS]
    if len(set(files)) < len(files):
        raise click.UsageError(
            "Each export needs a file of its own, and each manifest beside one too."
        )
    for option in _given(OF_QRELS).values() if "qrels" not in targets else ():
        raise click.UsageError(
            f"{option} is for --qrels: give that too, or leave it out."
        )
    if release is not None:  # whose settings are its own
        options = {name: options[name] for name in _given(SETTINGS)}
    for kind, target in targets.items():
        refuse(kind, target, release)
    told = []
    with opened(workspace) as one:
        for kind, target in targets.items():
            written = one.export(
                kind,
                target,
                release=release,
                binary=binary,
                by_subtopic=by_subtopic,
                allow_partial=allow_partial,
                **options,
            )
            told.append(written)
            if form == "json":
                continue
            what = counted_kind(written.written, written.what)
            click.echo(f"{target}: {what}")
            for notice in written.notices:
                click.echo(f"  note: {notice}", err=True)
            if written.lost:
                lost = ", ".join(written.lost)
                click.echo(f"  note: this format has no place for {lost}.", err=True)
    if form == "json":
        echo_json(export_json(told))


def _given(names: Collection[str]) -> dict[str, str]:
    """Those of these options that were given, as they are written."""
    context = click.get_current_context()
    return {
        str(parameter.name): parameter.opts[0]
        for parameter in context.command.params
        if parameter.name in names
        and context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT
    }
