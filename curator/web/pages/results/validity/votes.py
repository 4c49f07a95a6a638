"""Votes of judges: how far judges agree, and the board of each judge.

Only the votes that the reader may see are counted. A pyramid of every set of judges
takes seconds, so it is drawn by a button and stays until it is drawn again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import streamlit as st

from curator.tables.figures import pyramid_figure
from curator.tables.judges import judge_tables
from curator.tables.table import Table
from curator.verbs.judges import Judges, Pyramid
from curator.web.components import session, shell
from curator.web.components.downloads import figure
from curator.web.components.html import table_html
from curator.web.components.settings import settings_for, settings_words
from curator.workspace import Workspace

LISTED = 50  # rows of a table
ABOUT = "Votes are given on Judge, v vital and o okay; those of others on a question "
ABOUT += "count here once you have voted on it."


@dataclass(frozen=True)
class JudgeBoardsDrawn:
    """Boards and curves of the votes that ``judge`` may see, without some voters."""

    judge: str
    judges: Judges
    without: tuple[str, ...]
    pyramid: Pyramid
    about: str


@st.fragment
def votes_section() -> None:
    """Draw the agreement of judges on votes, then their boards when asked for."""
    with st.container(key="votes", gap=None):
        shell.draw_part(draw)


def draw(workspace: Workspace) -> None:
    """Draw the whole section."""
    st.html('<div class="c-listhead"><b>Votes of judges</b></div>')
    shell.note(ABOUT)
    judges = workspace.judges()
    draw_tables(judge_tables(judges))
    if judges.agreement.items or judges.with_sources:
        draw_boards(workspace, judges)


def draw_tables(tables: Iterable[Table]) -> None:
    """Draw the tables under their captions, with the first rows of each."""
    for table in tables:
        first_rows = replace(table, rows=table.rows[:LISTED])
        if table.rows:
            st.html(table_html(first_rows, about=table.caption))
        if len(table.rows) > LISTED:
            shell.note(f"{len(table.rows) - LISTED:,} more.")
        for note in table.notes:
            shell.note(note)


def draw_boards(workspace: Workspace, judges: Judges) -> None:
    """Draw the boards, curves and tests of the judges' pyramids, as asked for last."""
    voters = [voter.judge for voter in (*judges.judges, *judges.sources)]
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
            if boards := computed(workspace, judges, without):
                session.current().judge_boards = boards
    drawn: JudgeBoardsDrawn | None = session.current().judge_boards
    if drawn is None or drawn.judge != workspace.judge:
        return
    if (drawn.judges, drawn.without) != (judges, without):
        shell.note("Votes, or who is left out, have changed since: draw again.")
    draw_tables(drawn.pyramid.to_tables())
    pyramid, about = drawn.pyramid, drawn.about
    if pyramid.curves:
        # Lin & Demner-Fushman's Figures 2 and 3, for these votes.
        figure(
            "pyramid_stability",
            "pyramid-stability",
            pyramid_figure(pyramid).styled(about=about),
        )
        figure(
            "pyramid_zeros",
            "pyramid-zeros",
            pyramid_figure(pyramid, zeros=True).styled(about=about),
        )


def computed(
    workspace: Workspace, judges: Judges, without: tuple[str, ...]
) -> JudgeBoardsDrawn | None:
    """Compute the boards and curves under the settings of the view; None ungraded."""
    settings = settings_for(workspace, session.view(), [])
    if settings is None:
        shell.note("No grades yet, so there is no board.")
        return None
    pyramid = workspace.pyramid(settings, without=without, test=True, last=True)
    about = settings_words(pyramid.settings, workspace.graders())
    return JudgeBoardsDrawn(workspace.judge, judges, without, pyramid, about)
