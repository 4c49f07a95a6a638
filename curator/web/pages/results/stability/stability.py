"""Stability of the board with other questions, computed once the page is idle."""

from __future__ import annotations

import time

import streamlit as st
from markupsafe import Markup

from curator.background.tasks import StabilityTask
from curator.evaluation.settings import Settings
from curator.evaluation.stability import format_change, format_tau
from curator.formats.templates import macro
from curator.verbs.stability.stability import Stability
from curator.web.components import session
from curator.web.components.background_status import arrival
from curator.workspace import Workspace

TEMPLATE = "results/stability/stability.html"
QUIET = 1.0  # seconds since the page was drawn: whoever clicks waits for nothing
REST = 10  # times as long as the last took
EVERY = 1.5  # seconds between two looks where nothing else looks
LEAST = 0.05  # of the height of a curve, so that what never varies is seen, too


def latest(workspace: Workspace, settings: Settings | None) -> Stability | None:
    """Return the latest stability of this board, and remember the current task."""
    this = session.current()
    if settings is None:
        return None
    path, judge = session.workspace_path(), workspace.judge
    task = StabilityTask(path, judge, settings, workspace.version())
    result: Stability | None = session.service().result(task)
    this.stability_task = None if result else task
    if result:
        this.stability = judge, result
    owner, stability = this.stability or ("", None)
    if stability is None or (owner, stability.settings) != (judge, settings):
        return None
    return stability


@arrival
def arrived() -> bool:
    """Return True once, for a result; compute it while the page is idle."""
    this, service = session.current(), session.service()
    task = this.stability_task
    if task is None:
        return False
    if service.result(task) is not None:
        this.stability_task = None
        return True
    # One on the whole server, and then none for a while: with many at work each edit
    # would add one for everybody.
    free = not service.tasks(StabilityTask) and service.has_rested(StabilityTask, REST)
    if free and time.monotonic() - this.drawn_at > QUIET:
        service.send(task)
    return False


@st.fragment(run_every=EVERY)
def wait() -> None:
    """Redraw a page that follows nothing else."""
    if arrived():
        st.rerun()


def panel_html(
    stability: Stability | None, query_id: str | None = None, by: str = ""
) -> Markup:
    """Return the sentence and the curve, of a query and of all, or the reason without.

    ``by`` names the grader where it is not the selected one.
    """
    if stability is None or stability.figures is None:
        return macro(TEMPLATE, "nothing")(stability.sentence if stability else "")
    figures, sentence, small = stability.figures, stability.figures.sentence, ""
    line = next((row for row in stability.queries if row.query_id == query_id), None)
    if line and line.change and line.expected:
        sentence = f"{format_change(line.change, ' here')}."
        here, everywhere = format_tau(line.expected), format_tau(figures.expected)
        small = f"τ to other questions’ board: {here} here, {everywhere} in all."
    # The curve is drawn from its lowest tau to 1.
    lowest = min((size.expected.low for size in stability.grown), default=0.0)
    return macro(TEMPLATE, "panel")(
        f"By {by}: {sentence}" if by else sentence,
        small,
        figures.covered,
        stability.grown,
        lowest,
        100 / max(1 - lowest, LEAST),
    )
