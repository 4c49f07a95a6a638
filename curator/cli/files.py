"""Commands that read, write, check and draw files, such as ``import``."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from curator.cli.options import (
    AGAINST,
    COVER_DEPTH,
    FORMATS,
    GRADER,
    GROUP,
    MEASURES,
    PATH,
    WORKSPACE,
    FormatCommand,
    board_options,
    file_given,
    file_option,
    flag,
    format_option,
    in_workspace,
    labels,
    opened,
    progress_bar,
    several,
)
from curator.cli.program import main
from curator.errors import FigureError, WorkspaceError
from curator.results import Rows, as_json
from curator.tables.terminal import echo
from curator.unfinished import unfinished_file

if TYPE_CHECKING:
    from curator.figures import Drawing
    from curator.verbs.files.imports import ImportSummary
    from curator.workspace import Workspace


FILE = click.argument(
    "file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE"
)


def import_options() -> list[click.Option]:
    """An option for each kind of file that can be read."""
    from curator.formats.registry import import_options, option_help

    options = import_options("import").items()
    return [file_option(n, option_help(one), multiple=True) for n, one in options]


@main.command("import", cls=FormatCommand, formats=import_options)
@WORKSPACE
@click.argument("recognised", nargs=-1, type=PATH, metavar="[FILE]...")
@click.option("--min-relevance", type=int,
              help="Lowest judgment of a relevant passage.")  # fmt: skip
@click.option("--title", help="Title of the collection.")
@click.option("--tokenizer", metavar="NAME",
              help="Tokenizer that splits reports into passages: words, or a Hugging "
                   "Face tokenizer by name or folder. [words]")  # fmt: skip
@flag("--segmented", help="Treat long passages as documents, and grade their segments.")
@click.option("--labels", multiple=True, metavar="NAME=QRELS",
              help="Labels by a model in qrels format, read as grades of grader NAME."
)  # fmt: skip
@click.option("--ir-dataset", multiple=True, metavar="NAME",
              help="A dataset of ir_datasets: queries, qrels, run and the texts they "
              "need.")  # fmt: skip
@flag("--take-keys", help="Replace differing answer keys and choices in the bank by "
                          "the file's, as an edit.")  # fmt: skip
@click.option("--official-measure", metavar="NAME",
              help="Measure of the official board, if the file has several."
)  # fmt: skip
@click.option("--official-name", metavar="NAME",
              help="Add a further official board, for --against official:NAME."
)  # fmt: skip
@flag("--add-queries", help="Add a query for each unknown topic. [leave them out and "
                            "list them]")  # fmt: skip
@click.option("--subtopics", type=click.Choice(["attach", "separate"]),
              help="Read topics query/subtopic of runs and qrels as subtopics of known "
                   "queries (attach), or as queries (separate).  [attach]")  # fmt: skip
@file_given("--bundle", metavar="FILE.zip",
            help="Rebuild the workspace of a bundle in a new file.")  # fmt: skip
@format_option(FORMATS[:2])
def import_(
    workspace: Path,
    recognised: tuple[Path, ...],
    bundle: Path | None,
    form: str,
    **given: Any,
) -> None:
    """Import files into a workspace, created if needed; all of them or none.

    A FILE without an option is recognised by its first lines. Gzipped files need not be
    unpacked. Importing a file again changes nothing.

    \b
    Example:
      curator import leaves.db --queries data/demo/queries.jsonl \\
        --passages data/demo/passages.jsonl --bank data/demo/questions.jsonl
    """
    from curator.formats.recognition import option_for
    from curator.formats.text.system_files import is_system_file, system_files_notice
    from curator.verbs.files.imports import refuse_unreadable

    names = (
        *("min_relevance", "title", "tokenizer", "segmented"),
        *("ir_dataset", "take_keys", "subtopics", "official_measure", "add_queries"),
        "official_name",
    )
    options = {name: given.pop(name) for name in names}
    options["labels"] = by_grader(given.pop("labels"))
    files: dict[str, tuple[Path, ...]] = given
    # Before a workspace is made for nothing.
    refuse_unreadable(chain(*files.values(), *options["labels"].values(), recognised))
    echo_notes(system_files_notice(file.name for file in recognised))
    for file in recognised:
        if is_system_file(file.name):
            continue
        kind = option_for(file)
        if kind == "bundle" and bundle is None:
            bundle = file
            continue
        files[kind] = (*files.get(kind, ()), file)
    if bundle is not None:
        beside = (*files.values(), *options.values())
        # A judgment of 0 is given, though it equals False.
        if any(one not in ((), {}, None) and one is not False for one in beside):
            raise click.UsageError(
                "A bundle is a whole workspace: give --bundle alone, and import other "
                "files afterwards."
            )
        options = {"bundle": bundle}
    if workspace.exists() or not workspace.parent.is_dir():
        summaries = imported(workspace, files, options)
    else:
        summaries = made_by_import(workspace, files, options)
    from curator.tables.files import counted_kind
    from curator.tables.table import show

    if form == "json":
        show(form, value=as_json(summaries))
        _say_languages(summaries)
        return
    for summary in summaries:
        new = ", ".join(counted_kind(n, what) for what, n in summary.new.items())
        echo(f"{summary.source}: {summary.taken_for}; new: {new or 'nothing'}")
        echo_notes(summary.notices)
    _say_languages(summaries)


def _say_languages(summaries: Rows[ImportSummary]) -> None:
    for note in summaries.notes:
        echo(note, err=True)


def by_grader(labels: Iterable[str]) -> dict[str, tuple[Path, ...]]:
    """The files of ``NAME=QRELS`` by name. Raises UsageError for anything else."""
    found: dict[str, tuple[Path, ...]] = {}
    for one in labels:
        name, _, file = one.partition("=")
        if not name or not file:
            raise click.UsageError(
                f"--labels is '{one}'; expected NAME=QRELS, as in umbrela=labels.qrels."
            )
        found[name] = (*found.get(name, ()), Path(file))
    return found


def echo_notes(notes: Iterable[str]) -> None:
    """Print the notices of a file below its line."""
    for note in notes:
        echo(f"  note: {note}", err=True)


def made_by_import(
    path: Path, files: Mapping[str, Any], options: Mapping[str, Any]
) -> Rows[ImportSummary]:
    """Import into a new workspace; a failed import leaves nothing at its place."""
    try:
        with unfinished_file(path) as part:
            summaries = imported(part, files, options)
            os.link(part, path)
            return summaries
    except FileExistsError:  # someone else has made it meanwhile
        return imported(path, files, options)
    except OSError as error:
        raise WorkspaceError(f"'{path}' cannot be made: {error.strerror}.") from error


def imported(
    path: Path, files: Mapping[str, Any], options: Mapping[str, Any]
) -> Rows[ImportSummary]:
    """Import into the workspace at ``path``, made if there is none."""
    if "bundle" in options:
        with opened(path, create=True) as one:
            return Rows([one.import_bundle(options["bundle"])])
    with opened(path, create=True) as one, progress_bar("Reading") as progress:
        return one.import_(**files, **options, progress=progress)


OF_QRELS = {"qrels": ("binary", "by_subtopic"), "question_qrels": ("graded",)}
"""OptionValue that say what labels are; without their qrels a slip of the pen."""

SETTINGS = ("measure", "grader", "min_rating", "min_answered", "label", "k")


def export_options() -> list[click.Option]:
    """An option for each format that can be written, the file it is written to."""
    from curator.formats.registry import exports

    return [
        file_option(name, one.help, metavar=one.target)
        for name, one in exports().items()
    ]


@main.command(cls=FormatCommand, formats=export_options)
@WORKSPACE
@click.option(
    "--release",
    metavar="NAME",
    help="Write the qrels, the board or the paper's kit of this release.",
)
@flag("--binary", help="Write qrels of 1 and 0, by --min-rating.")
@flag("--by-subtopic", help="Write qrels by query/subtopic, from its questions.")
@flag("--graded", help="Write ratings in question qrels, instead of 1 and 0.")
@flag("--allow-partial", help="Write files even if grades are missing.")
@board_options
@format_option(FORMATS[:2], "Format of the summary.")
def export(workspace: Path, release: str | None, form: str, **options: Any) -> None:
    """Write the bank, qrels, graded passages, a board and more to files.

    A file whose name ends in .gz is gzipped. Each file of qrels and each board comes
    with a manifest: its settings and the hash of its bank. A paper's kit needs a
    release: curator export demo.db --paper kit --release v1.

    \b
    Example:
      curator export demo.db --bank bank.jsonl --qrels labels.qrels
    """
    from curator.formats.manifests import manifest_path
    from curator.formats.registry import exports
    from curator.tables.files import counted_kind
    from curator.tables.table import show
    from curator.verbs.files.export import refuse

    kinds = exports()
    targets = {kind: options.pop(kind) for kind in kinds}
    targets = {kind: path for kind, path in targets.items() if path is not None}
    if not targets:
        raise click.UsageError(
            f"Give at least one of {', '.join(one.option for one in kinds.values())}."
        )
    files = [target.resolve() for target in targets.values()]
    numbers = [targets[kind] for kind in targets if kinds[kind].of_a_release]
    files += [manifest_path(target.resolve()) for target in numbers]
    if len(set(files)) < len(files):
        raise click.UsageError(
            "Each export, and each manifest next to one, needs a file of its own."
        )
    for kind, names in OF_QRELS.items():
        for option in _given(names).values() if kind not in targets else ():
            raise click.UsageError(
                f"{option} needs {kinds[kind].option}: add that, or leave out {option}."
            )
    if release is not None:  # whose settings are its own
        own = set(SETTINGS).difference(_given(SETTINGS))
        options = {name: value for name, value in options.items() if name not in own}
    for kind, target in targets.items():
        refuse(kind, target, release)
    summaries = []
    with opened(workspace) as one:
        for kind, target in targets.items():
            written = one.export(kind, target, release=release, **options)
            summaries.append(written)
            if form == "json":
                continue
            what = counted_kind(written.written, written.what)
            echo(f"{target}: {what}")
            echo_notes(written.notices)
            if written.lost:
                lost = ", ".join(written.lost)
                echo_notes([f"this format has no place for {lost}."])
    if form == "json":
        show(form, value=as_json(summaries))


def _given(names: Collection[str]) -> dict[str, str]:
    context = click.get_current_context()
    return {
        str(parameter.name): parameter.opts[0]
        for parameter in context.command.params
        if parameter.name in names
        and context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT
    }


@main.command()
@in_workspace
@file_given("--against", metavar="FILE",
            help="Also check the numbers of this bundle, or of qrels or a board with "
                 "their manifest.")  # fmt: skip
@format_option(FORMATS[:2])
def verify(workspace: Workspace, against: Path | None, form: str) -> None:
    """Compute every text hash, rating and exported number again, and compare.

    The exported numbers are those of the bundle that the workspace was rebuilt from.
    The exit status is 1 if anything differs.

    \b
    Example:
      curator verify demo.db
    """
    from curator.tables.files import verification_table
    from curator.tables.table import show

    found = workspace.verify(against)
    show(form, verification_table(found))
    if found.problems:
        sys.exit(1)


@main.command()
@in_workspace
@format_option(FORMATS[:2])
def repair(workspace: Workspace, form: str) -> None:
    """Repair what `curator verify` finds wrong, where other data allow it.

    Computes ratings from responses and vectors, vectors by their model, the bank and
    marks from the history, lengths, word frequencies and indexes. A copy of the file is
    made first. What cannot be repaired stays as it is and is listed, and the exit
    status is 1: replace the workspace by a backup with `curator restore`.

    \b
    Example:
      curator repair demo.db
    """
    from curator.tables.files import repair_table
    from curator.tables.table import show

    found = workspace.repair()
    show(form, repair_table(found))
    if found.remaining:
        sys.exit(1)


@main.command()
@in_workspace
@FILE
@flag("--force", help="Replace FILE if it exists.")
@format_option(FORMATS[:2])
def backup(workspace: Workspace, file: Path, force: bool, form: str) -> None:
    """Copy the workspace to FILE in one consistent state, while others work in it.

    The copy is a workspace. docs/deploy.md shows a nightly backup.

    \b
    Example:
      curator backup demo.db copy.db
    """
    from curator.tables.table import show

    show(form, workspace.backup(file, force=force))


@main.command()
@FILE
@WORKSPACE
@flag("--force", help="Replace an existing workspace, and keep a copy of it.")
@format_option(FORMATS[:2])
def restore(file: Path, workspace: Path, force: bool, form: str) -> None:
    """Restore a workspace from a copy that `curator backup` made.

    Close the workspace first. An existing workspace is kept as a copy.

    \b
    Example:
      curator restore demo.db restored.db
    """
    from curator.tables.table import show
    from curator.workspace import Workspace

    show(form, Workspace.restore(file, workspace, force=force))


KINDS = (
    *("sweep", "scatter", "bump", "systems", "correlations", "validity", "topics"),
    *("questions", "pyramid-stability", "pyramid-zeros"),
)
ENDINGS = (".svg", ".png", ".pdf")


@main.command()
@WORKSPACE
@click.argument("kind", type=click.Choice(KINDS), metavar="KIND")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False),
                metavar="FILE.svg|png|pdf")  # fmt: skip
@flag("--dark", help="Draw on a dark background, for slides.")
@MEASURES
@GRADER
@labels
@COVER_DEPTH
@AGAINST
@click.option("--system", help="System of kind topics.")
@several("--questions", metavar="GROUP", help=f"{GROUP} Repeat for several boards.")
def figure(workspace: Path, kind: str, file: Path, **options: Any) -> None:
    """Draw a figure as SVG, PNG or PDF, by the ending of the file name.

    \b
    Kinds:
      sweep              correlation with a reference at every minimum rating
      scatter            the board's scores over official ranks or judgments:…
      bump               ranks under each measure
      systems            scores ± standard errors under each measure, in official order
      correlations       Kendall's tau between measures
      validity           tau with --against by measure, grader and label rule
      topics             --system's score in each query against all systems'
      questions          tau with --against for 1, 2, … questions a query
      pyramid-stability  pyramids of 1, 2, … judges against single judges' boards
      pyramid-zeros      in how many queries the median system scores 0 under them

    \b
    Example:
      curator figure demo.db sweep sweep.svg --measure P@10
    """
    check_ending(file)
    with opened(workspace) as one:
        drawing = one.figure(kind, **options)
    write_figure(drawing, file)


def check_ending(file: Path) -> None:
    """Raise FigureError for a file that is no SVG, PNG or PDF by its name."""
    if file.suffix.lower() not in ENDINGS:
        raise FigureError(
            f"A figure is written as {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, not "
            f"as '{file.name}'."
        )


def write_figure(drawing: Drawing, file: Path) -> None:
    """Write the figure as its file's ending says, and tell so on stderr."""
    from curator.formats.text.output_files import output_file

    forms = {".svg": drawing.svg, ".png": drawing.png, ".pdf": drawing.pdf}
    content = forms[file.suffix.lower()]()
    with output_file(file) as stream:
        stream.buffer.write(content)
    echo(f"{file}: {drawing.title}", err=True)
