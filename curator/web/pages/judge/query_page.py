"""Draw a page about one query, and have its new text graded in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from curator.background.tasks import GradeTextTask
from curator.web.components import session, shell
from curator.web.components.background_status import drawing, failures
from curator.web.components.listener import listen
from curator.web.components.shell import Columns
from curator.web.pages.judge.page_state import PageState, load
from curator.web.pages.results.stability import stability
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace


def grade_new_text(page: PageState) -> None:
    """Have graded what the instant grader misses here; nobody waits for it.

    Where the model is still loading this is left to a drawing that follows it. Grades
    of proposals are tried once after each edit: what is missing then cannot be given.
    """
    this, service = session.current(), session.service()
    query_id = page.query.query_id
    tried = (query_id, page.baselines.latest)
    asked_for = this.to_grade == query_id
    proposed = page.proposals is not None and page.proposals.ungraded
    proposed = (
        proposed
        and page.instant_reads
        and not asked_for
        and this.proposals_graded != tried
    )
    wanted = asked_for or proposed or wants_grades(page)
    if not wanted or service.model.state != "ready":
        return
    this.to_grade = None
    if proposed:
        this.proposals_graded = tried
    if asked_for:
        for failed in failures(query_id):
            service.forget(failed)
    if not failures(query_id):
        path = session.workspace_path()
        service.send(GradeTextTask(path, query_id, page.since, page.instant))


def wants_grades(page: PageState) -> bool:
    """Whether the instant grader has graded here and new text has come since."""
    if page.settings is None:
        return False
    own = page.settings.grader == page.instant
    shown = page.here if own else page.stand_in_here
    if shown is None:
        return False
    missing = page.missing_here if own else not shown.board.complete
    return bool(missing or (shown.impact and shown.impact.missing_before))


def follow(workspace: Workspace, page: PageState) -> None:
    """Remember whose grades are shown, and let a local grader catch up with edits.

    Not where a job of it waits for somebody's word, nor twice for one edit: what is
    still missing then has been refused, or asked in vain.
    """
    this, grader = session.current(), page.grader
    this.drawn_grader = grader.name if grader else None
    if grader is None or not grader.can_grade or grader.unasked <= 0:
        return
    if page.job is not None and page.job.state != "done":
        return
    tried = (grader.name, page.baselines.latest)
    if session.starting(grader.name) or this.regraded == tried:
        return
    if workspace.lags_behind_edits(grader.name):
        this.regraded = tried
        within = {"same-budget": ""} if grader.left_out else {}
        session.send_unasked("start", grader.name, **within)


def query_page(
    name: str, draw: Callable[[Workspace, PageState, Columns], None]
) -> PageState | None:
    """Have the page of this name drawn about a query, and new text graded behind it.

    What a person can put right is one line in the middle. None without queries.
    """
    session.go_where_asked(name)
    listen(session.view(), name, shell.to_find())
    columns = shell.columns()
    page: PageState | None = None
    try:
        with session.drawing() as workspace:
            drawing(workspace)
            if session.view().start is None:  # nor does its URL say where it began
                session.look(start=workspace.baselines().latest)
            page = load(workspace, session.view())
            if page is None:
                no_collection(columns, workspace)
            else:
                follow(workspace, page)
                said = stability.known(workspace, page.shown_settings)
                page = replace(page, stability=said)
                draw(workspace, page, columns)
    except session.EXPECTED as error:
        with columns.middle:
            shell.line(str(error), error=True)
    session.write_url()
    if page is not None:
        grade_new_text(page)
        session.settle(name, id(page.collection))
    return page
