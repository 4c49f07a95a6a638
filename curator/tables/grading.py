"""Tables of grading, jobs, requests for proposals, and the test of an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from difflib import get_close_matches
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.results import to_json
from curator.snapshot.learned import PREFIX as LEARNED
from curator.tables.table import Column, Table, columns, columns_of

if TYPE_CHECKING:
    from curator.verbs.grading.jobs import Job
    from curator.verbs.grading.summary import GradeSummary
    from curator.verbs.proposals.request import GenerateSummary
    from curator.verbs.setup import EndpointTrial
    from grading.models.endpoint import EndpointCheck


TOKENS = (
    Column("tokens in", lambda row: _or_unknown(row.tokens_in), "tokens_in"),
    Column("tokens out", lambda row: _or_unknown(row.tokens_out), "tokens_out"),
)
DOLLARS = Column("dollars", lambda row: round(row.dollars, 4))


def _or_unknown(tokens: int | None) -> int | str:
    return "unknown" if tokens is None else tokens


def graded_table(summary: GradeSummary) -> Table:
    """Make a table of missing and requested grades."""
    missing, scored = "grades", "answers_scored"
    if summary.dry_run:
        missing, scored = "missing", "answers_to_score"
    spec = f"grader queries {missing}=asked left_out? "
    layout = columns(f"{spec}{scored}=answers?")
    if summary.prompts:
        layout += [*columns("prompts"), *TOKENS]
    if summary.dollars is not None:
        layout.append(DOLLARS)
    return Table(layout, [summary], notes=_notes(summary), value=to_json(summary))


def _notes(summary: GradeSummary) -> list[str]:
    unreadable = "responses state no rating, so their grades are unknown: list them"
    if not summary.prompts:
        unreadable = (
            "unreadable: the response is empty, so the grade is unknown. List them"
        )
    notes = {
        summary.languages: summary.languages,
        f"{summary.grader} is computed from people's checks and the grades of its "
        "graders: their missing grades are graded.": summary.grader.startswith(LEARNED),
        f"Without a text in this workspace: {counted(summary.without_text, 'question')}"
        ". To grade them, import their bank.": summary.without_text,
        f"Without an answer key: {counted(summary.without_key, 'question')}. Their "
        "answers cannot be verified.": summary.without_key,
        f"{summary.without_answer:,} (question, passage) pairs have no answer to "
        "check: the answering grader has not answered them.": summary.without_answer,
        "This grader has nothing left to grade.": not (
            summary.asked or summary.left_out
        ),
        f"{counted(summary.nuggets, 'kept nugget')} not graded: {summary.grader} here "
        "grades only questions. `curator grade WORKSPACE --grader "
        f"'{summary.grader} (2)'` makes a second grader for both.": summary.nuggets,
        f"{summary.left_out:,} grades are left out by the budget: they stay unknown, "
        "and boards say so.": summary.left_out,
        restricted_words(summary.restricted): summary.restricted,
        f"The prompts would be sent to {summary.host}.": (
            summary.host and summary.dry_run
        ),
        f"{summary.missing_model}.": summary.missing_model,
        "Tokens are estimated at four bytes each; for a reasoning model, tokens out "
        "are the limit.": summary.prompts and summary.dry_run,
        _cut_words(summary.cut, summary.prompts): not summary.dry_run and summary.cut,
        f"{summary.unreadable:,} {unreadable} with --unreadable, or ask again with "
        "--again.": summary.unreadable,
        f"{summary.unfinished:,} of them were cut off at the limit of "
        f"{summary.max_tokens or 0:,} tokens: ask again with four times as many by "
        "--again, or with N by --max-tokens N.": summary.unfinished,
        f"{summary.refused:,} of them were refused or incomplete; --unreadable says "
        "why.": summary.refused,
        "Dry run: nothing was graded.": summary.asked and summary.dry_run,
    }
    return [note for note, holds in notes.items() if holds]


def restricted_words(queries: int) -> str:
    """Say how many queries are not sent to another machine."""
    return (
        "Restricted queries, left out because the model is on another machine: "
        f"{queries:,}."
    )


def _cut_words(cut: int, prompts: int) -> str:
    share = cut / prompts if prompts else 0
    of = f"{cut:,} of {prompts:,} prompts"
    return f"In {of} the passage was cut to fit ({share:.1%})."


def job_list(jobs: Sequence[Job]) -> Table:
    """A line per job, the latest first, with what to do about it."""
    notes = [f"Job {job.job_id} sends texts to {job.host}." for job in jobs if job.host]
    notes += [
        f"Continue job {row.job_id} with --resume {row.job_id}."
        for row in jobs
        if row.state in ("paused", "failed") or row.process_ended
    ]
    graded = [job for job in jobs if job.kind == "grade"]
    notes += [
        f"Job {job.job_id}: {_cut_words(job.cut, job.prompts)}"
        for job in graded
        if job.cut
    ]
    notes += [f"Job {job.job_id}: {job.warning}" for job in jobs if job.warning]
    notes += [
        f"Job {job.job_id}: {job.unfinished:,} answers were cut off at the limit of "
        "tokens: ask again with four times as many by --again, or N by --max-tokens N."
        for job in graded
        if job.unfinished
    ]
    if not jobs:
        notes.append(
            "No jobs yet. `curator grade --background` and `curator generate "
            "--background` start one."
        )
    spec = "job_id of=name state=state_line by started_(UTC)=started_at"
    columns = columns_of(type(jobs[0]) if jobs else None, spec)
    return Table(columns, jobs, "", notes, to_json(jobs))


def generated_table(summary: GenerateSummary) -> Table:
    """Make a table of a request for proposals; of a dry run, with all prompts."""
    layout = [*columns("model prompts=asked"), *TOKENS]
    if not summary.dry_run:
        layout += columns("proposed repeated unreadable")
    if summary.dollars is not None:
        layout.append(DOLLARS)
    value = to_json(summary)
    return Table(layout, [summary], _prompts(summary), _request_notes(summary), value)


def _prompts(summary: GenerateSummary) -> str:
    """Every prompt in full, a line above each that says what it is about."""
    parts = []
    for row in summary.texts:
        about = [f"query {row.query_id}"]
        if row.subtopic_id is not None:
            about.append(f"subtopic {row.subtopic_id}")
        if row.passage_id is not None:
            about.append(f"passage {row.passage_id}")
        parts.append(f"--- {', '.join(about)}, prompt {row.prompt}\n{row.text}\n")
    return "\n".join(parts)


def _request_notes(summary: GenerateSummary) -> list[str]:
    nothing = "no query has what the prompt asks about"
    if summary.covered_by:
        nothing = "kept questions cover every passage"
    answered = summary.asked or summary.had or summary.elsewhere
    notes = {
        f"No kept question covers these passages, by grades of {summary.covered_by}, "
        "or of a vector grader where they are missing.": summary.covered_by,
        f"Nothing to ask: {nothing}.": not answered,
        f"{summary.had:,} were sent before; --again sends them again.": summary.had,
        f"{summary.elsewhere:,} are being sent by another process.": summary.elsewhere,
        f"{summary.without_title:,} queries are known by their id only and are left "
        "out; import their texts.": summary.without_title,
        restricted_words(summary.restricted): summary.restricted,
        f"Answers that broke off in the middle of their list: {summary.cut:,}; their "
        "complete questions are proposed.": summary.cut,
        f"Texts beyond twice the number asked for: {summary.left_out:,}; they are not "
        "proposed, but shown under Proposals on Judge.": summary.left_out,
        "Stopped: the remaining prompts were not sent.": summary.stopped,
        f"Responses without a list: {summary.unreadable:,}{_reasons(summary)}; read "
        "them, or ask again, under Proposals on Judge.": (summary.unreadable),
        f"The prompts would be sent to {summary.host}.": (
            summary.host and summary.dry_run
        ),
        "Dry run: nothing was sent. Tokens are estimated at four bytes each.": (
            summary.dry_run
        ),
    }
    return [note for note, holds in notes.items() if holds]


def _reasons(summary: GenerateSummary) -> str:
    """Name the first reason, and how many others there are."""
    if not summary.faults:
        return ""
    more = len(summary.faults) - 1
    return f" ({summary.faults[0]}{f', and {more:,} other reasons' if more else ''})"


LISTED_MODELS = 8  # models that are named

REMEDIES = {
    "whole path": "The address holds the path of a request, which is added to it: "
    "{use}.",
    "base": "{host} has its models at another path: {use}.",
    "wants http": "{host} does not speak TLS: {use}.",
    "wants https": "{host} speaks TLS only: {use}.",
    "certificate": "The certificate of {host} is not trusted{quoted}: set "
    "SSL_CERT_FILE=FILE, the certificate of the authority that signed it.",
    "proxy": "A proxy of the environment (HTTP_PROXY, HTTPS_PROXY) did not pass the "
    "request on to {host}: set NO_PROXY={name}, or correct the proxy.",
    "host": "No machine is called {name}: correct the address.",
    "refused": "Nothing answers at {host}: start the server, or correct the address.",
    "silent": "{host} does not answer: it may be loading the model, or a firewall is "
    "in the way; look at the server, and try again.",
    "broken": "{host} broke off the connection{quoted}: look at the server's log; if "
    "it speaks TLS only, {use}.",
    "no model": "No model is named: name one. {listed}",
    "model": "{host} has no model “{model}”: name another. {listed}",
    "other model": "{host} answers for “{model}” with another model: grades are kept "
    "under the name, so name it as the server does. {listed}",
    "key": "{host} refuses the key{quoted}: set {keys}.",
    "other key": "The key of the environment is for another server, so {host} got none"
    "{quoted}: set {keys}.",
    "credit": "The account at {host} has no credit left{quoted}: top it up, or use "
    "another endpoint.",
    "busy": "{host} takes no request now{quoted}: try again in a minute.",
    "temperature": "“{model}” refuses temperature 0: grade with {reasoning}, and leave "
    "the temperature of proposals to the model (an empty field Temperature on "
    "Settings, or `curator setup --temperature own`).",
    "context": "“{model}” reads too few tokens{quoted}: start its server with a longer "
    "context, 8192 tokens or more (docs/graders.md), or name another model.",
    "redirect": "{host} sends requests on to another address: {use}.",
    "not found": "{host} has nothing at this address{quoted}: correct address or "
    "model.",
    "server": "{host} failed{quoted}: look at the server's log, or try again.",
    "request": "{host} refuses the request{quoted}: name another model.",
    "no completion": "{host} did not send a chat completion: correct the address; most "
    "end in /v1.",
    "limit": "The answer was cut off before a rating, as with reasoning models: grade "
    "with {reasoning}.",
    "unreadable": "The answer states no rating from 0 to 5{quoted}, so such grades "
    "stay unknown: name a model that follows instructions.",
}
"""By problem."""


def trial_table(trial: EndpointTrial) -> Table:
    """Answer, rating, tokens and seconds, a line each; the remedy beneath."""
    check = trial.check
    cells = asdict(check) | {"model": check.model or None}
    cells["seconds"] = check.seconds and round(check.seconds, 2)
    names = ("host", "model", "answer", "rating", "tokens_in", "tokens_out", "seconds")
    rows = [(name.replace("_", " "), cells[name]) for name in names]
    if check.answer is None:
        rows = [row for row in rows if row[1] is not None]
    line = remedy(check)
    value = asdict(check) | {"source": trial.source, "remedy": line}
    notes = [line] if line else ["The endpoint works: the answer states a rating."]
    return Table.of(["endpoint", "value"], rows, notes=notes, value=value)


def remedy(check: EndpointCheck) -> str:
    """Say in one line what to do, "" where nothing is wrong."""
    if not check.problem:
        return ""
    return REMEDIES[check.problem].format(
        host=check.host,
        name=check.host.partition(":")[0],
        model=check.model,
        use=f"use {check.address}" if check.address else "correct it",
        keys=f"OPENAI_BASE_URL={check.address} OPENAI_API_KEY=KEY",
        quoted=f" ({check.detail})" if check.detail else "",
        reasoning=f"chat:{check.model}/reasoning",
        listed=_listed(check),
    )


def _listed(check: EndpointCheck) -> str:
    near = get_close_matches(check.model, check.models, LISTED_MODELS, 0.4)
    models = list(dict.fromkeys([*near, *check.models]))
    if not models:
        return "It lists none."
    more = (
        f" and {len(models) - LISTED_MODELS:,} more"
        if len(models) > LISTED_MODELS
        else ""
    )
    return f"It lists {', '.join(models[:LISTED_MODELS])}{more}."
