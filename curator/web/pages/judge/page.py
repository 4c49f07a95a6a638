"""Judge: edit a query's questions, read its passages and see at once what moves."""

from __future__ import annotations

import time

import streamlit as st

from curator.web.components import session, shell
from curator.web.components.background_status import model_status
from curator.web.components.settings import shown_words
from curator.web.pages.judge import proposing
from curator.web.pages.judge.impact_panel import (
    impact_bar,
    impact_panel,
    without_sentences,
)
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.passages import pool
from curator.web.pages.judge.passages.reader import reader
from curator.web.pages.judge.proposals.proposals_dialog import proposals_dialog
from curator.web.pages.judge.query_list import query_list
from curator.web.pages.judge.query_page import query_page
from curator.web.pages.judge.question_list import question_list
from curator.workspace import Workspace

# Seconds between the impact and all else: the browser paints the new ranks before it
# goes through lists that hardly changed.
A_FRAME = 0.025


@st.fragment
def judge() -> None:
    """Draw lists, reader and impact in one fragment: a click redraws nothing else."""
    query_page("Judge", draw)


def draw(workspace: Workspace, page: PageState, columns: shell.Columns) -> None:
    """Draw first what the judge waits for, last what rarely changes."""
    this, query_id = session.current(), page.query.query_id
    if this.view.query not in (None, query_id):
        this.unmet = query_id, page.problems[0]
    session.look(query=query_id)
    under = page.shown_settings
    this.seen = shown_words(page.collection, query_id, under, page.graders)
    with columns.bottom:
        impact_bar(page)
        if page.settings is None:
            shell.no_grades(workspace)
    texts = workspace.passage_texts([label.passage_id for label in page.changed])
    passages = pool.load(workspace, page, this.view)
    if this.view.board or page.solo is not None:
        with columns.drawer:
            impact_panel(page, texts, passages.current)
    with session.resting():
        time.sleep(A_FRAME)
    with columns.middle:
        # The URL names the query shown from the first drawing on, which others follow.
        unmet = [this.unmet[1]] if this.unmet[0] == query_id else []
        for problem in dict.fromkeys([*unmet, *page.problems]):
            shell.line(problem, error=True)
        shell.notes()
        asked = proposing.load(workspace, page)
        question_list(page, workspace, asked)
        if asked["going"]:
            proposing.arriving(query_id, asked["model"], asked["arrived"])
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
            unknown = without_sentences(page, texts) if under is not None else []
            reader(workspace, page, passages, unknown)


judge()
model_status()
