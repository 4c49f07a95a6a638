"""``import``, ``setup``, ``status``, ``export`` and ``verify``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.generating import prompt_given
from curator.cli.options import FORMATS, WORKSPACE, board_options, opened
from curator.cli.program import main
from curator.cli.progress import progress_bar

if TYPE_CHECKING:
    from curator.verbs.importing import ImportSummary


FILES: dict[str, Any] = {
    "multiple": True,
    "type": click.Path(path_type=Path),
    "metavar": "FILE",
}


@main.command("import")
@WORKSPACE
@click.option("--queries", **FILES, help="Queries: JSON, TSV or JSONL.")
@click.option("--passages", **FILES, help="Passage texts: JSONL or TSV.")
@click.option("--bank", **FILES, help="Question bank, in any of Autograder's forms.")
@click.option("--autograder", **FILES, help="Graded passages, Autograder interchange.")
@click.option("--runs", **FILES, help="TREC run, or a folder of runs.")
@click.option("--judgments", **FILES, help="TREC qrels.")
@click.option("--official", **FILES, help="Official leaderboard: JSON {system: rank}.")
@click.option("--gold", **FILES, help="Gold articles by query: JSONL or TSV.")
@click.option(
    "--min-relevance",
    type=int,
    help="The judgment from which a passage counts as relevant.",
)
@click.option("--title", help="What the collection is called.")
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def import_(
    workspace: Path,
    min_relevance: int | None,
    title: str | None,
    form: str,
    **files: tuple[Path, ...],
) -> None:
    """Read files into a workspace, made if there is none; all of them or nothing.

    Gzipped files are read as they are. Importing a file again changes nothing.

    \b
    Example:
      curator import leaves.db --queries data/demo/queries.jsonl \\
        --passages data/demo/passages.jsonl --bank data/demo/questions.jsonl
    """
    from curator.store.connection import remove_workspace
    from curator.verbs.importing import refuse_unreadable

    refuse_unreadable(files)  # before a workspace is made for nothing
    options = {"min_relevance": min_relevance, "title": title}
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
    if form == "json":
        from curator.rendering import import_json

        echo_json(import_json(summaries))
        return
    from curator.rendering.collection import counted_kind

    for summary in summaries:
        new = ", ".join(counted_kind(n, what) for what, n in summary.new.items())
        click.echo(f"{summary.source}: {summary.taken_for}; new: {new or 'nothing'}")
        for notice in summary.notices:
            click.echo(f"  note: {notice}", err=True)


@main.command()
@WORKSPACE
@click.option("--format", "form", type=click.Choice(FORMATS), default="table")
def status(workspace: Path, form: str) -> None:
    """Where the workspace stands: the six steps, counts, graders, what is missing.

    \b
    Example:
      curator status demo.db
    """
    from curator import rendering

    with opened(workspace) as one:
        rendering.show(rendering.status(one.status()), form)


@main.command()
@WORKSPACE
@click.option("--title", help="What the collection is called.")
@click.option(
    "--guidelines",
    type=click.Path(path_type=Path),
    metavar="FILE.md",
    help="What judges are to read first; an empty file takes it away.",
)
@click.option(
    "--blind/--no-blind",
    default=None,
    help="Whether judges see masked system names, and no judgments and official ranks.",
)
@click.option(
    "--min-relevance",
    type=int,
    help="The judgment from which a passage counts as relevant.",
)
@click.option(
    "--human-first",
    type=int,
    metavar="N",
    help="How many questions a judge writes in a query before seeing proposals there; "
    "0 for none.",
)
@click.option("--model", help="Which model proposes questions, by its endpoint.")
@click.option(
    "--temperature",
    metavar="T|own",
    help="How it is asked: from 0 to 2, or own, the model's own.",
)
@click.option(
    "--prompt",
    help="How it is asked: automatic (car for subtopics, dl for queries), dl, car, "
    "nugget, passage, or a text file with {query_title} in it.",
)
@click.option("--nuggets", is_flag=True, help="Your own prompt asks for key facts.")
@click.option("--count", type=int, help="How many questions it is asked for.")
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def setup(
    workspace: Path,
    title: str | None,
    guidelines: Path | None,
    blind: bool | None,
    min_relevance: int | None,
    human_first: int | None,
    form: str,
    **wish: Any,
) -> None:
    """Set what holds for everyone who judges, and print what is set.

    What no option names stays as it is, through later imports too. --model and the
    options after it are how models are asked for questions from the pages, and by
    `curator generate` unless it says otherwise.

    \b
    Example:
      curator setup demo.db --title "Three everyday questions" --blind
    """
    from curator import rendering
    from curator.exchange.guidelines import read_guidelines

    text = None if guidelines is None else read_guidelines(guidelines)
    asked = order_options(**wish)
    with opened(workspace) as one:
        found = one.set_up(
            title=title,
            guidelines=text,
            blind=blind,
            min_relevance=min_relevance,
            human_first=human_first,
            generation=replace(one.usual_order(), **asked) if asked else None,
        )
    rendering.show(rendering.setup(found), form)


def order_options(
    model: str | None,
    temperature: str | None,
    prompt: str | None,
    nuggets: bool,
    count: int | None,
) -> dict[str, Any]:
    """What the options say of how models are asked; nothing of what they leave."""
    from curator.verbs.orders import AUTOMATIC

    found: dict[str, Any] = {"model": model, "count": count}
    found = {name: value for name, value in found.items() if value is not None}
    if temperature is not None:
        found["temperature"] = None if temperature == "own" else float_of(temperature)
    if prompt is not None:
        automatic = prompt == AUTOMATIC
        found["prompt"] = None if automatic else prompt_given(prompt, nuggets)
    if nuggets and not (found.get("prompt") and found["prompt"].is_own):
        raise click.UsageError("--nuggets says what a --prompt of your own asks for.")
    return found


def float_of(text: str) -> float:
    """The number given for --temperature."""
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(
            f"'{text}' is neither a number from 0 to 2 nor own.",
            param_hint="'--temperature'",
        ) from None


TARGET: dict[str, Any] = {"type": click.Path(path_type=Path), "metavar": "FILE"}


@main.command()
@WORKSPACE
@click.option("--bank", **TARGET, help="The kept questions, Autograder form.")
@click.option("--qrels", **TARGET, help="Labels for trec_eval.")
@click.option("--autograder", **TARGET, help="Graded passages, Autograder interchange.")
@click.option("--leaderboard", **TARGET, help="The board as TSV.")
@click.option("--answers", **TARGET,
              help="Answers known to be right or wrong, in WikiQA's form.")  # fmt: skip
@click.option("--binary", is_flag=True, help="Qrels of 1 and 0 by --min-rating.")
@click.option("--allow-partial", is_flag=True, help="Though grades are missing.")
@board_options
def export(
    workspace: Path,
    bank: Path | None,
    qrels: Path | None,
    autograder: Path | None,
    leaderboard: Path | None,
    answers: Path | None,
    binary: bool,
    allow_partial: bool,
    **options: Any,
) -> None:
    """Write the bank, qrels, graded passages, a board or known answers to files.

    A file whose name ends in .gz is gzipped.

    \b
    Example:
      curator export demo.db --bank bank.jsonl --qrels labels.qrels
    """
    from curator.rendering.collection import counted_kind

    targets = {
        "bank": bank,
        "qrels": qrels,
        "autograder": autograder,
        "leaderboard": leaderboard,
        "answers": answers,
    }
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
                kind, target, binary=binary, allow_partial=allow_partial, **options
            )
            what = counted_kind(written.written, written.what)
            click.echo(f"{target}: {what}")
            for notice in written.notices:
                click.echo(f"  note: {notice}", err=True)


@main.command()
@WORKSPACE
@click.option("--format", "form", type=click.Choice(FORMATS[:2]), default="table")
def verify(workspace: Path, form: str) -> None:
    """Re-hash every text and rebuild every rating from what it came from.

    Exit status 1 if anything is not as it was stored.

    \b
    Example:
      curator verify demo.db
    """
    from curator import rendering

    with opened(workspace) as one:
        found = one.verify()
    rendering.show(rendering.verification(found), form)
    if found.problems:
        sys.exit(1)


def imported(
    path: Path, files: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[ImportSummary, ...]:
    """Import into the workspace at ``path``, made if there is none."""
    with opened(path, create=True) as one, progress_bar("Reading") as progress:
        return one.import_(**files, **options, progress=progress)


def echo_json(value: object) -> None:
    """Print a JSON value, one line a level."""
    import json

    click.echo(json.dumps(value, ensure_ascii=False, indent=1))
