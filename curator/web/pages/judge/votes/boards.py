"""Beneath the agreement: what judges' votes do to the board, drawn when asked for.

A pyramid of every set of judges takes longer than a vote may wait, so what was drawn
stays until it is asked for again, and says when votes have changed since.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from curator.errors import CuratorError
from curator.formats.templates import render
from curator.tables.figures import stability_figure, zeros_figure
from curator.verbs.judges.agreement import Judges
from curator.verbs.judges.boards import (
    FEW_QUERIES,
    JudgeBoards,
    PyramidCurves,
    PyramidTests,
)
from curator.web.components import session, words
from curator.web.components.downloads import figure
from curator.web.components.settings import settings_for, settings_words
from curator.workspace import Workspace

SAYS_WHO = ("that anybody calls vital", "that most call vital")
SEEN = " among the votes you may see"


@dataclass(frozen=True)
class Drawn:
    """What was drawn for whom of which votes; ``why`` where nothing could be.

    ``about`` says under which settings.
    """

    judge: str
    judges: Judges
    without: tuple[str, ...] = ()
    boards: JudgeBoards | None = None
    curves: PyramidCurves | None = None
    tests: PyramidTests | None = None
    why: str = ""
    about: str = ""


def boards_panel(workspace: Workspace, judges: Judges) -> None:
    """A button; once pressed, the judges' τ and the two curves of their pyramids."""
    st.html(
        '<p class="c-note v-what"><b>Boards</b> How alike the judges’ own boards and '
        "the board of their pyramid are, and how that grows with judges, on the "
        "questions you have voted on.</p>"
    )
    drawn = session.recall(Drawn)
    if drawn is not None and drawn.judge != workspace.judge:
        drawn = None  # of the votes that somebody else may see
    voters = [one.judge for one in (*judges.judges, *judges.sources)]
    without = tuple(
        st.multiselect(
            "Leave out of the pyramid",
            voters,
            key="pyramid_without",
            placeholder="nobody",
            help="As if they had not voted: a judge, or importances that came with a "
            "bank.",
        )
    )
    if st.button("Draw boards and curves", key="draw_judge_boards"):
        with st.spinner("Every set of judges takes a moment"):
            drawn = session.keep(computed(workspace, judges, without))
    if drawn is None:
        return
    found = drawn.boards
    notes = found.notes if found else ()
    # As true of what the reader sees: others' votes may be hidden yet.
    for who in SAYS_WHO:
        notes = tuple(note.replace(who, f"{who}{SEEN}") for note in notes)
    stale = drawn.judges != judges
    other = drawn.without != without
    values = {
        "drawn": drawn,
        "stale": stale,
        "other": other,
        "notes": notes,
        "score": words.score,
    }
    st.html(render("judge/votes/boards.html", last=last_words(drawn.tests), **values))
    curves, about = drawn.curves, drawn.about
    if curves is not None and curves.sizes:
        # Lin & Demner-Fushman's Figures 2 and 3, for these votes.
        figure(
            "pyramid_stability",
            "pyramid-stability",
            lambda dark: stability_figure(curves, dark=dark, about=about),
        )
        figure(
            "pyramid_zeros",
            "pyramid-zeros",
            lambda dark: zeros_figure(curves, dark=dark, about=about),
        )


def last_words(tests: PyramidTests | None) -> str:
    """What the last judge changed, with its interval and p.

    "" where nothing can be tested.
    """
    if tests is None or not tests.sizes or tests.sizes[-1].tau.p is None:
        return ""
    test = tests.sizes[-1]
    gained, low, high = (
        words.change(one or 0.0)
        for one in (test.tau.difference, test.tau.lower, test.tau.upper)
    )
    few = " These are too few to rest on." if tests.queries < FEW_QUERIES else ""
    return (
        f"Pyramids of {test.judges} judges instead of {test.judges - 1}: mean τ with "
        f"each judge’s own board {gained} (95 % interval {low} to {high}, p = "
        f"{words.score(test.tau.p)}; {tests.samples:,} bootstrap samples of "
        f"{words.count(tests.queries, 'query', 'queries')}).{few}"
    )


def computed(workspace: Workspace, judges: Judges, without: tuple[str, ...]) -> Drawn:
    """The boards and curves under the settings looked at, or why there are none.

    Only the votes that the reader sees count, so leaving somebody out tells nothing.
    """
    try:
        settings = settings_for(workspace, session.view(), [])
        if settings is None:
            why = "No grades yet, so there is no board."
            return Drawn(workspace.judge, judges, without, why=why)
        boards = workspace.judge_boards(settings, without=without)
        return Drawn(
            workspace.judge,
            judges,
            without,
            boards,
            workspace.pyramid_curves(settings, without=without),
            workspace.pyramid_tests(settings, without=without, last=True),
            about=settings_words(boards.settings, workspace.graders()),
        )
    except CuratorError as error:
        return Drawn(workspace.judge, judges, without, why=str(error))
