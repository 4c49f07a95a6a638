"""Tables of grading and of background jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from curator.formats.text.notices import counted
from curator.snapshot.learned import PREFIX as LEARNED
from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.verbs.grading.jobs import Job
    from curator.verbs.grading.missing import Unreadable
    from curator.verbs.grading.reparse import Reparsed
    from curator.verbs.grading.summary import GradeSummary

TOKENS = (
    Column("tokens in", lambda row: tokens_words(row.tokens_in), "tokens_in"),
    Column("tokens out", lambda row: tokens_words(row.tokens_out), "tokens_out"),
)
DOLLARS = Column("dollars", lambda one: round(one.dollars, 4))


def tokens_words(tokens: int | None) -> int | str:
    """The count, or "unknown" where the server did not report it."""
    return "unknown" if tokens is None else tokens


def graded_table(summary: GradeSummary) -> Table:
    """Make a table of missing and requested grades."""
    columns = [
        *(Column("grader"), Column("queries")),
        Column("missing" if summary.dry_run else "grades", "asked"),
    ]
    if summary.left_out:
        columns.append(Column("left out", "left_out"))
    if summary.texts:
        columns.append(Column("texts to read", "texts"))
    if summary.answers:
        heading = "answers to score" if summary.dry_run else "answers scored"
        columns.append(Column(heading, "answers"))
    if summary.prompts:
        columns += [Column("prompts"), *TOKENS]
    if summary.dollars is not None:
        columns.append(DOLLARS)
    value = asdict(summary)
    for name in (
        *("left_out", "nuggets", "restricted", "languages"),
        *("host", "missing_model", "judged_only"),
    ):
        if not value[name]:
            del value[name]
    return Table(columns, [summary], notes=_notes(summary), value=value)


def _notes(summary: GradeSummary) -> list[str]:
    asked = (
        "Tokens are estimated at four bytes each; for a reasoning model, tokens out "
        "are the limit."
    )
    unreadable = (
        "responses state no rating, so their grades are unknown: list them with "
        "--unreadable, or ask again with --again."
    )
    if not summary.prompts:
        unreadable = (
            "unreadable: the response is empty, so the grade is unknown. List them "
            "with --unreadable, or ask again with --again if the answering grader can "
            "be asked here."
        )
    cut = "" if summary.dry_run else cut_words(summary.cut, summary.prompts)
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
        f"Restricted queries, left out because the model is on another machine: "
        f"{summary.restricted:,}.": summary.restricted,
        budget_words(summary): summary.judged_only,
        f"The prompts would be sent to {summary.host}.": (
            summary.host and summary.dry_run
        ),
        f"{summary.missing_model}.": summary.missing_model,
        asked: summary.prompts and summary.dry_run,
        cut: cut,
        f"{summary.unreadable:,} {unreadable}": summary.unreadable,
        f"{summary.unfinished:,} of them were cut off at the limit of "
        f"{summary.max_tokens or 0:,} tokens: ask again with four times as many by "
        "--again, or with N by --max-tokens N.": summary.unfinished,
        f"{summary.refused:,} of them were refused or incomplete; --unreadable says "
        "why.": summary.refused,
        "Dry run: nothing was graded.": summary.asked and summary.dry_run,
    }
    return [note for note, holds in notes.items() if holds]


def budget_words(summary: GradeSummary) -> str:
    """Say how many passages are within the budget only because they are judged."""
    passages = counted(summary.judged_only, "passage")
    if not summary.left_out:
        return (
            f"The depth leaves nothing out: {passages} below it are judged, and so "
            "within the budget."
        )
    return f"Below the depth, {passages} are within the budget because they are judged."


def cut_words(cut: int, prompts: int) -> str:
    """Say in how many prompts the passage was too long; "" where in none."""
    if not cut:
        return ""
    return (
        f"In {cut:,} of {prompts:,} prompts the passage was cut to fit "
        f"({cut / prompts:.1%})."
    )


def reparse_table(reread: Reparsed) -> Table:
    """Every kind of change between two readings, the most frequent first."""
    changed = sum(one.count for one in reread.changes if one.changed)
    notes = [
        f"{reread.new_grader} parsed {reread.responses:,} responses of "
        f"{reread.grader}; {changed:,} ratings differ."
    ]
    if reread.without_words:
        notes.append(
            f"{reread.without_words:,} grades have no stored response and are left out."
        )
    columns = [
        Column("response", "kind"),
        Column("before", lambda one: "unknown" if one.before is None else one.before),
        Column("after", lambda one: "unknown" if one.after is None else one.after),
        Column("count"),
        Column("such as", lambda one: " | ".join(one.responses)[:60]),
    ]
    return Table(columns, reread.changes, notes=notes, value=asdict(reread))


def unreadable_table(responses: Sequence[Unreadable]) -> Table:
    """A line per response that states no rating, with the reason and its words."""
    columns = [
        *(Column("query", "query_id"), Column("question", "target_id")),
        *(Column("passage", "passage_id"), Column("reason"), Column("response", "raw")),
    ]
    notes = [] if responses else ["Every response states a rating."]
    return Table(columns, responses, notes=notes, value=[*map(asdict, responses)])


JOB = (
    *(
        Column("job", "job_id"),
        Column("of", "name"),
        Column("state", "state_line", "in_words"),
    ),
    Column("by"),
    Column(
        "started (UTC)", lambda one: one.started_at[:16].replace("T", " "), "started_at"
    ),
)


def job_list(jobs: Sequence[Job]) -> Table:
    """A line per job, the latest first."""
    notes = [f"Job {job.job_id} sends texts to {job.host}." for job in jobs if job.host]
    notes += [
        f"Continue job {one.job_id} with --resume {one.job_id}."
        for one in jobs
        if one.state in ("paused", "failed") or one.process_ended
    ]
    notes += [
        f"Job {job.job_id}: {cut_words(job.cut, job.prompts)}"
        for job in jobs
        if job.cut and job.kind == "grade"
    ]
    notes += [f"Job {job.job_id}: {job.warning}" for job in jobs if job.warning]
    notes += [
        f"Job {job.job_id}: {job.unfinished:,} answers were cut off at the limit of "
        "tokens: ask again with four times as many by --again, or N by --max-tokens N."
        for job in jobs
        if job.unfinished and job.kind == "grade"
    ]
    if not jobs:
        notes.append(
            "No jobs yet. `curator grade --background` and `curator generate "
            "--background` start one."
        )
    return Table(JOB, jobs, notes=notes, value=[job_json(one) for one in jobs])


def job_table(job: Job) -> Table:
    """Make a table of one job, with the columns of the job list."""
    return Table(JOB, [job], value=job_json(job))


def job_json(job: Job) -> dict[str, Any]:
    """The job as the contract names it."""
    names = (
        *("kind", "grader", "state", "done", "total", "seconds_left", "by"),
        *("started_at", "error", "query_id", "per_second"),
        *("prompts", "cut", "unreadable", "unfinished", "refused"),
        *("tokens_in", "tokens_out"),
    )
    values = record(job, *names)
    if job.warning:
        values["warning"] = job.warning
    if job.budget:
        values["budget"] = job.budget
    if job.engine != "local":
        values["engine"] = job.engine
    if job.query_ids:
        values["queries"] = job.query_ids
    if job.host:
        values["host"] = job.host
    return {"job": job.job_id} | {n.removesuffix("_id"): v for n, v in values.items()}
