"""Judge: edit a query's questions and see at once what moves."""

from __future__ import annotations

import time
from collections.abc import Sequence

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
from curator.web.pages.judge.passages.reader import look_for, reader
from curator.web.pages.judge.proposing import arriving
from curator.web.pages.judge.query_list import query_list
from curator.web.pages.judge.query_page import query_page
from curator.web.pages.judge.question_list import question_list
from curator.workspace import Workspace

# Seconds between the impact and all else: the browser paints the new ranks before it
# goes through lists that hardly changed.
A_FRAME = 0.025


@st.fragment
def curate() -> None:
    """Lists, editor and impact in one fragment: a click redraws nothing else."""
    query_page("Judge", draw)


def draw(workspace: Workspace, page: PageState, columns: shell.Columns) -> None:
    """What the judge waits for is drawn first, what rarely changes last."""
    judge = workspace.judge
    if session.view().query not in (None, page.query.query_id):
        session.current().unmet = page.query.query_id, page.problems[0]
    session.look(query=page.query.query_id)
    query_id, selected = page.query.query_id, session.view().question
    answering: tuple[str, ...] = ()
    to_read: tuple[str, ...] = ()
    under = page.shown_settings
    if under is not None:
        moved = [label.passage_id for label in page.changed]
        to_read = workspace.to_read(
            query_id, under, question_id=selected, changed=moved
        )
    if selected is not None and under is not None:
        found = frozenset(workspace.answering(query_id, selected, under))
        answering = tuple(one for one in to_read if one in found)
    # The one asked for, else the first that is to be looked at.
    asked_for = session.view().passage
    passage_id = asked_for if asked_for in to_read else next(iter(to_read), None)
    session.current().seen = shown_words(
        page.collection, query_id, page.shown_settings, page.graders
    )
    texts = workspace.passage_texts([label.passage_id for label in page.changed])
    with columns.bottom:
        impact_bar(page)
    if session.view().board or page.solo is not None:
        with columns.drawer:
            impact_panel(page, texts, passage_id)
    if page.settings is None:
        with columns.right:
            shell.no_grades(workspace)
    with session.resting():
        time.sleep(A_FRAME)
    with columns.middle:
        for problem in unmet(page):
            shell.line(problem, error=True)
        shell.notes()
        asked = proposing.load(workspace, page)
        question_list(page, workspace, asked)
        if asked["going"]:
            arriving(query_id, asked["model"], asked["arrived"])
    with columns.left:
        shell.brand(page.collection.title)
        query_list(page, judge)
    shell.toolbar(columns.toolbar, workspace, page.settings, baseline=True)
    unknown = without_sentences(page, texts) if under is not None else []
    if passage_id is not None and under is not None:
        with columns.right:
            opened = workspace.passage(query_id, passage_id, under)
            answers = workspace.answers(query_id, [passage_id], under.grader)
            quoted = answers.get(passage_id, {})
            rows = workspace.pool(query_id, under, sort="look")
            reader(page, opened, to_read, answering, quoted, rows, judge, unknown)
    else:
        look_for(unknown)


def unmet(page: PageState) -> Sequence[str]:
    """What the view asks for and is not there.

    That it asked for another query is said until one is opened: the URL says what is
    shown from the first drawing on, which others follow soon.
    """
    shown, line = session.current().unmet
    found = (line,) if shown == page.query.query_id else ()
    return tuple(dict.fromkeys((*found, *page.problems)))


curate()
model_status()
