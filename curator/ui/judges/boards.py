"""Beneath the agreement: what judges' votes do to the board, drawn when asked for.

A pyramid of every set of judges takes longer than a vote may wait, so what was drawn
stays until it is asked for again, and says when votes have changed since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from curator.errors import CuratorError
from curator.tables.figures import stability_figure, zeros_figure
from curator.ui.judges import board_rows
from curator.ui.judges.board_rows import BoardRow
from curator.ui.shared import html, session
from curator.ui.shared.board_rows import settings_words
from curator.ui.shared.figure import figure
from curator.ui.shared.settings import settings_for
from curator.verbs.judges.agreement import Judges
from curator.verbs.judges.boards import JudgeBoards, PyramidCurves
from curator.workspace import Workspace

KEPT = "judge_boards_drawn"
WHAT = (
    "<b>Boards</b> How alike the judges’ own boards and the board of their pyramid "
    "are, and how that grows with judges, on the questions you have voted on."
)


@dataclass(frozen=True)
class Drawn:
    """What was drawn for whom of which votes; ``why`` where nothing could be.

    ``about`` says under which settings.
    """

    judge: str
    judges: Judges
    boards: JudgeBoards | None = None
    curves: PyramidCurves | None = None
    why: str = ""
    about: str = ""


def judging_boards_panel(workspace: Workspace, judges: Judges) -> None:
    """A button; once pressed, the judges' τ and the two curves of their pyramids."""
    st.html(f'<p class="c-note v-what">{WHAT}</p>')
    drawn: Drawn | None = st.session_state.get(KEPT)
    if drawn is not None and drawn.judge != workspace.judge:
        drawn = None  # of the votes that somebody else may see
    if st.button("Draw boards and curves", key="draw_judge_boards"):
        drawn = st.session_state[KEPT] = computed(workspace, judges)
    if drawn is None:
        return
    if drawn.judges != judges:
        st.html(f'<p class="c-note">{html.text(board_rows.STALE)}</p>')
    st.html(drawn_html(drawn))
    if drawn.curves is not None and drawn.curves.sizes:
        curves(drawn.curves, drawn.about)


def computed(workspace: Workspace, judges: Judges) -> Drawn:
    """The boards and curves under the settings looked at, or why there are none."""
    try:
        settings = settings_for(workspace, session.view(), [])
        if settings is None:
            return Drawn(
                workspace.judge, judges, why="No grades yet, so there is no board."
            )
        boards = workspace.judge_boards(settings)
        return Drawn(
            workspace.judge,
            judges,
            boards,
            workspace.pyramid_curves(settings),
            about=settings_words(boards.settings, workspace.graders()),
        )
    except CuratorError as error:
        return Drawn(workspace.judge, judges, why=str(error))


def drawn_html(drawn: Drawn) -> str:
    """The table of judges, or the sentence in its place."""
    if drawn.boards is None:
        return f'<p class="c-note">{html.text(drawn.why)}</p>'
    found = drawn.boards
    said = board_rows.notes(found)
    notes = "".join(f'<p class="c-note">{html.text(one)}</p>' for one in said)
    return boards_html(board_rows.board_rows(found), drawn.about) + notes


def boards_html(rows: Sequence[BoardRow], under: str) -> str:
    """Each judge's τ with the pyramid, and with the others, under these settings."""
    body = "".join(
        f'<tr><th scope="row">{html.text(row.judge)}</th><td>{row.tau}</td>'
        f"<td>{row.with_others}</td><td>{row.queries}</td></tr>"
        for row in rows
    )
    return (
        f'<table class="v-table"><caption><b>Kendall’s τ</b>{html.text(under)}'
        '</caption><thead><tr><th scope="col">Judge</th>'
        '<th scope="col">Pyramid</th><th scope="col">Others</th>'
        '<th scope="col" title="Queries with a vital vote of theirs">Vital in</th>'
        f"</tr></thead><tbody>{body}</tbody></table>"
    )


def curves(found: PyramidCurves, about: str) -> None:
    """Lin & Demner-Fushman's Figures 2 and 3, for these votes."""
    figure(
        "pyramid_stability",
        "pyramid-stability",
        lambda dark: stability_figure(found, dark=dark, about=about),
    )
    figure(
        "pyramid_zeros",
        "pyramid-zeros",
        lambda dark: zeros_figure(found, dark=dark, about=about),
    )
