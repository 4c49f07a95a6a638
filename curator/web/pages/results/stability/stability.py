"""How stable the board is if other questions had been asked, beside the work.

It takes a second, so it is said beside the page, once nobody has clicked for a moment;
until then what was known last is shown.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from curator.background.tasks import StabilityTask
from curator.evaluation.settings import Settings
from curator.evaluation.stability import ExpectedAtSize, format_change, format_tau
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
TAU = "\N{GREEK SMALL LETTER TAU}"


class SizeBar(NamedTuple):
    """A size of a bank in the picture: heights of its interval and its tau, in %."""

    questions: int
    low: float
    high: float
    tau: float


def known(workspace: Workspace, settings: Settings | None) -> Stability | None:
    """What is known of this board, the latest; has that of now said beside the page."""
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
    """Return True once the stability is known; ask for it while nobody clicks."""
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
    """Has a page drawn anew that nothing else looks after."""
    if came():
        st.rerun()


def by_words(by: str) -> str:
    """``By instant: ``, nothing for the grader selected."""
    return f"By {by}: " if by else ""


def panel_html(
    found: Stability | None, query_id: str | None = None, by: str = ""
) -> Markup:
    """The sentence and the curve, of a query and of all; or why there are none.

    ``by`` names the grader where it is not the one selected.
    """
    figures = found.figures if found else None
    if found is None or figures is None:
        return macro(TEMPLATE, "nothing")(found.sentence if found else "")
    line = next((one for one in found.queries if one.query_id == query_id), None)
    said = sentence = figures.sentence
    if line and line.change and line.expected:
        own, all_queries = format_tau(line.expected), format_tau(figures.expected)
        sentence = f"{format_change(line.change, ' here')}."
        said = f"{TAU} to other questions’ board: {own} here, {all_queries} in all."
    return macro(TEMPLATE, "panel")(
        by_words(by) + sentence,
        said if said != sentence else "",
        figures.covered,
        bars(found.grown),
    )


def bars(grown: tuple[ExpectedAtSize, ...]) -> list[SizeBar]:
    """The curve, from its lowest tau to 1."""
    lowest = min((one.expected.low for one in grown), default=0.0)
    room = max(1 - lowest, LEAST)
    return [
        SizeBar(
            one.questions,
            *(
                round(100 * (x - lowest) / room, 1)
                for x in (one.expected.low, one.expected.high, one.expected.tau)
            ),
        )
        for one in grown
    ]
