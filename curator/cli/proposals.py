"""``generate`` and ``decisions``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    WORKSPACE,
    announce,
    flag,
    in_workspace,
    opened,
    printed,
    progress_bar,
    signing,
)
from curator.cli.program import main

if TYPE_CHECKING:
    from curator.bank.questions import Kind
    from curator.generation.prompts import GenerationPrompt
    from curator.results import Tabular
    from curator.workspace import Workspace

ABOUT = ("query_id", "subtopic_id", "passage_id", "grounded")


@main.command()
@WORKSPACE
@click.option("--model", help="Model to ask, as its endpoint names it.")
@click.option("--query", "query_id", help="Only this query. [all]")
@click.option("--subtopic", "subtopic_id", help="Only this subtopic of the query.")
@click.option(
    "--passage", "passage_id", help="Ask for questions that this passage answers."
)
@click.option(
    "--grounded",
    type=click.IntRange(min=1),
    callback=lambda _context, _option, given: given or 0,
    metavar="N",
    help="Ask for questions from N passages of each query that no kept question "
    "covers.",
)
@click.option(
    "--grader", help="With --grounded: grader that decides what is covered. [the first]"
)
@click.option(
    "--prompt",
    help="Prompt: dl, car, nugget, passage, or a text file that contains "
    "{query_title}. [car for subtopics, dl for queries]",
)
@flag("--nuggets", help="Your own prompt asks for key facts.")
@click.option(
    "--count",
    type=int,
    help="Number of questions to ask for; not with the car prompt. [10]",
)
@click.option(
    "--temperature", type=float, help="Temperature from 0 to 2. [the model's default]"
)
@flag("--dry-run", help="Print the prompts without sending them.")
@click.option(
    "--prices",
    metavar="IN,OUT",
    help="Dollars per million tokens in and out, to print the costs.",
)
@flag("--again", help="Send answered prompts again.")
@flag("--background", help="Run as a background job; `curator jobs` shows it.")
@signing("Judge who asks.")
@printed
def generate(
    workspace: Path,
    grader: str | None,
    prompt: str | None,
    nuggets: bool,
    dry_run: bool,
    prices: str | None,
    background: bool,
    judge: str | None,
    **options: Any,
) -> Tabular:
    """Ask an LLM to propose questions. They count only once people keep them.

    The endpoint is that of `curator setup --endpoint` or of the Settings page, else
    OPENAI_BASE_URL; the key is OPENAI_API_KEY. Without --query, asks about every query,
    or about each of its subtopics. Prompts with an answer are not sent again, so an
    interrupted command continues where it stopped. Your own prompt contains
    {query_title}, {query_subtopic}, {query_background}, {existing_questions}, {passage}
    or {count}.

    \b
    Example:
      curator generate demo.db --query autumn-leaves --model gpt-4o-mini --dry-run
    """
    from grading.costs import parse_prices

    if background and (dry_run or prices):
        raise click.UsageError("--background goes with neither --dry-run nor --prices.")
    chosen = None if prompt is None else prompt_given(prompt, nuggets)
    if nuggets and (chosen is None or not chosen.is_custom):
        raise click.UsageError("--nuggets needs a --prompt of your own.")
    if chosen is not None and options["count"] and "count" not in chosen.placeholders:
        raise click.UsageError(
            f"Prompt '{chosen.name}' takes no number: leave out --count."
        )
    with opened(workspace, judge=judge) as one:
        about = {name: options.pop(name) for name in ABOUT}
        given = {name: value for name, value in options.items() if value is not None}
        request = replace(one.default_request(), **given).about(**about)
        if chosen is not None:
            request = replace(request, prompt=chosen)
        if grader is not None and not request.grounded:
            raise click.UsageError("--grader needs --grounded.")
        settings = one.settings(grader=grader) if grader is not None else None
        if background:
            return one.start_generation(request, settings=settings, announce=announce)
        with progress_bar("Asking") as progress:
            return one.generate(
                request,
                settings=settings,
                dry_run=dry_run,
                prices=None if prices is None else parse_prices(prices),
                progress=progress,
                announce=announce,
            )


def prompt_given(name: str, nuggets: bool) -> GenerationPrompt:
    """The released prompt of this name, else the one in the file of this name."""
    from curator.generation.prompts import PROMPTS, prompt_from_file, prompt_named

    if name in PROMPTS or not Path(name).exists():
        return prompt_named(name)
    kind: Kind = "nugget" if nuggets else "question"
    return prompt_from_file(Path(name), kind=kind)


@main.command()
@in_workspace
@printed
def decisions(workspace: Workspace) -> Tabular:
    """Count the questions written and proposals decided, in all and per judge.

    \b
    Example:
      curator decisions demo.db
    """
    return workspace.decisions()
