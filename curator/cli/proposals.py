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
    from curator.tables.table import Table
    from curator.workspace import Workspace

ABOUT = ("query_id", "subtopic_id", "passage_id", "grounded")


@main.command()
@WORKSPACE
@click.option("--model", help="Which model is asked, by its endpoint.")
@click.option("--query", "query_id", help="Only this query. [all]")
@click.option("--subtopic", "subtopic_id", help="Only this subtopic of it.")
@click.option("--passage", "passage_id", help="What this passage answers.")
@click.option(
    "--grounded",
    type=click.IntRange(min=1),
    callback=lambda _context, _option, given: given or 0,
    metavar="N",
    help="What N passages of each query answer that no kept question covers.",
)
@click.option("--grader", help="Whose grades say what is covered. [the first]")
@click.option(
    "--prompt",
    help="dl, car, nugget, passage, or a text file with {query_title} in it. "
    "[car for subtopics, dl for queries]",
)
@flag("--nuggets", help="Your own prompt asks for key facts.")
@click.option("--count", type=int, help="How many; the car prompt says no number. [10]")
@click.option("--temperature", type=float, help="From 0 to 2. [the model's own]")
@flag("--dry-run", help="Print the prompts and ask nobody.")
@click.option("--prices", metavar="IN,OUT", help="Dollars for a million tokens.")
@flag("--again", help="Ask what has an answer once more.")
@flag("--background", help="As a job; `curator jobs` shows it.")
@signing("Who asks.")
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
) -> Table:
    """Have an LLM propose questions; they count for nothing until people keep them.

    The endpoint is the one that `curator setup --endpoint` or the Settings page has
    set, else OPENAI_BASE_URL's; the key is OPENAI_API_KEY's. Without --query every
    query is asked about, or each of its subtopics. What has an answer is not
    asked again, so a run that was ended goes on where it was. A prompt of your own
    holds {query_title}, {query_subtopic}, {query_background}, {existing_questions},
    {passage} or {count}.

    \b
    Example:
      curator generate demo.db --query autumn-leaves --model gpt-4o-mini --dry-run
    """
    from curator.tables.grading import job_table
    from curator.tables.proposals import generated_table
    from grading.costs import parse_prices

    if background and (dry_run or prices):
        raise click.UsageError("--background goes with neither --dry-run nor --prices.")
    chosen = None if prompt is None else prompt_given(prompt, nuggets)
    if nuggets and (chosen is None or not chosen.is_own):
        raise click.UsageError("--nuggets says what a --prompt of your own asks for.")
    if chosen is not None and options["count"] and "count" not in chosen.placeholders:
        raise click.UsageError(f"Prompt '{chosen.name}' says no number: leave --count.")
    with opened(workspace, judge=judge) as one:
        about = {name: options.pop(name) for name in ABOUT}
        given = {name: value for name, value in options.items() if value is not None}
        request = replace(one.default_request(), **given).about(**about)
        if chosen is not None:
            request = replace(request, prompt=chosen)
        if grader is not None and not request.grounded:
            raise click.UsageError("--grader says what is covered: give --grounded.")
        settings = one.settings(grader=grader) if grader is not None else None
        if background:
            return job_table(
                one.start_generation(request, settings=settings, announce=announce)
            )
        with progress_bar("Asking") as progress:
            summary = one.generate(
                request,
                settings=settings,
                dry_run=dry_run,
                prices=None if prices is None else parse_prices(prices),
                progress=progress,
                announce=announce,
            )
        return generated_table(summary)


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
def decisions(workspace: Workspace) -> Table:
    """Who wrote and who decided what: the bank's, then each judge's share.

    \b
    Example:
      curator decisions demo.db
    """
    from curator.tables.proposals import decision_table

    return decision_table(workspace.decisions())
