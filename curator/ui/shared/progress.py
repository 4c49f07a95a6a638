"""What goes on beside the page, a line each: the model, new text, jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.ui.grading.job_words import current
from curator.ui.shared.grader_names import without_folders
from curator.verbs.grading.jobs import Job, time_in_words

LOADING = "Embedding model loading (first time only)"


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence; what can be done about it, and what the page sends then."""

    text: str
    act: str = ""
    pick: str = ""
    error: bool = False


def lines(
    *,
    loading: bool,
    failed: str,
    grading: bool,
    progress: tuple[int, int] | None,
    error: str,
    jobs: Sequence[Job],
    starting: str = "",
    refused: str = "",
) -> tuple[Line, ...]:
    """The lines in the order of what the judge waits for.

    ``starting`` is a grader whose job is about to begin, ``refused`` why one is not.
    """
    found = []
    if loading:
        found.append(Line(LOADING))
    if failed or error:
        found.append(Line(failed or error, error=True))
    elif grading:
        share = (
            "" if progress is None else f": {progress[0]:,} of {progress[1]:,} texts"
        )
        found.append(Line(f"Grading new text by embedding{share}"))
    if starting:
        found.append(Line(f"Starting {without_folders(starting)}"))
    elif refused:
        found.append(Line(refused, "Dismiss", "forget:begun", error=True))
    found += [line for job in current(jobs) if (line := job_line(job)) is not None]
    return tuple(found)


def job_line(job: Job) -> Line | None:
    """``flan-t5-large: 215 of 430 grades, about 2 min`` and Pause; None when over.

    What somebody has stopped is over; what stopped by itself is not.
    """
    share = f"{without_folders(job.name)}: {job.done:,} of {job.total:,} {job.unit}"
    if job.state == "done" or (job.state == "stopped" and not job.gone):
        return None
    if job.state == "running":
        left = time_in_words(job.seconds_left)
        said = f"{share}, {left}" if left else share
        return Line(said, "Pause", f"pause:{job.job_id}")
    words = {"paused": "Paused.", "stopped": "Stopped.", "failed": "Failed."}
    why = f" {job.error}" if job.error else ""
    return Line(
        f"{words[job.state]} {share} kept.{why}",
        "Resume",
        f"resume:{job.job_id}",
        error=job.state != "paused",
    )
