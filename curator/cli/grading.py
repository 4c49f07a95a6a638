"""Commands that ask models: ``grade``, ``jobs``, ``generate``, ``endpoint test``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from curator.cli.program import announce, command, main, opened, progress_bar, verbs
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.bank.questions import Kind
    from curator.generation.prompts import GenerationPrompt
    from curator.verbs.grading.summary import Progress, RunCounts
    from curator.workspace import Workspace
    from grading.responders import ReadingKind

READINGS: dict[str, ReadingKind] = {
    "rating": "rated",
    "answer": "answered",
    "relevance": "direct",
}
ABOUT = ("query_id", "subtopic_id", "passage_id", "grounded")
NOT_GRADING = (
    "dry_run again max_tokens prices prompt depth without_judged sample seed "
    "same_budget engine address workers"
)


@command(
    verb=verbs.grade,
    excludes={
        "background": "reparse unreadable dry_run prices",
        "reparse": f"unreadable query_id {NOT_GRADING}",
        "unreadable": NOT_GRADING,
    },
    needs={"reads": "prompt"},
)
def grade(
    workspace: Workspace,
    *,
    grader: str | None = None,
    prompt: Path | None = None,
    reads: Literal["rating", "answer", "relevance"] | None = None,
    prices: str | None = None,
    background: bool = False,
    reparse: bool = False,
    unreadable: bool = False,
    **options: Any,
) -> Any:
    """Ask a grader for all grades that are missing.

    Grades are stored as they arrive; run the command again to continue after a stop.
    docs/prompts.md lists the graders and their prompts, docs/cluster.md describes
    --engine ray. --depth and --sample set a budget: grades outside it stay unknown.

    Example:
      curator grade demo.db --grader instant --dry-run

    Args:
        grader (NAME): Grader. [instant; embedding if that has grades]
        prompt (FILE): Your own prompt, with {question} and {context}.
        reads (WHAT): rating, answer or relevance, by --prompt. [rating]
        prices (IN,OUT): Dollars per million tokens, to print costs.
        background: Run as a background job (`curator jobs`).
        reparse: Parse stored responses again, as a new grader.
        unreadable: List responses without a rating.
    """
    from curator.verbs.grading.summary import RunCounts
    from grading.costs import parse_prices
    from grading.prompts.custom import prompt_from_file

    if reparse or unreadable:
        name = workspace.settings(grader=grader).grader
        if reparse:
            return workspace.reparse(name)
        return workspace.unreadable(name, query_id=options.get("query_id"))
    options["announce"] = announce
    if prompt is not None:
        reading = READINGS[reads or "rating"]
        options["prompt"] = prompt_from_file(prompt, reading=reading)
    if background:
        return workspace.start_job(grader, **options)
    tally = RunCounts()
    with progress_bar("Grading") as bar:
        return workspace.grade(
            grader,
            prices=None if prices is None else parse_prices(prices),
            tally=tally,
            progress=reporting(tally, bar),
            **options,
        )


def reporting(tally: RunCounts, bar: Progress) -> Progress:
    """Return a progress callback that also prints warnings, each once."""
    printed = {""}

    def report(done: int, total: int) -> None:
        bar(done, total)
        # Without the seconds that are left to wait, which change.
        key = tally.warning.rstrip("0123456789 s.")
        if key not in printed:
            printed.add(key)
            echo(tally.warning, err=True)

    return report


@command(excludes={"pause": "resume stop", "resume": "stop"})
def jobs(
    workspace: Workspace,
    *,
    pause: int | None = None,
    resume: int | None = None,
    stop: int | None = None,
) -> Any:
    """List background jobs with their progress, the latest first.

    A job whose process ended keeps its grades. Continue it with --resume, like a paused
    one.

    Example:
      curator jobs demo.db

    Args:
        pause (JOB): Pause this job.
        resume (JOB): Resume this job.
        stop (JOB): Stop this job, so that another can start.
    """
    if resume is not None:
        for job in workspace.jobs():
            if job.job_id == resume and job.host:
                announce(job.host)
        return workspace.resume_job(resume)
    if pause is not None:
        return workspace.pause_job(pause)
    return workspace.jobs() if stop is None else workspace.stop_job(stop)


@command(
    verb="curator.verbs.proposals.request.GenerationRequest",
    signs="Judge who asks.",
    excludes={"background": "dry_run prices"},
    needs={"nuggets": "prompt", "grader": "grounded"},
)
def generate(
    workspace: Workspace,
    *,
    grader: str | None = None,
    prompt: str | None = None,
    nuggets: bool = False,
    dry_run: bool = False,
    prices: str | None = None,
    background: bool = False,
    **options: Any,
) -> Any:
    """Ask an LLM to propose questions. They count only once people keep them.

    docs/proposals.md describes endpoint, key and prompts. Without --query, asks about
    every query, or about each of its subtopics. Answered prompts are not sent again.

    Example:
      curator generate demo.db --query autumn-leaves --model gpt-4o-mini --dry-run

    Args:
        grader (NAME): With --grounded: grader that decides what is covered. [the first]
        prompt (NAME|FILE): dl, car, nugget, passage, or a file that contains
            {query_title}. [car for subtopics, dl for queries]
        nuggets: Your own prompt asks for key facts.
        dry_run: Print the prompts without sending them.
        prices (IN,OUT): Dollars per million tokens, to print costs.
        background: Run as a background job (`curator jobs`).
    """
    from grading.costs import parse_prices

    chosen = None if prompt is None else prompt_named_or_read(prompt, nuggets)
    if chosen and "count" in options and "count" not in chosen.placeholders:
        raise click.UsageError(
            f"Prompt '{chosen.name}' takes no number: leave out --count."
        )
    about = {name: options.pop(name) for name in ABOUT if name in options}
    request = replace(workspace.default_request(), **options).about(**about)
    if chosen is not None:
        request = replace(request, prompt=chosen)
    settings = None if grader is None else workspace.settings(grader=grader)
    if background:
        return workspace.start_generation(request, settings=settings, announce=announce)
    with progress_bar("Asking") as progress:
        return workspace.generate(
            request,
            settings=settings,
            dry_run=dry_run,
            prices=None if prices is None else parse_prices(prices),
            progress=progress,
            announce=announce,
        )


def prompt_named_or_read(name: str, nuggets: bool) -> GenerationPrompt:
    """Return the released prompt of this name, else that of the file."""
    from curator.generation.prompts import PROMPTS, prompt_from_file, prompt_named

    if name in PROMPTS or not Path(name).exists():
        if nuggets:
            raise click.UsageError("--nuggets needs a --prompt of your own.")
        return prompt_named(name)
    kind: Kind = "nugget" if nuggets else "question"
    return prompt_from_file(Path(name), kind=kind)


@main.group()
def endpoint() -> None:
    """Test the server of chat models.

    \b
    Example:
      curator endpoint test demo.db --model gpt-4o-mini
    """


@command("test", group=endpoint, failed=lambda trial: trial.check.problem)
def try_endpoint(
    path: Path | None = None, *, model: str = "", url: str | None = None
) -> Any:
    """Send one prompt to a chat model, and print its answer or what to fix.

    The prompt is about an invented passage, so nothing of the workspace is sent. The
    exit status is 1 if the model cannot be reached or its answer states no rating.
    docs/graders.md lists the addresses of the usual servers.

    Example:
      curator endpoint test demo.db --model gpt-4o-mini

    Args:
        path ([WORKSPACE]): Workspace whose settings are used.
        model (NAME): Name of the model. [the workspace's, or the only one]
        url (URL): Address of the endpoint, https://…/v1. [the workspace's, else
            OPENAI_BASE_URL]
    """
    from curator.verbs.setup import trial

    if path is None:
        return trial(model, url)
    with opened(path) as workspace:
        return workspace.try_endpoint(model, url=url)
