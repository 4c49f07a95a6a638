"""What goes on beside the page: the model loading, new text being graded, jobs.

One small fragment runs by itself; it reads clocks only, and has the page drawn anew
where another judge, a job or the model has changed what it shows.
"""

from __future__ import annotations

import streamlit as st

from curator.ui import session
from curator.ui.beside import Beside, Wish
from curator.ui.desk import EMBEDDING, Compared, Desk
from curator.ui.present import going_on
from curator.ui.widgets import html
from curator.ui.widgets.reader import highlighter
from curator.workspace import Workspace

EVERY = 1.5  # seconds between two looks


@st.cache_resource(show_spinner=False)
def beside() -> Beside:
    """The server's grading of new text, over its one worker."""
    return Beside(session.worker())


def seen(workspace: Workspace) -> tuple[object, ...]:
    """What a drawing rests on: when it differs the page is drawn anew."""
    return (workspace.pulse(), highlighter().news, session.worker().state)


@st.fragment(run_every=EVERY)
def model_status() -> None:
    """Look now and then; say what goes on, and follow what has changed."""
    try:
        with session.workspace() as workspace:
            now, jobs = seen(workspace), workspace.jobs()
            if now[0] != st.session_state.get("kept"):
                workspace.checkpoint()
                st.session_state.kept = now[0]
    except session.EXPECTED:
        return  # the page itself says what is wrong
    query_id = session.view().query or ""
    worker = session.worker()
    lines = going_on.lines(
        loading=worker.state == "starting",
        failed=worker.error if "to_grade" in st.session_state else "",
        grading=beside().going(query_id),
        progress=beside().progress(query_id),
        error=beside().error(query_id),
        jobs=jobs,
    )
    if now != st.session_state.setdefault("drawn", now) and not session.dialog_open():
        st.session_state.drawn = now
        session.redraw()
    if lines:
        with st.container(key="model_status"):
            st.html("".join(map(line_html, lines)))


def line_html(line: going_on.Line) -> str:
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


def grade_new_text(desk: Desk) -> None:
    """Have graded what ``embedding`` misses in this query; nobody waits for it.

    Where the model is still loading this is left to a drawing that follows it.
    """
    query_id = desk.query.query_id
    asked_for = st.session_state.get("to_grade") == query_id
    if not asked_for and not wants_grades(desk):
        return
    worker = session.worker()
    if worker.state != "ready":
        return
    st.session_state.pop("to_grade", None)
    if asked_for:
        beside().forgive(query_id)
    beside().ask(Wish(session.workspace_path(), query_id, desk.since))


def wants_grades(desk: Desk) -> bool:
    """Whether ``embedding`` has graded here and something has been written since."""
    if desk.settings is None:
        return False
    if desk.settings.grader == EMBEDDING:
        return bool(desk.missing_here) or _missing_before(desk.selected)
    here = desk.embedding
    return here is not None and (not here.board.complete or _missing_before(here))


def _missing_before(compared: Compared | None) -> bool:
    return bool(compared and compared.impact and compared.impact.missing_before)
