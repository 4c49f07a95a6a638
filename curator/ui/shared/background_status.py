"""What goes on beside the page: the model loading, new text being graded, jobs.

One small fragment runs by itself; it reads versions only, and has the page drawn anew
where another judge, a job or the model has changed what it shows.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from curator.background.tasks import NewText
from curator.ui.curate.page_state import EMBEDDING, PageState
from curator.ui.curate.small_board import Compared
from curator.ui.passages.reader import highlighter
from curator.ui.shared import html, session
from curator.ui.shared.settings import without_folders
from curator.verbs.grading.jobs import (
    Job,
    current_jobs,
    latest_job,
    time_in_words,
)
from curator.workspace import Workspace

LOADING = "Embedding model loading (first time only)"


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence; what can be done about it, and what the page sends then."""

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
    found += [line for job in current_jobs(jobs) if (line := job_line(job)) is not None]
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


EVERY = 1.5  # seconds between two looks
# Seconds between two drawings for a job's grades alone: each is a new board.
JOBS_EVERY = 6.0


def seen(workspace: Workspace) -> tuple[object, ...]:
    """What a drawing rests on: when it differs the page is drawn anew.

    The grades of a job that is running come all the time, and are looked at less often
    (see ``due``); its begin and its end are seen at once.
    """
    jobs = workspace.jobs()
    return (
        workspace.version(besides=running(jobs) - {EMBEDDING}),
        highlighter().news,
        session.worker().state,
        tuple((job.job_id, job.state) for job in jobs if job.state != "done"),
        session.service().result(session.current().begun),
        session.service().result(session.current().asked),
    )


def running(jobs: Sequence[Job]) -> set[str]:
    """The graders of the jobs that run."""
    return {
        job.grader for job in jobs if job.state == "running" and job.kind == "grade"
    }


def drawing(workspace: Workspace) -> None:
    """Say that the page is drawn as things are now."""
    session.current().drawn = seen(workspace)
    session.current().drawn_at = time.monotonic()


def due(jobs: Sequence[Job], grader: str | None) -> bool:
    """Whether a running job's new grades are to be shown: it is the page's own grader.

    Its board changes then with every portion; no judge can follow that.
    """
    names = running(jobs)
    shown = grader is not None and any(name in grader for name in names)
    return shown and time.monotonic() - session.current().drawn_at > JOBS_EVERY


@st.fragment(run_every=EVERY)
def model_status() -> None:
    """Look now and then; say what goes on, and follow what has changed."""
    try:
        with session.drawing() as workspace:
            now, jobs = seen(workspace), workspace.jobs()
            version = workspace.version()
    except session.EXPECTED:
        return  # the page itself says what is wrong
    session.checkpoint(version)
    this, query_id = session.current(), session.view().query or ""
    service, begun = session.service(), this.begun
    grading = new_text(query_id)
    lines = status_lines(
        loading=service.model.state == "starting",
        failed=service.model.error if this.to_grade else "",
        grading=bool(grading),
        progress=next(filter(None, map(service.progress, grading)), None),
        error=next(iter(failures(query_id).values()), ""),
        jobs=jobs,
        starting=begun.grader if begun and service.running(begun) else "",
        refused=refused(jobs),
    )
    this.drawn = this.drawn or now
    changed = now != this.drawn
    grader = this.drawn_grader
    if (changed or due(jobs, grader)) and not session.current().dialog:
        this.drawn, this.drawn_at = now, time.monotonic()
        session.redraw()
    if lines:
        with st.container(key="model_status"):
            st.html("".join(map(line_html, lines)))


def refused(jobs: Sequence[Job]) -> str:
    """Why what this session had started was not, or "".

    Nothing where the grader has a job by now: two sessions asked for one.
    """
    begun = session.current().begun
    result = session.service().result(begun)
    if begun is None or result is None:
        return ""
    latest = latest_job(jobs, begun.grader)
    return "" if latest is not None and latest.state != "done" else str(result.line)


def new_text(query_id: str) -> list[NewText]:
    """The query's new text that is being graded or waits for its turn."""
    tasks = session.service().tasks(NewText)
    return [task for task in tasks if task.query_id == query_id]


def failures(query_id: str) -> dict[NewText, str]:
    """Why grading the query's new text failed; it is not tried again by itself."""
    results = session.service().results(NewText).items()
    return {task: why for task, why in results if task.query_id == query_id}


def line_html(line: Line) -> str:
    """One line, and what can be done about it."""
    css = "c-line c-error" if line.error else "c-line"
    role = "alert" if line.error else "status"
    act = (
        f' <button type="button" data-pick="{html.text(line.pick)}">'
        f"{html.text(line.act)}</button>"
        if line.act
        else ""
    )
    return f'<p class="{css}" role="{role}">{html.text(line.text)}{act}</p>'


def grade_new_text(page: PageState) -> None:
    """Have graded what ``embedding`` misses in this query; nobody waits for it.

    Where the model is still loading this is left to a drawing that follows it.
    """
    query_id = page.query.query_id
    asked_for = session.current().to_grade == query_id
    proposed = not asked_for and wants_proposals_graded(page)
    if not asked_for and not proposed and not wants_grades(page):
        return
    service = session.service()
    if service.model.state != "ready":
        return
    session.current().to_grade = None
    if proposed:
        session.current().proposals_graded = (query_id, page.baselines.latest)
    if asked_for:
        for failed in failures(query_id):
            service.forget(failed)
    if not failures(query_id):
        service.send(NewText(session.workspace_path(), query_id, page.since))


def wants_grades(page: PageState) -> bool:
    """Whether ``embedding`` has graded here and something has been written since."""
    if page.settings is None:
        return False
    if page.settings.grader == EMBEDDING:
        return bool(page.missing_here) or _missing_before(page.selected)
    here = page.embedding
    return here is not None and (not here.board.complete or _missing_before(here))


def wants_proposals_graded(page: PageState) -> bool:
    """Whether a proposal lacks grades, as nobody tried to give since it was made.

    What is missing after that cannot be given here.
    """
    if page.proposals is None or not page.proposals.ungraded:
        return False
    tried = (page.query.query_id, page.baselines.latest)
    return session.current().proposals_graded != tried


def _missing_before(compared: Compared | None) -> bool:
    return bool(compared and compared.impact and compared.impact.missing_before)


def follow(workspace: Workspace, page: PageState) -> None:
    """Remember whose grades are shown, and let a local grader catch up with edits.

    Not where a job of it waits for somebody's word, nor twice for one edit: what is
    still missing then has been refused, or asked in vain.
    """
    session.current().drawn_grader = page.grader.name if page.grader else None
    if not wants_catching_up(page):
        return
    assert page.grader is not None
    tried = (page.grader.name, page.baselines.latest)
    if session.current().regraded == tried:
        return
    if workspace.lags_behind_edits(page.grader.name):
        session.current().regraded = tried
        session.send("start", page.grader.name)


def wants_catching_up(page: PageState) -> bool:
    """Whether the selected grader lacks grades and nothing stands in its way."""
    grader = page.grader
    return (
        grader is not None
        and grader.can_grade
        and grader.unasked > 0
        and (page.job is None or page.job.state == "done")
        and not session.starting(grader.name)
    )
