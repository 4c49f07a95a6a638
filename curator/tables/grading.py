"""Tables of grading and of background jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.results import to_json
from curator.snapshot.learned import PREFIX as LEARNED
from curator.tables.table import Column, Table, columns, columns_of

if TYPE_CHECKING:
    from curator.verbs.grading.jobs import Job
    from curator.verbs.grading.summary import GradeSummary

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
    unreadable = (
        "responses state no rating, so their grades are unknown: list them with "
        "--unreadable, or ask again with --again."
    )
    if not summary.prompts:
        unreadable = (
            "unreadable: the response is empty, so the grade is unknown. List them "
            "with --unreadable, or ask again with --again."
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
        f"{summary.unreadable:,} {unreadable}": summary.unreadable,
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
    return (
        f"In {cut:,} of {prompts:,} prompts the passage was cut to fit ({share:.1%})."
    )


def job_list(jobs: Sequence[Job]) -> Table:
    """A line per job, the latest first, with what to do about it."""
    ended = ("paused", "failed")
    notes = [f"Job {job.job_id} sends texts to {job.host}." for job in jobs if job.host]
    notes += [
        f"Continue job {row.job_id} with --resume {row.job_id}."
        for row in jobs
        if row.state in ended or row.process_ended
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
    columns = columns_of(type(jobs[0]) if jobs else None, JOB)
    return Table(columns, jobs, "", notes, to_json(jobs))


JOB = "job_id of=name state=state_line by started_(UTC)=started_at"
