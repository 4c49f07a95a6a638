"""Commands that read, write, check and draw files, such as ``import``."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.program import (
    FORMATS,
    PATH,
    add_verb,
    command,
    opened,
    progress_bar,
    verbs,
)
from curator.errors import FigureError, WorkspaceError
from curator.results import Rows, to_json
from curator.tables.terminal import echo
from curator.unfinished import unfinished_file

if TYPE_CHECKING:
    from curator.figures import Drawing
    from curator.verbs.files.imports import ImportSummary
    from curator.workspace import Workspace

AS_IMPORTED = (
    *("queries", "passages", "runs", "judgments", "official", "gold", "reports"),
    "tqa",
)
"""Formats of ``export`` that its help only names."""
ENDINGS = (".svg", ".png", ".pdf")


def file_option(
    name: str, help_text: str, metavar: str = "FILE", **options: Any
) -> click.Option:
    """Return the option that names a file of one format."""
    spelling = f"--{name.replace('_', '-')}"
    return click.Option(
        [spelling], type=PATH, metavar=metavar, help=help_text, **options
    )


def import_options() -> Iterator[click.Option]:
    """Yield an option for each kind of file that can be read."""
    from curator.formats.registry import import_options, option_help

    for name, option in import_options().items():
        yield file_option(name, option_help(option), multiple=True)


@command("import", verb=verbs.import_, extra=import_options, formats=FORMATS[:2])
def import_(
    workspace: Path,
    recognised: Sequence[Path] = (),
    *,
    form: str,
    labels: Sequence[str] = (),
    bundle: Path | None = None,
    **options: Any,
) -> None:
    """Import files into a workspace, created if needed; all of them or none.

    A FILE without an option is recognised by its first lines, also gzipped.

    Example:
      curator import leaves.db --queries data/demo/queries.jsonl \\
        --passages data/demo/passages.jsonl --bank data/demo/questions.jsonl

    Args:
        recognised ([FILE]...): Files to recognise.
        labels (--labels NAME=QRELS): Labels by a model: grades of grader NAME.
        bundle (FILE.zip): Rebuild the workspace of a bundle.
    """
    from curator.formats.recognition import (
        is_system_file,
        option_for,
        system_files_notice,
    )
    from curator.formats.registry import import_options
    from curator.tables.files import counted_kind
    from curator.tables.table import show
    from curator.verbs.files.imports import refuse_unreadable

    names = import_options()
    files = {name: options.pop(name) for name in names if name in options}
    if labels:
        options["labels"] = by_grader(labels)
    # Before a workspace is made for nothing.
    labelled = options.get("labels", {}).values()
    refuse_unreadable(chain(*files.values(), *labelled, recognised))
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
        if files or options:
            raise click.UsageError(
                "A bundle is a whole workspace: give --bundle alone, and import other "
                "files afterwards."
            )
        options = {"bundle": bundle}
    summaries = imported(workspace, files, options)
    if form == "json":
        show(form, value=to_json(summaries))
    else:
        for summary in summaries:
            new = ", ".join(counted_kind(n, what) for what, n in summary.new.items())
            echo(f"{summary.source}: {summary.taken_for}; new: {new or 'nothing'}")
            echo_notes(summary.notices)
    for note in summaries.notes:
        echo(note, err=True)


def by_grader(labels: Iterable[str]) -> dict[str, list[Path]]:
    """Return the files of ``NAME=QRELS`` by name. Raises UsageError for others."""
    files: defaultdict[str, list[Path]] = defaultdict(list)
    for text in labels:
        name, _, file = text.partition("=")
        if not name or not file:
            raise click.UsageError(
                f"--labels is '{text}'; expected NAME=QRELS, as in "
                "umbrela=labels.qrels."
            )
        files[name].append(Path(file))
    return dict(files)


def echo_notes(notes: Iterable[str]) -> None:
    """Print the notices of a file below its line."""
    for note in notes:
        echo(f"  note: {note}", err=True)


def imported(
    path: Path, files: Mapping[str, Any], options: Mapping[str, Any]
) -> Rows[ImportSummary]:
    """Import into a workspace; a failed import into a new one leaves no file."""
    if path.exists() or not path.parent.is_dir():
        return imported_into(path, files, options)
    try:
        with unfinished_file(path) as part:
            summaries = imported_into(part, files, options)
            os.link(part, path)
            return summaries
    except OSError as error:
        raise WorkspaceError(f"'{path}' cannot be made: {error.strerror}.") from error


def imported_into(
    path: Path, files: Mapping[str, Any], options: Mapping[str, Any]
) -> Rows[ImportSummary]:
    """Import into the workspace at ``path``, made if there is none."""
    with opened(path, create=True) as workspace:
        if "bundle" in options:
            return Rows([workspace.import_bundle(options["bundle"])])
        with progress_bar("Reading") as progress:
            return workspace.import_(**files, **options, progress=progress)


def export_options() -> Iterator[click.Option]:
    """Yield an option for each format that can be written: its file."""
    from curator.formats.registry import exports

    for name, form in exports().items():
        endings = ", ".join(dict.fromkeys(form.endings))
        label = f"{form.label} ({endings})."
        yield file_option(name, label, form.target, hidden=name in AS_IMPORTED)


@command(
    verb=verbs.settings,
    extra=export_options,
    formats=FORMATS[:2],
    needs={
        "binary": "qrels",
        "by_subtopic": "qrels",
        "graded": "question_qrels",
    },
)
def export(
    workspace: Path,
    *,
    form: str,
    release: str | None = None,
    binary: bool = False,
    by_subtopic: bool = False,
    graded: bool = False,
    allow_partial: bool = False,
    **options: Any,
) -> None:
    """Write the bank, qrels, graded passages, a board and more to files.

    Qrels and boards come with a manifest. A name ending in .gz is gzipped. What was
    imported is written again by --queries, --passages, --runs, --judgments, --official,
    --gold, --reports and --tqa FILE.

    Example:
      curator export demo.db --bank bank.jsonl --qrels labels.qrels

    Args:
        release (NAME): Write qrels, board or kit of this release.
        binary: Write qrels of 1 and 0, by --min-rating.
        by_subtopic: Write qrels by query/subtopic.
        graded: Write ratings in question qrels, not 1 and 0.
        allow_partial: Write files even if grades are missing.
    """
    from curator.formats.registry import exports
    from curator.tables.files import counted_kind
    from curator.tables.table import show
    from curator.verbs.files.export import refuse

    kinds = exports()
    targets = {kind: options.pop(kind) for kind in kinds if kind in options}
    if not targets:
        raise click.UsageError(
            f"Give at least one of {', '.join(kind.option for kind in kinds.values())}."
        )
    if len({target.resolve() for target in targets.values()}) < len(targets):
        raise click.UsageError("Each export needs a file of its own.")
    for kind, target in targets.items():
        refuse(kind, target, release)
    summaries = []
    with opened(workspace) as source:
        for kind, target in targets.items():
            written = source.export(
                kind,
                target,
                release=release,
                binary=binary,
                by_subtopic=by_subtopic,
                graded=graded,
                allow_partial=allow_partial,
                **options,
            )
            summaries.append(written)
            if form == "json":
                continue
            echo(f"{target}: {counted_kind(written.written, written.what)}")
            echo_notes(written.notices)
            if written.lost:
                lost = ", ".join(written.lost)
                echo_notes([f"this format has no place for {lost}."])
    if form == "json":
        show(form, value=to_json(summaries))


add_verb(
    verbs.verify,
    "Compute every text hash, rating and exported number again, and compare.",
    "verify demo.db",
    failed=lambda verification: verification.problems,
)

add_verb(
    verbs.repair,
    "Repair what `curator verify` finds wrong, where other data allow it.",
    "repair demo.db",
    failed=lambda repaired: repaired.remaining,
)

add_verb(
    verbs.backup,
    "Copy the workspace to FILE in one consistent state, while others work in it.",
    "backup demo.db copy.db",
)


@command()
def restore(file: Path, path: Path, *, force: bool = False) -> Any:
    """Restore a workspace from a copy that `curator backup` made.

    Close the workspace first. An existing workspace is kept as a copy.

    Example:
      curator restore demo.db restored.db

    Args:
        path (WORKSPACE): Place of the workspace.
        force: Replace an existing workspace, and keep a copy of it.
    """
    from curator.workspace import Workspace

    return Workspace.restore(file, path, force=force)


@command(
    verb=verbs.release,
    excludes={"restore": "why allow_partial"},
    needs={"restore": "name", "why": "name"},
)
def release(
    workspace: Workspace,
    name: str | None = None,
    *,
    restore: bool = False,
    **options: Any,
) -> Any:
    """Freeze the kept questions with settings and labels, under a name.

    The qrels and the board of a release never change. Without a name, lists the
    releases. --restore takes the bank back by edits that are undone together.

    Example:
      curator release demo.db v1 --measure P@10 --reason "the pilot"

    Args:
        name ([NAME]): Name of the release.
        restore: Make the bank equal to this release again.
    """
    if name is None:
        return workspace.releases()
    if restore:
        return workspace.restore_release(name)
    record = workspace.release(name, **options)
    return Rows([record], type(record))


@command()
def diff(workspace: Workspace, name: str, other: str | None = None) -> Any:
    """Compare a release with OTHER, or with the workspace as it is now.

    Compares questions, labels, scores and ranks under the settings of the release.

    Example:
      curator diff demo.db v1

    Args:
        other ([OTHER]): Name of another release.
    """
    from curator.tables.files import difference_tables

    difference = workspace.release_difference(name, other)
    return difference_tables(difference, name, other)


@command(verb=verbs.figure, formats=())
def figure(workspace: Workspace, kind: str, file: Path, **options: Any) -> None:
    """Draw a figure as SVG, PNG or PDF, by the ending of the file name.

    KIND is sweep, scatter, bump, systems, correlations, validity, topics, questions,
    pyramid-stability or pyramid-zeros: docs/releases.md.

    Example:
      curator figure demo.db sweep sweep.svg --measure P@10

    Args:
        file (FILE.svg|png|pdf): File to write.
    """
    check_ending(file)
    write_figure(workspace.figure(kind, **options), file)


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
