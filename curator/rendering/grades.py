"""What was graded, and the jobs that grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.rendering.shown import Cell, Shown

if TYPE_CHECKING:
    from curator.jobs import Job
    from curator.verbs.grading import GradeSummary


def graded(summary: GradeSummary) -> Shown:
    """What was missing, and asked."""
    rows: list[list[Cell]] = [
        [
            summary.grader,
            summary.queries,
            summary.asked,
            summary.texts,
            summary.without_text,
        ]
    ]
    headings = ["grader", "queries", "grades missing", "texts to read", "no text"]
    notes = []
    if summary.without_text:
        notes.append(
            f"{summary.without_text} questions have no text in this workspace and "
            "cannot be graded; import their bank."
        )
    if not summary.asked:
        notes.append("No grade is missing that this grader could give.")
    elif summary.dry_run:
        notes.append("Dry run: nothing was graded.")
    return Shown(asdict(summary), headings, rows, notes=notes)


def jobs(found: Sequence[Job]) -> Shown:
    """A line per job, the latest first."""
    rows: list[list[Cell]] = [
        [
            one.job_id,
            one.grader,
            one.in_words,
            one.by,
            one.started_at[:16].replace("T", " "),
        ]
        for one in found
    ]
    headings = ["job", "grader", "state", "by", "started (UTC)"]
    notes = [
        f"Job {one.job_id} goes on with --resume {one.job_id}."
        for one in found
        if one.state in ("paused", "stopped", "failed")
    ]
    if not found:
        notes.append("No job has been started here; `curator grade --background` does.")
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
    }
