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
    from curator.tables.table import Table
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
              help="Who grades. [instant, or embedding where that has graded]"
)  # fmt: skip
@several("--query", "query_id", help="Only this query; once for each of several.")
@file_given("--prompt", "prompt_file",
            help="A prompt of your own, with {question} and {context}.")  # fmt: skip
@click.option("--reads", type=click.Choice(list(READINGS)),
              help="What your own prompt asks for; a rating unless you say otherwise."
)  # fmt: skip
@click.option("--depth", type=click.IntRange(1), metavar="K",
              help="Only passages in some system's top K, and judged ones."
)  # fmt: skip
@flag("--without-judged", help="Only the top K of --depth, judged or not.")
@click.option("--sample", type=click.IntRange(1), metavar="N",
              help="N passages of each query, drawn at random of what --depth leaves."
)  # fmt: skip
@click.option("--seed", type=int, help="Draws another sample; 0 unless you say so.")
@flag("--same-budget", help="Within the --depth and --sample of last time.")
@flag("--dry-run", help="Say what is missing and stop.")
@click.option("--prices", metavar="IN,OUT",
              help="Dollars for a million tokens in and out; the sum is told."
)  # fmt: skip
@click.option("--engine", type=click.Choice(["local", "ray"]),
              help="Whose models: this process's, or workers of a Ray. [local]"
)  # fmt: skip
@click.option("--address", metavar="HOST:PORT",
              help="The Ray to join; else RAY_ADDRESS, else one on this machine."
)  # fmt: skip
@click.option("--workers", type=click.IntRange(1), metavar="N",
              help="At most so many; else one a GPU, or one for 8 CPUs."
)  # fmt: skip
@flag("--background", help="As a job of its own; `curator jobs` shows it.")
@flag("--reparse", help="Read the stored responses anew, as a grader of their own; "
      "asks no model.")  # fmt: skip
@flag("--unreadable", help="List responses without a rating.")
@flag("--again", help="Ask for unreadable responses once more.")
@click.option("--max-tokens", type=click.IntRange(1), metavar="N",
              help="Tokens of a chat model's answer; asks unreadable ones again."
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
) -> Table:
    """Ask a grader for every grade that is missing, and for no other.

    What is graded is stored as it comes: stopped, it goes on where it was. Graders are
    instant, embedding, lexical, flan-t5-small to flan-t5-xl, flan-t5:FOLDER, chat:MODEL
    (at the endpoint of `curator setup --endpoint`, else OPENAI_BASE_URL's; `curator
    endpoint test` tries it), nugget, direct:sun,
    direct:fag, direct:thom, both:ONE+OTHER, the lower of two, mean:ONE+OTHER, their
    mean by ranks, and
    ava:FOLDER+ANSWERING_GRADER, which checks that grader's answers against the answer
    keys by a model of `curator ava train`. After a slash: qa, qa/verified,
    qa/verified+true-false, greedy, a number format (float32, bfloat16, int8,
    ct2-bfloat16), for chat models reasoning, or a published prompt, such as
    rubric-question, sun-2023, fagb, helm, thomas and umbrela (docs/prompts.md). A
    prompt of your own holds {context} and {question} or {nugget}, or {query} with
    --reads relevance, and may hold {choices}.

    --depth and --sample are a budget: what they leave out stays unknown, and boards
    say how many grades that is. --engine ray has models run on a cluster, or on a Ray
    that is started here (docs/cluster.md).

    \b
    Example:
      curator grade demo.db --grader instant --dry-run
    """
    from curator.tables.grading import (
        graded_table,
        job_table,
        reparse_table,
        unreadable_table,
    )
    from curator.verbs.grading.summary import RunCounts
    from grading.costs import parse_prices

    _refuse_together(click.get_current_context().params)
    with opened(workspace) as one:
        if reparse or unreadable:
            name = one.settings(grader=grader).grader
            if reparse:
                return reparse_table(one.reparse(name))
            query_id = options["query_id"] or None
            return unreadable_table(one.unreadable(name, query_id=query_id))
        options["query_id"] = options["query_id"] or None
        options["announce"] = announce
        options["engine"] = options["engine"] or "local"
        options["prompt"] = _own_prompt(prompt_file, reads)
        if background:
            del options["dry_run"]
            return job_table(one.start_job(grader, **options))
        options["prices"] = None if prices is None else parse_prices(prices)
        tally = options["tally"] = RunCounts()
        with progress_bar("Grading") as bar:
            progress = _reporting(tally, options["prices"], bar)
            return graded_table(one.grade(grader, progress=progress, **options))


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
        words = f"By the first {tally.prompts} answers: about {tokens:,} tokens in all"
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
        raise click.UsageError("--reads says what a --prompt of your own asks for.")


def _own_prompt(file: Path | None, reads: str | None) -> Prompt | None:
    from grading.prompts.custom import prompt_from_file

    reading = READINGS[reads or "rating"]
    return None if file is None else prompt_from_file(file, reading=reading)


@main.command()
@WORKSPACE
@click.option("--pause", type=int, metavar="JOB", help="Let this job end for now.")
@click.option("--resume", type=int, metavar="JOB", help="Let this job go on.")
@click.option("--stop", type=int, metavar="JOB",
              help="Let this job end, and another begin.")  # fmt: skip
@printed
def jobs(workspace: Path, **changes: int | None) -> Table:
    """Work that goes on beside the app, and how far it is; the latest first.

    A job that is stopped, because its process was ended, has kept what it graded and
    is resumed like one that was paused.

    \b
    Example:
      curator jobs demo.db
    """
    from curator.tables.grading import job_list, job_table

    given = {name: job for name, job in changes.items() if job is not None}
    if len(given) > 1:
        raise click.UsageError("Give one of --pause, --resume and --stop.")
    with opened(workspace) as one:
        if "resume" in given:
            for job in one.jobs():
                if job.job_id == given["resume"] and job.host:
                    announce(job.host)
        changed = [getattr(one, f"{name}_job")(job) for name, job in given.items()]
        return job_table(*changed) if changed else job_list(one.jobs())
