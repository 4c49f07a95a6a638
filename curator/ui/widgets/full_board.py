"""The Leaderboard page's table, plot and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from curator.evaluation.leaderboard import Leaderboard
from curator.ui import session
from curator.ui.present import board
from curator.ui.present.board import FullRow
from curator.ui.widgets import html

ERROR_COLOUR = "#8b909a"  # seen on light and on dark


def full_board(standings: Leaderboard, official: Mapping[str, float]) -> None:
    """Every system in one table."""
    st.html(full_html(standings, board.full_rows(standings, official)))


def full_html(standings: Leaderboard, rows: list[FullRow]) -> str:
    """Rank, system, score and error; bounds only where grades are missing."""
    names = ["Rank", "System", standings.settings.measure, "±"]
    names += [] if standings.complete else ["Bounds"]
    names += [f"known@{standings.settings.k}", "Official"]
    head = "".join(f"<th scope='col'>{html.text(name)}</th>" for name in names)
    body = "".join(row_html(row, bounds=not standings.complete) for row in rows)
    return (
        '<table class="c-full"><caption><b>Board</b> '
        f"{html.text(board.rests_on(standings))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def row_html(row: FullRow, *, bounds: bool) -> str:
    """One system."""
    bounded = f"<td>{row.bounds}</td>" if bounds else ""
    return (
        f"<tr><td>{row.rank}</td><th scope='row'>{html.text(row.system)}</th>"
        f"<td>{row.score}</td><td>{row.stderr}</td>{bounded}<td>{row.known}</td>"
        f"<td>{row.official}</td></tr>"
    )


def plot(standings: Leaderboard, official: Mapping[str, float]) -> None:
    """Score with its standard error against the official rank, best at the left."""
    points = board.plot_points(standings, official)
    if len(points) < 2:
        return
    st.altair_chart(chart(points, standings.settings.measure), key="plot")


def chart(points: list[dict[str, object]], measure: str) -> Any:
    """The plot as an altair chart."""
    alt = altair()
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("official rank:Q", title="Official rank", axis=alt.Axis(grid=False)),
        tooltip=[
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("score:Q", title=measure, format=".4f"),
            alt.Tooltip("rank:Q", title="Rank here"),
            alt.Tooltip("official rank:Q", title="Official rank"),
        ],
    )
    scale = alt.Scale(zero=False)
    errors = base.mark_rule(color=ERROR_COLOUR).encode(
        y=alt.Y("low:Q", title=measure, scale=scale), y2="high:Q"
    )
    dots = base.mark_circle(size=46, opacity=1).encode(y=alt.Y("score:Q", scale=scale))
    return (errors + dots).properties(height=300, background="transparent")


@st.cache_resource(show_spinner=False)
def altair() -> Any:
    """The plotting library, imported on first use and then kept out of the way."""
    import altair as imported

    session.freeze()
    return imported
