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
    from curator.results import Tabular
    from curator.workspace import Workspace


@main.command()
@in_workspace
@flag("--statistics", help="Print the sizes of the collection instead, for a paper.")
@printed_in(FORMATS)
def status(workspace: Workspace, statistics: bool) -> Tabular:
    """Show the state of a workspace: steps, counts, graders, what is missing.

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
@flag("--lift", help="Lift the restriction of these queries.")
@printed_in(FORMATS)
def restrict(workspace: Workspace, queries: tuple[str, ...], lift: bool) -> Tabular:
    """Hide the texts of queries from judges and viewers. Without QUERY, list them.

    Questions, passages, reports, notes and comments of a restricted query are shown
    only to organizers, are left out of exports, and are not sent to endpoints on other
    machines. Grades, labels, scores, ranks and boards stay visible. A query is imported
    as restricted if its line of --queries has "restricted": true.

    \b
    Example:
      curator restrict demo.db pacemaker
    """
    if not queries:
        if lift:
            raise click.UsageError("--lift needs the QUERY that is to be shown again.")
        return workspace.restrictions()
    return workspace.restrict(queries, lift=lift)


@main.command()
@WORKSPACE
@click.option("--title", help="Title of the collection.")
@file_given("--guidelines", metavar="FILE.md",
            help="Guidelines for judges; an empty file removes them."
)  # fmt: skip
@click.option(
    "--blind/--no-blind",
    default=None,
    help="Hide system names, judgments and official ranks from judges.",
)
@click.option(
    "--min-relevance",
    type=int,
    help="Lowest judgment of a relevant passage.",
)
@click.option(
    "--human-first",
    type=int,
    metavar="N",
    help="Number of questions a judge must write in a query before seeing proposals; 0 "
    "for none.",
)
@click.option(
    "--model", help="Model that proposes questions, as its endpoint names it."
)
@click.option(
    "--endpoint",
    metavar="URL",
    help="Address of the server of chat models, https://…/v1; '' for OPENAI_BASE_URL.",
)
@click.option(
    "--temperature",
    metavar="T|own",
    help="Temperature from 0 to 2, or own for the model's default.",
)
@click.option(
    "--prompt",
    help="Prompt: automatic (car for subtopics, dl for queries), dl, car, nugget, "
    "passage, or a text file that contains {query_title}.",
)
@flag("--nuggets", help="Your own prompt asks for key facts.")
@click.option("--count", type=int, help="Number of questions to ask for.")
@printed_in(FORMATS[:2])
def setup(workspace: Path, guidelines: Path | None, **options: Any) -> Tabular:
    """Change the settings of a workspace, and print them.

    Settings without an option keep their values, also in later imports. --model and the
    options after it say how the pages and `curator generate` ask models for questions.

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
    """Remove the options of model requests, and return them as fields."""
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
    if nuggets and not (found.get("prompt") and found["prompt"].is_custom):
        raise click.UsageError("--nuggets needs a --prompt of your own.")
    return found
