"""``import``: files of every kind into a workspace."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import FORMATS, WORKSPACE, FormatCommand, file_option, opened
from curator.cli.program import main
from curator.cli.progress import progress_bar

if TYPE_CHECKING:
    from curator.verbs.files.imports import ImportSummary


def import_options() -> list[click.Option]:
    """An option for each kind of file that can be read."""
    from curator.formats.registry import import_options, option_help

    options = import_options("import").items()
    return [file_option(n, option_help(one), multiple=True) for n, one in options]


@main.command("import", cls=FormatCommand, formats=import_options)
@WORKSPACE
@click.argument(
    "recognised", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]..."
)
@click.option(
    "--min-relevance",
    type=int,
    help="The judgment from which a passage counts as relevant.",
)
@click.option("--title", help="What the collection is called.")
@click.option(
    "--tokenizer",
    metavar="NAME",
    help="Cuts reports into passages: words (the default), or a Hugging Face tokenizer "
    "by name or folder.",
)
@click.option(
    "--ir-dataset",
    multiple=True,
    metavar="NAME",
    help="A dataset of ir_datasets: queries, qrels, run and the texts they need.",
)
@click.option(
    "--bundle",
    type=click.Path(path_type=Path),
    metavar="FILE.zip",
    help="Rebuild the workspace of a bundle, in a new one.",
)
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def import_(
    workspace: Path,
    recognised: tuple[Path, ...],
    min_relevance: int | None,
    title: str | None,
    tokenizer: str | None,
    ir_dataset: tuple[str, ...],
    bundle: Path | None,
    form: str,
    **files: tuple[Path, ...],
) -> None:
    """Read files into a workspace, made if there is none; all of them or nothing.

    A FILE without an option is taken for what its first lines look like. Gzipped
    files are read as they are. Importing a file again changes nothing.

    \b
    Example:
      curator import leaves.db --queries data/demo/queries.jsonl \\
        --passages data/demo/passages.jsonl --bank data/demo/questions.jsonl
    """
    from curator.formats.recognition import option_for
    from curator.store.connection import remove_workspace
    from curator.verbs.files.imports import refuse_unreadable

    # Before a workspace is made for nothing.
    refuse_unreadable(files)
    refuse_unreadable({"": recognised})
    for file in recognised:
        kind = option_for(file)
        if kind == "bundle" and bundle is None:
            bundle = file
            continue
        files[kind] = (*files.get(kind, ()), file)
    options: dict[str, Any] = {
        "min_relevance": min_relevance,
        "title": title,
        "tokenizer": tokenizer,
        "ir_dataset": ir_dataset,
    }
    if bundle is not None:
        if any(files.values()) or any(
            one not in (None, ()) for one in options.values()
        ):
            raise click.UsageError(
                "A bundle is a whole workspace: give --bundle alone, and import other "
                "files afterwards."
            )
        options = {"bundle": bundle}
    if not workspace.exists():
        # Made beside its place, so that a failed import leaves nothing there.
        part = workspace.with_name(f".{workspace.name}.{os.getpid()}.part")
        try:
            summaries = imported(part, files, options)
            os.link(part, workspace)
        except FileExistsError:  # someone else has made it meanwhile
            summaries = imported(workspace, files, options)
        finally:
            remove_workspace(part)
    else:
        summaries = imported(workspace, files, options)
    from curator.tables.setup import counted_kind, import_json

    if form == "json":
        echo_json(import_json(summaries))
        return
    for summary in summaries:
        new = ", ".join(counted_kind(n, what) for what, n in summary.new.items())
        click.echo(f"{summary.source}: {summary.taken_for}; new: {new or 'nothing'}")
        for notice in summary.notices:
            click.echo(f"  note: {notice}", err=True)


def imported(
    path: Path, files: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[ImportSummary, ...]:
    """Import into the workspace at ``path``, made if there is none."""
    if "bundle" in options:
        with opened(path, create=True) as one:
            return (one.import_bundle(options["bundle"]),)
    with opened(path, create=True) as one, progress_bar("Reading") as progress:
        return one.import_(**files, **options, progress=progress)


def echo_json(value: object) -> None:
    """Print a JSON value, one line a level."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=1))
