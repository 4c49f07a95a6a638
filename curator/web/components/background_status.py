"""Lines about background work, and redrawing of a page whose data has changed.

One small fragment runs by itself; it reads versions only.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import streamlit as st

from curator.background.tasks import GradeTextTask
from curator.errors import SignInError
from curator.verbs.grading.jobs import Job, current_jobs, latest_job, time_in_words
from curator.web.components import events, presence, session, shell
from curator.web.components.channel import pick
from curator.web.components.settings import without_folders
from curator.workspace import Workspace
from grading.registry import DEFAULT_GRADER

LOADING = "Embedding model loading (first time only)"


@dataclass(frozen=True, slots=True)
class StatusLine:
    """A sentence, and a button for it with what it sends."""

    text: str
    act: str = ""
    pick: str = ""
    error: bool = False


def status_lines(
    *,
    loading: bool,
    failed: str,
    grading: bool,
    progress: tuple[int, int] | None,
    error: str,
    jobs: Sequence[Job],
    starting: str = "",
    refused: str = "",
) -> tuple[StatusLine, ...]:
    """Return the lines in the order of what the judge waits for.

    ``starting`` is a grader whose job is about to begin, ``refused`` why one is not.
    """
    lines = [StatusLine(LOADING)] if loading else []
    if failed or error:
        lines.append(StatusLine(failed or error, error=True))
    elif grading:
        share = f": {progress[0]:,} of {progress[1]:,} texts" if progress else ""
        lines.append(StatusLine(f"Grading new text{share}"))
    if starting:
        lines.append(StatusLine(f"Starting {without_folders(starting)}"))
    elif refused:
        lines.append(
            StatusLine(refused, "Dismiss", pick(events.forget, "begun"), error=True)
        )
    return (*lines, *filter(None, map(job_line, current_jobs(jobs))))


def job_line(job: Job) -> StatusLine | None:
    """``flan-t5-large: 215 of 430 grades, about 2 min`` and Pause; None when over."""
    name = without_folders(job.name) + (f" at {job.host}" if job.host else "")
    share = f"{name}: {job.done:,} of {job.total:,} {job.unit}"
    if job.state == "done" or (job.state == "stopped" and not job.process_ended):
        return None
    if job.state == "running":
        time_left = time_in_words(job.seconds_left)
        line = f"{share}, {time_left}" if time_left else share
        return StatusLine(line, "Pause", pick(events.pause, job.job_id))
    words = {"paused": "Paused.", "stopped": "Stopped.", "failed": "Failed."}
    why = f" {job.error}" if job.error else ""
    return StatusLine(
        f"{words[job.state]} {share} kept.{why}",
        "Resume",
        pick(events.resume, job.job_id),
        error=job.state != "paused",
    )


INSTANT = frozenset((DEFAULT_GRADER, "embedding"))  # whose grades come at once
EVERY = 1.5  # seconds between two looks
SHARE = 4  # times as long as a page took to draw, before another page follows
LATE = 1.4  # seconds; what others do in the query shown is not put off for longer
# Seconds between two drawings for a job's grades alone: each is a new board.
JOBS_EVERY = 6.0


Arrival = Callable[[], bool]
ARRIVALS: list[Arrival] = []


def arrival(function: Arrival) -> Arrival:
    """Register a page's function that returns True once its pending result is there."""
    ARRIVALS.append(function)
    return function


class Turns:
    """Turns in which the pages of a server are redrawn for what others did.

    If ten were drawn at once, a click would wait for all of them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free_at = 0.0

    def take(self, takes: float, *, at_once: bool = False) -> bool:
        """Return True if it is this page's turn, which took so many seconds to draw."""
        now = time.monotonic()
        with self._lock:
            if now < self._free_at and not at_once:
                return False
            self._free_at = now + SHARE * takes
            return True


TURNS = Turns()


class Versions(NamedTuple):
    """Jobs and versions of the workspace's data."""

    file: object
    jobs: Sequence[Job]
    version: int
    besides: int  # the same without the grades of jobs that run
    banks: Mapping[str, int]  # the version of each query's bank that has changed

    @classmethod
    def of(cls, workspace: Workspace, file: object = None) -> Versions:
        """Return those of now."""
        jobs = workspace.jobs()
        besides = workspace.version(besides=running(jobs) - INSTANT)
        banks = workspace.versions_of_banks()
        return cls(file, jobs, workspace.version(), besides, banks)


_LATEST: list[Versions] = []


def latest_versions() -> Versions:
    """Return the versions, read once a change for all pages of the server."""
    file = session.file_now()
    if file is None or not _LATEST or _LATEST[0].file != file:
        with session.drawing() as workspace:
            _LATEST[:] = [Versions.of(workspace, file)]
    return _LATEST[0]


