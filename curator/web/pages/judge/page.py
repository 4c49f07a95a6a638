"""Judge: edit a query's questions, read its passages and see at once what moves."""

from __future__ import annotations

import time
from dataclasses import replace

from curator.background.tasks import GradeTextTask
from curator.web.components import session, shell
from curator.web.components.background_status import failures, model_status
from curator.web.components.settings import shown_words
from curator.web.pages.frame import draw_fragment
from curator.web.pages.judge import proposing
from curator.web.pages.judge.impact_panel import impact_bar, impact_panel
from curator.web.pages.judge.page_state import PageState, load
from curator.web.pages.judge.passages import pool
from curator.web.pages.judge.passages.reader import reader
from curator.web.pages.judge.proposals.proposals_dialog import proposals_dialog
from curator.web.pages.judge.query_list import query_list
from curator.web.pages.judge.question_list import question_list
from curator.web.pages.results.stability import stability
from curator.workspace import Workspace

# Seconds between the impact and all else: the browser paints the new ranks before it
# goes through lists that hardly changed.
A_FRAME = 0.025


def judge(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the page, then have new text graded in the background."""
    if session.view().start is None:  # the URL does not name the session's start
        session.look(start=workspace.baselines().latest)
    page = load(workspace, session.view())
    catch_up(workspace, page)
    figures = stability.latest(workspace, page.displayed_settings)
    draw(workspace, replace(page, stability=figures), columns)
    grade_new_text(page)
    session.settle("Judge", id(page.collection))


def draw(workspace: Workspace, page: PageState, columns: shell.Columns) -> None:
    """Draw first what the judge waits for, last what rarely changes."""
    this, query_id = session.current(), page.query.query_id
    if this.view.query not in (None, query_id):
        this.unmet = query_id, page.problems[0]
    session.look(query=query_id)
    settings = page.displayed_settings
    this.settings_seen = shown_words(page.collection, query_id, settings, page.graders)
    with columns.bottom:
        impact_bar(page)
        if page.settings is None:
            shell.no_grades(workspace)
    passages = pool.load(workspace, page, this.view)
    if this.view.board or page.solo is not None:
        with columns.drawer:
            impact_panel(page)
    with session.resting():
        time.sleep(A_FRAME)
    with columns.middle:
        # The URL names the query shown from the first drawing on, which others follow.
        unmet = [this.unmet[1]] if this.unmet[0] == query_id else []
        for problem in dict.fromkeys([*unmet, *page.problems]):
            shell.line(problem, error=True)
        shell.notes()
        proposals = proposing.load(workspace, page)
        question_list(page, workspace, proposals)
        if proposals["going"]:
            proposing.arriving(query_id, proposals["model"], proposals["arrived"])
    with columns.left:
        shell.brand(page.collection.title)
        query_list(page, page.judge)
    if this.view.proposals:
        proposals_dialog(query_id)
    shell.toolbar(columns.toolbar, workspace, page.settings, baseline=True)
    with columns.right:
        if passages.current is None:
            shell.empty(
                "No passages",
                "No passages imported for this query. They come with a file of their "
                "texts, and with the runs that retrieved them.",
                shell.IMPORT,
            )
        else:
            reader(workspace, page, passages)


def grade_new_text(page: PageState) -> None:
    """Grade what the instant grader lacks here, in the background.

    Where the model is still loading this is left to a later drawing. Grades of
    proposals are tried once after each edit: what is missing then cannot be given.
    """
    this, service = session.current(), session.service()
    query_id = page.query.query_id
    tried = (query_id, page.baselines.latest)
    asked_for = this.to_grade == query_id
    proposed = (
        page.proposals is not None
        and page.proposals.ungraded
        and page.instant_reads
        and not asked_for
        and this.proposals_graded != tried
    )
    ungraded = asked_for or proposed or wants_grades(page)
    if not ungraded or service.model.state != "ready":
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
    """Return True if the instant grader has graded here and new text has come since."""
    return page.instant_here is not None and not page.instant_here.is_complete


def catch_up(workspace: Workspace, page: PageState) -> None:
    """Let a local grader catch up with edits, and remember whose grades are shown.

    Not where a job of it waits for a decision, nor twice for one edit: what is still
    missing then has been refused, or asked in vain.
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


draw_fragment("Judge", judge, follows=True)
model_status()
