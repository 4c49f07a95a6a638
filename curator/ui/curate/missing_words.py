"""What a board lacks, why, and what can be done about it: the box above the impact."""

from __future__ import annotations

from dataclasses import dataclass

from curator.ui.shared import words
from curator.verbs.grading.jobs import Job
from curator.verbs.setup.status import GraderState

STAND_IN = "embedding"
BESIDE = "Beside this page, over every query"
PAID = "On the Grading page: what it would take, before anything is asked"


@dataclass(frozen=True, slots=True)
class Lack:
    """A sentence; what can be done about it, and what the page sends then."""

    text: str
    act: str = ""
    pick: str = ""
    title: str = ""


def imported_lacks(label: str, *, stands_in: bool, everywhere: bool) -> Lack:
    """That an imported grader cannot grade what is missing, and who can."""
    said = f"{label} cannot grade new text here.{_ranks(stands_in)}"
    if everywhere:
        return Lack(said)
    return Lack(said, f"Grade with {STAND_IN}", f"grade:{STAND_IN}", BESIDE)


def grader_lacks(
    grader: GraderState,
    label: str,
    *,
    job: Job | None,
    starting: bool,
    refused: str,
    edited: bool,
    stands_in: bool,
) -> Lack | None:
    """What a grader that can grade here lacks; None for one of vectors, which has it
    in a moment.

    ``job`` is its latest; ``edited`` says that something was written since what the
    board is compared with.
    """
    if grader.computed:
        return None
    ranks, what = _ranks(stands_in), " the new text" if edited else ""
    if not grader.unasked:
        return _asked_in_vain(grader, label, ranks)
    if job is not None and job.state == "running":
        return Lack(f"{label} is grading{what}: {_share(job)}.{ranks}")
    if starting:
        return Lack(f"{label} begins to grade{what}.{ranks}")
    if job is not None and job.state != "done":
        return _halted(job, label, ranks)
    act, title = (f"Grade with {label}", f"grade:{grader.name}"), BESIDE
    if grader.paid:
        act, title = (f"Count for {label}", f"count:{grader.name}"), PAID
    if refused:
        return Lack(f"{refused}{ranks}", *act, title)
    missing = words.missing_grades(grader.unasked)
    vain = f", {grader.unreadable:,} more unreadable" if grader.unreadable else ""
    return Lack(f"{missing} under {label}{vain}.{ranks}", *act, title)


def _asked_in_vain(grader: GraderState, label: str, ranks: str) -> Lack:
    if not grader.unreadable:
        said = f"{label} has not graded the text before, so nothing is compared."
        return Lack(f"{said}{ranks}")
    many = words.count(grader.unreadable, "response")
    state = "states" if grader.unreadable == 1 else "state"
    return Lack(
        f"{many} of {label} {state} no rating.{ranks}",
        "See them",
        f"unreadable:{grader.name}",
        "On the Grading page",
    )


def _halted(job: Job, label: str, ranks: str) -> Lack:
    """A job that waits for somebody's word."""
    how = {"paused": "is paused", "failed": "failed"}.get(job.state, "was stopped")
    why = f" {job.error}" if job.error else ""
    return Lack(
        f"{label} {how} at {_share(job)} grades.{why}{ranks}",
        "Resume",
        f"resume:{job.job_id}",
        "Goes on with what is still missing",
    )


def _share(job: Job) -> str:
    return f"{job.done:,} of {job.total:,}"


def _ranks(stands_in: bool) -> str:
    return f" Ranks by {STAND_IN}." if stands_in else ""
