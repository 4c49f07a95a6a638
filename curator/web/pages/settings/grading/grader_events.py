"""Events about graders and jobs, from any page: grade, count, start, pause."""

from __future__ import annotations

from curator.web.components import session
from curator.web.components.channel import PageEvent, handles
from curator.web.components.view import whole_number


@handles("grade")
def grade(*, name: str) -> None:
    """Start a grader."""
    session.send("start", name)
    session.current().counted = None  # what is missing changes now


@handles("start")
def start(*, name: str) -> None:
    """Start a grader as it was counted, within the same budget."""
    counted = session.current().counted
    about = dict(counted.about) if counted and counted.grader == name else {}
    session.send("start", name, **about)
    session.current().counted = None


@handles("again")
def grade_again(*, name: str) -> None:
    """Ask a grader again for its unreadable responses."""
    session.send("again", name)


@handles("count")
def count(*, name: str) -> None:
    """Count what a grader would be asked, and show it on Grading."""
    session.send("count", name)
    session.current().go_to = "Grading"


@handles("unreadable")
def show_unreadable(*, name: str) -> None:
    """Open the unreadable responses of a grader."""
    session.current().unreadable_of = name
    session.current().go_to = "Grading"


@handles("pause", "resume")
def change_job_named(event: PageEvent, *, name: str) -> None:
    """Pause or resume a job."""
    if (job_id := whole_number(name, 1, 2**31)) is not None:
        change_job(event.type, job_id)


def change_job(what: str, job_id: int) -> None:
    """Pause, resume or stop a job; a refusal is noted in one line."""
    with session.noting() as workspace:
        getattr(workspace, f"{what}_job")(job_id)
