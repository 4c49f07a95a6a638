"""``setup`` and ``status``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from curator.cli.options import FORMATS, WORKSPACE, opened
from curator.cli.program import main
from curator.cli.proposals import prompt_given


@main.command()
@WORKSPACE
@click.option("--format", "form", type=click.Choice(FORMATS), default="table")
def status(workspace: Path, form: str) -> None:
    """Where the workspace stands: the six steps, counts, graders, what is missing.

    \b
    Example:
      curator status demo.db
    """
    from curator.tables.setup import status_table
    from curator.tables.table import show

    with opened(workspace) as one:
        show(form, status_table(one.status()))


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
    from curator.formats.guidelines import read_guidelines
    from curator.tables.setup import setup_table
    from curator.tables.table import show

    text = None if guidelines is None else read_guidelines(guidelines)
    asked = order_options(**wish)
    with opened(workspace) as one:
        found = one.set_up(
            title=title,
            guidelines=text,
            blind=blind,
            min_relevance=min_relevance,
            human_first=human_first,
            generation=replace(one.default_request(), **asked) if asked else None,
        )
    show(form, setup_table(found))


def order_options(
    model: str | None,
    temperature: str | None,
    prompt: str | None,
    nuggets: bool,
    count: int | None,
) -> dict[str, Any]:
    """What the options say of how models are asked; nothing of what they leave."""
    from curator.verbs.proposals.request import AUTOMATIC

    found: dict[str, Any] = {"model": model, "count": count}
    found = {name: value for name, value in found.items() if value is not None}
    if temperature == "own":
        found["temperature"] = None
    elif temperature is not None:
        try:
            found["temperature"] = float(temperature)
        except ValueError:
            raise click.BadParameter(
                f"'{temperature}' is neither a number from 0 to 2 nor own.",
                param_hint="'--temperature'",
            ) from None
    if prompt is not None:
        automatic = prompt == AUTOMATIC
        found["prompt"] = None if automatic else prompt_given(prompt, nuggets)
    if nuggets and not (found.get("prompt") and found["prompt"].is_own):
        raise click.UsageError("--nuggets says what a --prompt of your own asks for.")
    return found
