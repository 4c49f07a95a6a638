"""``grade`` and ``jobs``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from curator.cli.options import (
    WORKSPACE,
    announce,
    file_given,
    flag,
    opened,
    printed,
    progress_bar,
    several,
)
from curator.cli.program import main
from curator.tables.terminal import echo

if TYPE_CHECKING:
    from curator.results import Tabular
    from curator.verbs.grading.summary import Progress, RunCounts
    from grading.costs import Prices
    from grading.prompts.prompt import Prompt
    from grading.responders import ReadingKind


READINGS: dict[str, ReadingKind] = {
    "rating": "rated",
    "answer": "answered",
    "relevance": "direct",
}


@main.command()
@WORKSPACE
@click.option("--grader",
              help="Name of the grader. [instant, or embedding if that has grades]"
)  # fmt: skip
@several("--query", "query_id", help="Only this query; repeat for several.")
@file_given("--prompt", "prompt_file",
            help="File with your own prompt, which contains {question} and {context}."
)  # fmt: skip
@click.option("--reads", type=click.Choice(list(READINGS)),
              help="What your own prompt asks for. [rating]"
)  # fmt: skip
@click.option("--depth", type=click.IntRange(1), metavar="K",
              help="Only passages in the top K of any system, and judged ones."
)  # fmt: skip
@flag(
    "--without-judged", help="With --depth: leave out judged passages below the top K."
)
@click.option("--sample", type=click.IntRange(1), metavar="N",
              help="Only N random passages per query, of those within --depth."
)  # fmt: skip
@click.option("--seed", type=int, help="Random seed of --sample. [0]")
@flag("--same-budget", help="Use the --depth and --sample of the last grading.")
@flag("--dry-run", help="Print what is missing and stop.")
@click.option("--prices", metavar="IN,OUT",
              help="Dollars per million tokens in and out, to print the costs."
)  # fmt: skip
@click.option("--engine", type=click.Choice(["local", "ray"]),
              help="Run models in this process (local) or on Ray workers. [local]"
)  # fmt: skip
@click.option("--address", metavar="HOST:PORT",
              help="Ray cluster to join. [RAY_ADDRESS, else one on this machine]"
)  # fmt: skip
@click.option("--workers", type=click.IntRange(1), metavar="N",
              help="Largest number of workers. [one per GPU, or one per 8 CPUs]"
)  # fmt: skip
@flag("--background", help="Run as a background job; `curator jobs` shows it.")
@flag("--reparse", help="Parse the stored responses again, as a new grader, without "
                        "asking a model.")  # fmt: skip
@flag("--unreadable", help="List responses without a rating.")
@flag("--again", help="Ask again where a response was unreadable.")
@click.option("--max-tokens", type=click.IntRange(1), metavar="N",
              help="Most tokens of a chat model's answer; also asks again where a "
                   "response was unreadable."
)  # fmt: skip
@printed
def grade(
    workspace: Path,
    grader: str | None,
    prompt_file: Path | None,
    reads: str | None,
    prices: str | None,
    background: bool,
    reparse: bool,
    unreadable: bool,
    **options: Any,
) -> Tabular:
    """Ask a grader for all grades that are missing.

    Grades are stored as they arrive; run the command again to continue after a stop.
    Graders are instant, embedding, lexical, flan-t5-small to flan-t5-xl,
    flan-t5:FOLDER, chat:MODEL (at the endpoint of `curator setup --endpoint`, else
    OPENAI_BASE_URL; `curator endpoint test` tests it), nugget, direct:sun, direct:fag,
    direct:thom, both:ONE+OTHER (the lower of two ratings), mean:ONE+OTHER (their mean
    by ranks), and ava:FOLDER+ANSWERING_GRADER, which checks that grader's answers
    against the answer keys by a model of `curator ava train`. After a slash: qa,
    qa/verified, qa/verified+true-false, greedy, a number format (float32, bfloat16,
    int8, ct2-bfloat16), for chat models reasoning, or a published prompt, such as
    rubric-question, sun-2023, fagb, helm, thomas and umbrela (docs/prompts.md). Your
    own prompt contains {context} and {question} or {nugget}, or {query} with --reads
    relevance, and may contain {choices}.

    --depth and --sample set a budget: grades outside it stay unknown, and boards state
    how many they are. --engine ray runs models on a cluster, or on a Ray started on
    this machine (docs/cluster.md).

    \b
    Example:
      curator grade demo.db --grader instant --dry-run
    """
    from curator.verbs.grading.summary import RunCounts
    from grading.costs import parse_prices

    _refuse_together(click.get_current_context().params)
    with opened(workspace) as one:
        if reparse or unreadable:
            name = one.settings(grader=grader).grader
            if reparse:
                return one.reparse(name)
            query_id = options["query_id"] or None
            return one.unreadable(name, query_id=query_id)
        options["query_id"] = options["query_id"] or None
        options["announce"] = announce
        options["engine"] = options["engine"] or "local"
        options["prompt"] = _own_prompt(prompt_file, reads)
        if background:
            del options["dry_run"]
            return one.start_job(grader, **options)
        options["prices"] = None if prices is None else parse_prices(prices)
        tally = options["tally"] = RunCounts()
        with progress_bar("Grading") as bar:
            progress = _reporting(tally, options["prices"], bar)
            return one.grade(grader, progress=progress, **options)


def _reporting(tally: RunCounts, prices: Prices | None, bar: Progress) -> Progress:
    """A progress callback that also prints warnings and what the rest will take."""
    from curator.verbs.grading.summary import expected_tokens
    from grading.costs import cost

    printed = {""}

    def print_once(line: str, *, key: str) -> None:
        if key not in printed:
            printed.add(key)
            echo(line, err=True)

    def report(done: int, total: int) -> None:
        bar(done, total)
        # Without the seconds that are left to wait, which change.
        print_once(tally.warning, key=tally.warning.rstrip("0123456789 s."))
        missing, counts = total - done, tally.reported
        tokens = expected_tokens(
            tally.prompts, counts["tokens_in"], counts["tokens_out"], missing
        )
        if tokens is None or not missing:
            return
        words = (
            f"From the first {tally.prompts} answers: about {tokens:,} tokens in all"
        )
        if prices is not None:
            spent = cost(tally.tokens_in, tally.tokens_out, prices)
            words += f", ${spent * (1 + missing / tally.prompts):,.2f}"
        print_once(f"{words}.", key="estimate")

    return report


OF_BUDGET = ("depth", "without_judged", "sample", "seed", "same_budget")
OF_ENGINE = ("engine", "address", "workers")

# What says nothing where one of these is asked for, and would be passed over.
_ALONE = {
    "background": ("reparse", "unreadable", "dry_run", "prices"),
    "reparse": (
        *("unreadable", "dry_run", "again", "max_tokens", "prices", "prompt_file"),
        "query_id",
        *(*OF_BUDGET, *OF_ENGINE),
    ),
    "unreadable": (
        *("dry_run", "again", "max_tokens", "prices", "prompt_file"),
        *(*OF_BUDGET, *OF_ENGINE),
    ),
}


def _refuse_together(given: Mapping[str, object]) -> None:
    """Raise UsageError for options of which one would be passed over in silence."""
    for alone, others in _ALONE.items():
        for other in others:
            # A seed of 0 is given, too.
            if given[alone] and all(given[other] is not no for no in (None, False, ())):
                name = other.removesuffix("_file").removesuffix("_id")
                name = name.replace("_", "-")
                raise click.UsageError(f"--{alone} does not go with --{name}.")
    if given["reads"] and not given["prompt_file"]:
        raise click.UsageError("--reads needs --prompt.")


def _own_prompt(file: Path | None, reads: str | None) -> Prompt | None:
    from grading.prompts.custom import prompt_from_file

    reading = READINGS[reads or "rating"]
    return None if file is None else prompt_from_file(file, reading=reading)


@main.command()
@WORKSPACE
@click.option("--pause", type=int, metavar="JOB", help="Pause this job.")
@click.option("--resume", type=int, metavar="JOB", help="Resume this job.")
@click.option("--stop", type=int, metavar="JOB",
              help="Stop this job, so that another can start.")  # fmt: skip
@printed
def jobs(workspace: Path, **changes: int | None) -> Tabular:
    """List background jobs with their progress, the latest first.

    A job whose process ended keeps its grades. Continue it with --resume, like a paused
    one.

    \b
    Example:
      curator jobs demo.db
    """
    given = {name: job for name, job in changes.items() if job is not None}
    if len(given) > 1:
        raise click.UsageError("Give one of --pause, --resume and --stop.")
    with opened(workspace) as one:
        if "resume" in given:
            for job in one.jobs():
                if job.job_id == given["resume"] and job.host:
                    announce(job.host)
        changed = [getattr(one, f"{name}_job")(job) for name, job in given.items()]
        return changed[0] if changed else one.jobs()
