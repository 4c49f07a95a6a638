"""Commands on people, their work, and the settings of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from curator.cli.grading import prompt_named_or_read
from curator.cli.program import WorkspaceGroup, add_verb, command, verbs

if TYPE_CHECKING:
    from curator.workspace import Workspace

WorkspaceGroup(
    "people",
    default="list",
    help="""Manage the people of a workspace. Without a command, list them.

Once anybody is listed, the app refuses everybody who is not. docs/team.md lists the
rights of each role.

\b
Example:
  curator people demo.db
""",
)

add_verb(
    verbs.people,
    "List the people with their roles, organizers first.",
    "people demo.db list",
)


add_verb(
    verbs.add_people,
    "Add people with a role, or change the role of listed people.",
    "people demo.db add ann@example.org bo@example.org --role judge",
)
add_verb(
    verbs.remove_people,
    "Remove people. Their edits stay in the history under their names.",
    "people demo.db remove bo@example.org",
)


@command(
    excludes={
        "evenly": "giver remove history",
        "giver": "remove history",
        "remove": "history",
    },
)
def assign(
    workspace: Workspace,
    *,
    judges: Sequence[str] = (),
    query_ids: Sequence[str] = (),
    work: Literal["curate", "votes", "checks"] | None = None,
    count: int = 10,
    evenly: bool = False,
    overlap: int = 1,
    seed: int | None = None,
    giver: str | None = None,
    remove: str | None = None,
    history: bool = False,
) -> Any:
    """Assign queries to judges to curate, vote or check. Without options, list them.

    Done marks, votes and checks count as progress: docs/team.md.

    Example:
      curator assign demo.db --evenly --overlap 2 --to ann --to bo --to cy

    Args:
        judges (--to NAME): Judge who gets the work; repeat for several.
        query_ids (--query ID): Only this query; repeat for several. [all]
        work: Kind of work. [curate; with --from and --remove, all]
        count (N): Number of checks per query.
        evenly: Share the queries evenly among all judges, or among those of --to.
        overlap (N): With --evenly: number of judges per query.
        seed (N): With --evenly: random seed.
        giver (--from NAME): Move the unfinished work of NAME to the judge of --to.
        remove (NAME): Take work away from NAME.
        history: List all changes of assignments instead.
    """
    queries = query_ids or None
    if history:
        return workspace.handovers()
    if remove is not None:
        return workspace.unassign(remove, queries, work=work)
    if giver is not None:
        if len(judges) != 1:
            raise click.UsageError("--from needs exactly one --to.")
        return workspace.reassign(giver, judges[0], queries, work=work)
    if not (evenly or judges):
        return workspace.assignments(work=work)
    options: dict[str, Any] = {"work": work or "curate", "count": count}
    if evenly:
        options |= {"overlap": overlap, "seed": seed}
        return workspace.assign_evenly(judges or None, queries, **options)
    return workspace.assign(judges, queries, **options)


add_verb(
    verbs.progress,
    "Show each judge's progress with assigned work, their speed and agreement.",
    "progress demo.db",
)


@command(needs={"lift": "queries"})
def restrict(
    workspace: Workspace, queries: Sequence[str] = (), *, lift: bool = False
) -> Any:
    """Hide the texts of queries from judges and viewers. Without QUERY, list them.

    They are shown only to organizers, left out of exports, and not sent to endpoints on
    other machines. Grades, labels, scores, ranks and boards stay visible:
    docs/deploy.md.

    Example:
      curator restrict demo.db pacemaker

    Args:
        queries ([QUERY]...): Queries to restrict.
        lift: Lift the restriction of these queries.
    """
    if queries:
        return workspace.restrict(queries, lift=lift)
    return workspace.restrictions()


@command()
def status(workspace: Workspace, *, statistics: bool = False) -> Any:
    """Show the state of a workspace: steps, counts, graders, what is missing.

    Example:
      curator status demo.db

    Args:
        statistics: Print the sizes of the collection instead, for a paper.
    """
    return workspace.statistics() if statistics else workspace.status()


@command(verb=verbs.set_up, needs={"nuggets": "prompt"})
def setup(
    workspace: Workspace,
    *,
    guidelines: Path | None = None,
    model: str | None = None,
    endpoint: str | None = None,
    temperature: str | None = None,
    prompt: str | None = None,
    nuggets: bool = False,
    count: int | None = None,
    **options: Any,
) -> Any:
    """Change the settings of a workspace, and print them.

    Settings without an option keep their values, also in later imports. --model and the
    options after it say how the pages and `curator generate` ask models for questions.

    Example:
      curator setup demo.db --title "Three everyday questions" --blind

    Args:
        guidelines (FILE.md): Guidelines for judges; an empty file removes them.
        model (NAME): Model that proposes questions, as its endpoint names it.
        endpoint (URL): Address of the server of chat models, https://…/v1; '' for
            OPENAI_BASE_URL.
        temperature (T|own): Temperature from 0 to 2, or own for the model's default.
        prompt (NAME|FILE): automatic (car for subtopics, dl for queries), dl, car,
            nugget, passage, or a text file that contains {query_title}.
        nuggets: Your own prompt asks for key facts.
        count (N): Number of questions to ask for.
    """
    from curator.formats.guidelines import read_guidelines
    from curator.verbs.proposals.request import AUTOMATIC

    request: dict[str, Any] = {"model": model, "count": count, "endpoint": endpoint}
    request = {name: value for name, value in request.items() if value is not None}
    if temperature is not None:
        request["temperature"] = read_temperature(temperature)
    if prompt is not None:
        request["prompt"] = (
            None if prompt == AUTOMATIC else prompt_named_or_read(prompt, nuggets)
        )
    if guidelines is not None:
        options["guidelines"] = read_guidelines(guidelines)
    if request:
        options["generation"] = replace(workspace.default_request(), **request)
    return workspace.set_up(**options)


def read_temperature(text: str) -> float | None:
    """Return the temperature, None for "own"."""
    try:
        return None if text == "own" else float(text)
    except ValueError:
        raise click.BadParameter(
            f"'{text}' is neither a number from 0 to 2 nor own.",
            param_hint="'--temperature'",
        ) from None
