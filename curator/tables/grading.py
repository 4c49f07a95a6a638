"""What was graded, and the jobs that grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.tables.table import Cell, Shown

if TYPE_CHECKING:
    from curator.verbs.grading.jobs import Job
    from curator.verbs.grading.reparse import Reread
    from curator.verbs.grading.summary import GradeSummary
    from curator.verbs.grading.unreadable import Unreadable


def graded(summary: GradeSummary) -> Shown:
    """What was missing, and asked."""
    row: list[Cell] = [summary.grader, summary.queries, summary.asked]
    headings = ["grader", "queries", "missing" if summary.dry_run else "grades"]
    if summary.texts:
        row += [summary.texts]
        headings += ["texts to read"]
    if summary.answers:
        row += [summary.answers]
        headings += ["answers to score" if summary.dry_run else "answers scored"]
    if summary.prompts:
        row += [summary.prompts, summary.tokens_in, summary.tokens_out]
        headings += ["prompts", "tokens in", "tokens out"]
    if summary.dollars is not None:
        row += [round(summary.dollars, 4)]
        headings += ["dollars"]
    return Shown(asdict(summary), headings, [row], notes=_notes(summary))


def _notes(summary: GradeSummary) -> list[str]:
    notes = []
    if summary.without_text:
        notes.append(
            f"{summary.without_text} questions have no text in this workspace and "
            "cannot be graded; import their bank."
        )
    if summary.without_key:
        notes.append(
            f"{summary.without_key} questions have no answer key, so no answer to them "
            "can be verified."
        )
    if summary.without_answer:
        notes.append(
            f"{summary.without_answer:,} (question, passage) pairs have no answer to "
            "check: the answering grader has said nothing of them."
        )
    if not summary.asked:
        notes.append("No grade is missing that this grader could give.")
    if summary.dry_run and summary.prompts:
        notes.append(
            "Tokens are an estimate, a token for every four bytes; for a reasoning "
            "model tokens out are the most it may take."
        )
    elif summary.prompts:
        notes.append(cut_words(summary.cut, summary.prompts))
    if summary.unreadable and summary.prompts:
        notes.append(
            f"{summary.unreadable:,} responses state no rating and stay unknown: "
            "--unreadable lists them, --again asks once more."
        )
    elif summary.unreadable:
        notes.append(
            f"{summary.unreadable:,} unreadable: the response has no words, so the "
            "grade stays unknown. --unreadable lists them; --again asks once more "
            "where the answering grader can be asked here."
        )
    if summary.asked and summary.dry_run:
        notes.append("Dry run: nothing was graded.")
    return notes


def cut_words(cut: int, prompts: int) -> str:
    """In how many prompts the passage was too long for the model."""
    return (
        f"In {cut:,} of {prompts:,} prompts the passage was cut to fit "
        f"({cut / prompts:.1%})."
    )


def reread(found: Reread) -> Shown:
    """Every kind of change between two readings, the most frequent first."""
    rows: list[list[Cell]] = [
        [
            one.kind,
            "unknown" if one.before is None else one.before,
            "unknown" if one.after is None else one.after,
            one.count,
            " | ".join(one.responses)[:60],
        ]
        for one in found.changes
    ]
    changed = sum(one.count for one in found.changes if one.changed)
    notes = [
        f"{found.reread} reads {found.responses:,} responses of {found.grader}; "
        f"{changed:,} ratings differ."
    ]
    if found.without_words:
        notes.append(
            f"{found.without_words:,} grades came without the response's words and "
            "are left out."
        )
    headings = ["response", "before", "after", "count", "such as"]
    return Shown(asdict(found), headings, rows, notes=notes)


def unreadable(found: Sequence[Unreadable]) -> Shown:
    """A line per response that states no rating, with its words."""
    rows: list[list[Cell]] = [
        [one.query_id, one.target_id, one.passage_id, one.raw] for one in found
    ]
    notes = [] if found else ["Every response states a rating."]
    headings = ["query", "question", "passage", "response"]
    return Shown([asdict(one) for one in found], headings, rows, notes=notes)


def jobs(found: Sequence[Job]) -> Shown:
    """A line per job, the latest first."""
    rows: list[list[Cell]] = [
        [
            one.job_id,
            one.name,
            one.in_words,
            one.by,
            one.started_at[:16].replace("T", " "),
        ]
        for one in found
    ]
    headings = ["job", "of", "state", "by", "started (UTC)"]
    notes = [
        f"Job {one.job_id} goes on with --resume {one.job_id}."
        for one in found
        if one.state in ("paused", "failed") or one.gone
    ]
    notes += [
        f"Job {one.job_id}: {cut_words(one.cut, one.prompts)}"
        for one in found
        if one.prompts and one.kind == "grade"
    ]
    if not found:
        notes.append(
            "No job has been started here; `curator grade --background` and `curator "
            "generate --background` do."
        )
    return Shown([job_json(one) for one in found], headings, rows, notes=notes)


def job(found: Job) -> Shown:
    """One job, as in the list of all of them."""
    listed = jobs([found])
    return Shown(job_json(found), listed.headings, listed.rows)


def job_json(found: Job) -> dict[str, Cell]:
    """The job as the contract names it."""
    return {
        "job": found.job_id,
        "kind": found.kind,
        "grader": found.grader,
        "state": found.state,
        "done": found.done,
        "total": found.total,
        "seconds_left": found.seconds_left,
        "by": found.by,
        "started_at": found.started_at,
        "error": found.error,
        "query": found.query_id,
        "per_second": found.per_second,
        "prompts": found.prompts,
        "cut": found.cut,
        "unreadable": found.unreadable,
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
    }
