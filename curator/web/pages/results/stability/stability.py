"""Stability of the board with other questions, computed in the background.

It takes a second, so it is asked for once the page has been idle for a moment; until
then the last known one is shown.
"""

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


def known(workspace: Workspace, settings: Settings | None) -> Stability | None:
    """Return the latest known stability of this board, and note what to ask for."""
    this = session.current()
    if settings is None:
        return None
    path, judge = session.workspace_path(), workspace.judge
    task = StabilityTask(path, judge, settings, workspace.version())
    found: Stability | None = session.service().result(task)
    this.to_say = None if found else task
    if found:
        this.said = (judge, found)
    if this.said is None or (this.said[0], this.said[1].settings) != (judge, settings):
        return None
    return this.said[1]


@arrival
def came() -> bool:
    """Return True once the stability is known; ask for it while the page is idle."""
    this, service = session.current(), session.service()
    task = this.to_say
    if task is None:
        return False
    if service.result(task) is not None:
        this.to_say = None
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
    if came():
        st.rerun()


def panel_html(
    found: Stability | None, query_id: str | None = None, by: str = ""
) -> Markup:
    """Return the sentence and the curve, of a query and of all, or the reason without.

    ``by`` names the grader where it is not the selected one.
    """
    if found is None or found.figures is None:
        return macro(TEMPLATE, "nothing")(found.sentence if found else "")
    figures, sentence, small = found.figures, found.figures.sentence, ""
    line = next((row for row in found.queries if row.query_id == query_id), None)
    if line and line.change and line.expected:
        sentence = f"{format_change(line.change, ' here')}."
        here, everywhere = format_tau(line.expected), format_tau(figures.expected)
        small = f"τ to other questions’ board: {here} here, {everywhere} in all."
    # The curve is drawn from its lowest tau to 1.
    lowest = min((size.expected.low for size in found.grown), default=0.0)
    return macro(TEMPLATE, "panel")(
        f"By {by}: {sentence}" if by else sentence,
        small,
        figures.covered,
        found.grown,
        lowest,
        100 / max(1 - lowest, LEAST),
    )
