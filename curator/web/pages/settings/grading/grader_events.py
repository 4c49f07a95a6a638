"""What is asked of graders and jobs, on whichever page: to count, start, pause."""

from __future__ import annotations

from curator.web.components import session
from curator.web.components.channel import PageEvent, handles
from curator.web.components.view import whole_number


@handles("grade")
def grade(*, name: str) -> None:
    """Start a grader."""
    session.send("start", name)
    session.current().counted = None  # it is not what is missing any more


@handles("start")
def start(*, name: str) -> None:
    """Start a grader as it was counted, within the same budget."""
    counted = session.current().counted
    about = dict(counted.about) if counted and counted.grader == name else {}
    session.send("start", name, **about)
    session.current().counted = None


@handles("again")
def grade_again(*, name: str) -> None:
    """Have what a grader could not read asked again."""
    session.send("again", name)


@handles("count")
def count(
    *,
    name: str,
    prices: str = "",
    depth: str = "",
    sample: str = "",
    seed: str = "",
    without_judged: bool = False,
    engine: str = "",
) -> None:
    """Count what a grader would be asked, within a budget where there is one.

    The ``engine`` is whose models would be asked if not this machine's.
    """
    if name.strip():
        budget = {"depth": depth, "sample": sample, "seed": seed if sample else ""}
        given = budget | {"engine": engine}
        about = {option: said.strip() or None for option, said in given.items()}
        about["without-judged"] = "" if without_judged else None
        session.send("count", name.strip(), prices.strip(), **about)
        session.current().go_to = "Grading"


@handles("unreadable")
def show_unreadable(*, name: str) -> None:
    """Open the responses of a grader that could not be read."""
    session.current().unreadable_of = name
    session.current().go_to = "Grading"


@handles("pause", "resume")
def change_job_named(event: PageEvent, *, name: str) -> None:
    """Pause or resume a job."""
    if (job_id := whole_number(name, 1, 2**31)) is not None:
        change_job(event.type, job_id)


def change_job(what: str, job_id: int) -> None:
    """Pause, resume or stop a job; why it cannot be is noted in one line."""
    with session.noting() as workspace:
        change = {
            "pause": workspace.pause_job,
            "resume": workspace.resume_job,
            "stop": workspace.stop_job,
        }[what]
        change(job_id)
