"""``export``: what people made here, to files that other tools read."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from curator.cli.importing import echo_json
from curator.cli.options import (
    FORMATS,
    WORKSPACE,
    FormatCommand,
    board_options,
    file_option,
    opened,
)
from curator.cli.program import main

OF_QRELS = ("binary", "by_subtopic")
"""Options that say what labels are; without --qrels a slip of the pen."""

SETTINGS = ("measure", "grader", "min_rating", "k")


def export_options() -> list[click.Option]:
    """An option for each format that can be written, the file it is written to."""
    from curator.formats.registry import exports

    return [file_option(name, one.help) for name, one in exports().items()]


@main.command(cls=FormatCommand, formats=export_options)
@WORKSPACE
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
    from curator.formats.registry import exports
    from curator.tables.setup import counted_kind, export_json
    from curator.verbs.files.export import refuse

    kinds = exports()
    targets = {kind: options.pop(kind) for kind in kinds}
    targets = {kind: path for kind, path in targets.items() if path is not None}
    if not targets:
        raise click.UsageError(
            f"Give at least one of {', '.join(f'--{kind}' for kind in kinds)}."
        )
    files = [target.resolve() for target in targets.values()]
    numbers = [targets[kind] for kind in targets if kinds[kind].of_a_release]
    files += [manifest_path(target.resolve()) for target in numbers]
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
