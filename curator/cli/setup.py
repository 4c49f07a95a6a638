"""``setup`` and ``status``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    FORMATS,
    WORKSPACE,
    file_given,
    flag,
    in_workspace,
    opened,
    printed_in,
)
from curator.cli.program import main
from curator.cli.proposals import prompt_given

if TYPE_CHECKING:
    from curator.tables.table import Table
    from curator.workspace import Workspace


@main.command()
@in_workspace
@flag("--statistics", help="The collection's sizes instead, for a paper's table.")
@printed_in(FORMATS)
def status(workspace: Workspace, statistics: bool) -> Table:
    """Where the workspace stands: the six steps, counts, graders, what is missing.

    \b
    Example:
      curator status demo.db
    """
    from curator.tables.setup import statistics_table, status_table

    if statistics:
        return statistics_table(workspace.statistics())
    return status_table(workspace.status())


@main.command()
@in_workspace
@click.argument("queries", nargs=-1, metavar="[QUERY]...")
@flag("--lift", help="Show their texts again to whoever may look.")
@printed_in(FORMATS)
def restrict(workspace: Workspace, queries: tuple[str, ...], lift: bool) -> Table:
    """Keep the texts of queries from everybody but organizers. Without any, a list.

    Their questions, passages, reports and all that is said of them are shown to no
    judge and viewer, stand in no export and are sent to no endpoint on another machine.
    Grades, labels, scores and ranks stay, and every board with them. Queries come in
    restricted where a line of --queries has "restricted": true.

    \b
    Example:
      curator restrict demo.db pacemaker
    """
    from curator.tables.setup import restriction_table

    if not queries:
        if lift:
            raise click.UsageError("--lift needs the QUERY that is to be shown again.")
        return restriction_table(workspace.restrictions())
    return restriction_table(workspace.restrict(queries, lift=lift))


@main.command()
@WORKSPACE
@click.option("--title", help="What the collection is called.")
@file_given("--guidelines", metavar="FILE.md",
            help="What judges are to read first; an empty file takes it away."
)  # fmt: skip
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
    "--endpoint",
    metavar="URL",
    help="Where it and chat graders are asked, https://…/v1; '' for where the "
    "environment says.",
)
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
@flag("--nuggets", help="Your own prompt asks for key facts.")
@click.option("--count", type=int, help="How many questions it is asked for.")
@printed_in(FORMATS[:2])
def setup(workspace: Path, guidelines: Path | None, **options: Any) -> Table:
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

    text = None if guidelines is None else read_guidelines(guidelines)
    asked = request_options(options)
    with opened(workspace) as one:
        request = replace(one.default_request(), **asked) if asked else None
        return setup_table(one.set_up(guidelines=text, generation=request, **options))


def request_options(options: dict[str, Any]) -> dict[str, Any]:
    """What the options say of how models are asked; they are taken out of them."""
    from curator.verbs.proposals.request import AUTOMATIC

    found = {name: options.pop(name) for name in ("model", "count", "endpoint")}
    found = {name: value for name, value in found.items() if value is not None}
    temperature, prompt = options.pop("temperature"), options.pop("prompt")
    nuggets = options.pop("nuggets")
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