def page_versions(at: Versions) -> tuple[Any, ...]:
    """Return the versions of the data that the page depends on.

    First those anywhere, then in the query shown, whose changes are followed in turns.
    Grades of a running job come all the time: see ``due``.
    """
    service, this, query_id = session.service(), session.current(), session.view().query
    return (
        at.besides,
        (query_id, at.banks.get(query_id or "")),
        service.model.state,
        tuple((job.job_id, job.state) for job in at.jobs if job.state != "done"),
        service.result(this.begun),
        service.result(this.request),
        service.result(this.tried),
        tuple(service.result(task) is not None for task in this.weighing),
        service.result(this.reaching) is not None,
    )


def running(jobs: Sequence[Job]) -> set[str]:
    """Return the graders of the jobs that run."""
    return {job.grader for job in jobs if (job.state, job.kind) == ("running", "grade")}


def drawing(workspace: Workspace) -> None:
    """Remember the versions that the page is drawn with."""
    this = session.current()
    this.drawn = page_versions(Versions.of(workspace))
    this.drawn_at, this.drawn_for = time.monotonic(), None
    this.news_since, this.has_arrived = None, False
    this.names = workspace.collection().names


def follows(now: tuple[Any, ...]) -> bool:
    """Return True if it is time to redraw the page for what others did."""
    this = session.current()
    if this.drawn is None or now[:2] == this.drawn[:2]:
        this.news_since = None
        return False
    if this.news_since is None:
        this.news_since = time.monotonic()
    waited = time.monotonic() - this.news_since
    here = now[1] != this.drawn[1]
    return TURNS.take(this.drawn_for or 0.0, at_once=here and waited > LATE)


def due(jobs: Sequence[Job], grader: str | None) -> bool:
    """Return True if new grades of a running job of this grader are to be shown."""
    is_shown = grader is not None and any(name in grader for name in running(jobs))
    return is_shown and time.monotonic() - session.current().drawn_at > JOBS_EVERY


@st.fragment(run_every=EVERY)
def model_status() -> None:
    """Show background work, and redraw the page when its data has changed."""
    this, service = session.current(), session.service()
    try:
        others = presence.line(this.names)
        at = latest_versions()
    except SignInError:
        session.redraw()  # which asks to sign in again
    except session.EXPECTED:
        return  # the page itself says what is wrong
    now, jobs = page_versions(at), at.jobs
    session.checkpoint(at.version)
    query_id, begun = session.view().query or "", this.begun
    tasks = service.tasks(GradeTextTask)
    grading = [task for task in tasks if task.query_id == query_id]
    lines = status_lines(
        # An empty workspace has nothing that the model could read.
        loading=service.model.state == "starting" and bool(this.names),
        failed=service.model.error if this.to_grade else "",
        grading=bool(grading),
        progress=next(filter(None, map(service.progress, grading)), None),
        error=next(iter(failures(query_id).values()), ""),
        jobs=jobs,
        starting=begun.grader if begun and service.is_running(begun) else "",
        refused=refused(jobs),
    )
    this.drawn = this.drawn or now
    if this.drawn_for is None:  # right after the page, in the run that drew it
        this.drawn_for = time.monotonic() - this.drawn_at
    if this.drawn[1][0] != now[1][0]:  # another query was opened by the drawing itself
        this.drawn = (this.drawn[0], *now[1:2], *this.drawn[2:])
    asked_for = now[2:] != this.drawn[2:] or due(jobs, this.drawn_grader)
    this.has_arrived = any(arrived() for arrived in ARRIVALS) or this.has_arrived
    if asked_for or (this.has_arrived and TURNS.take(this.drawn_for)) or follows(now):
        this.drawn, this.drawn_at = now, time.monotonic()
        session.redraw()
    all_lines = [*lines, *([StatusLine(others)] if others else [])]
    if all_lines:
        with st.container(key="model_status"):
            st.html("".join(shell.line_html(**asdict(line)) for line in all_lines))


def refused(jobs: Sequence[Job]) -> str:
    """Return why the job that this session started was refused, or "".

    Two sessions may have asked for one: nothing where the grader has a job now.
    """
    begun = session.current().begun
    result = session.service().result(begun)
    if begun is None or result is None:
        return ""
    latest = latest_job(jobs, begun.grader)
    return "" if latest is not None and latest.state != "done" else str(result.line)


def failures(query_id: str) -> dict[GradeTextTask, str]:
    """Return why grading the query's new text failed; it is not retried by itself."""
    results = session.service().results(GradeTextTask).items()
    return {task: why for task, why in results if task.query_id == query_id}
