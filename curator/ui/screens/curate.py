"""Curate: edit a query's questions and see at once what moves."""

from __future__ import annotations

import streamlit as st

from curator.ui import desk as desks
from curator.ui import session
from curator.ui.desk import Desk
from curator.ui.widgets import shell
from curator.ui.widgets.impact_panel import impact_panel
from curator.ui.widgets.model_status import grade_new_text, model_status
from curator.ui.widgets.picker import picker
from curator.ui.widgets.query_list import query_list
from curator.ui.widgets.question_list import query_head, question_list
from curator.ui.widgets.reader import reader
from curator.ui.widgets.strip import saved, settings_strip
from curator.workspace import Workspace


@st.fragment
def curate() -> None:
    """Lists, editor and impact in one fragment: a click redraws nothing else."""
    picker(session.view())
    columns = shell.columns()
    desk: Desk | None = None
    try:
        with session.workspace() as workspace:
            session.start_at(workspace.baselines().latest)
            desk = desks.load(workspace, session.view())
            if desk is None:
                shell.no_collection(columns, workspace.path)
            else:
                session.look(query=desk.query.query_id)
                draw(workspace, desk, columns)
    except session.EXPECTED as error:
        with columns.middle:
            shell.line(str(error), error=True)
    session.write_url()
    if desk is not None:
        grade_new_text(desk)


def draw(workspace: Workspace, desk: Desk, columns: shell.Columns) -> None:
    """What the judge waits for is drawn first, what rarely changes last."""
    judge = workspace.judge
    passage_id = desks.opened_id(desk, session.view().passage)
    with columns.right:
        if desk.settings is None:
            shell.no_grades(workspace.path)
        texts = workspace.passage_texts(desks.changed_ids(desk))
        impact_panel(desk, texts, passage_id)
    with columns.middle:
        for problem in desk.problems:
            shell.line(problem, error=True)
        shell.notes()
        query_head(desk, judge)
        with st.container(key="questions", gap=None):
            question_list(desk)
    with columns.left:
        shell.brand(desk.collection.title)
        query_list(desk, judge)
    with columns.strip:
        if desk.settings is not None:
            settings_strip(desk.settings, desk.graders, baseline=True)
        saved(desk.baselines, judge, session.zone())
    if passage_id is not None and desk.settings is not None:
        with columns.middle:
            query_id = desk.query.query_id
            reader(desk, workspace.passage(query_id, passage_id, desk.settings))


curate()
model_status()
