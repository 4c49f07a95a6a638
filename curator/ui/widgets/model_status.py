"""The model process in one line, and grading new text with it when it is ready."""

from __future__ import annotations

import streamlit as st

from curator.ui import session
from curator.ui.desk import EMBEDDING, Compared, Desk
from curator.ui.widgets import shell

LOADING = "Embedding model loading (first time only)"
POLL = 1.0  # seconds


def model_status() -> None:
    """One line while the model loads; it goes away by itself."""
    if session.worker().state == "starting":
        _poll()


@st.fragment(run_every=POLL)
def _poll() -> None:
    if session.worker().state != "starting":
        st.rerun()
    with st.container(key="model_status"):
        shell.line(LOADING)


def grade_new_text(desk: Desk) -> None:
    """Grade what ``embedding`` misses in this query, after all else is painted.

    Where the model is still loading this is left to the run that follows it.
    """
    query_id = desk.query.query_id
    asked_for = st.session_state.get("to_grade") == query_id
    if not asked_for and not wants_grades(desk):
        return
    worker = session.worker()
    if worker.state == "starting":
        return
    st.session_state.pop("to_grade", None)
    if worker.state != "ready":
        shell.line(worker.error or "The embedding model is not running.", error=True)
        return
    with (
        st.container(key="model_status"),
        st.spinner("Grading new text by embedding…"),
    ):
        try:
            with session.workspace() as workspace:
                summary = workspace.grade(
                    EMBEDDING, query_id=query_id, since=desk.since, encoder=worker
                )
        except session.EXPECTED as error:
            shell.line(str(error), error=True)
            return
    if summary.asked:
        st.rerun()


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
