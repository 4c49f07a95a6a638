"""The Leaderboard page's table, plot and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.n_exam import STAR_MEANS
from curator.figures.look import rank_ticks
from curator.ui.shared import board_rows, html, session
from curator.ui.shared.board_rows import FullRow

ERROR_COLOUR = "#8b909a"  # seen on light and on dark


def full_board(
    standings: Leaderboard,
    official: Mapping[str, float],
    tiers: Mapping[str, int] | None = None,
) -> None:
    """Every system in one table; in tiers where these are known by now."""
    st.html(
        full_html(standings, board_rows.full_rows(standings, official), tiers or {})
    )
    if any(one.star for one in standings.standings):
        st.html(f'<p class="c-note">{html.text(STAR_MEANS)}.</p>')


def full_html(
    standings: Leaderboard, rows: list[FullRow], tiers: Mapping[str, int]
) -> str:
    """Rank, system, score and error; bounds only where grades are missing."""
    names = ["Rank", "System", standings.settings.measure, "±"]
    names += [] if standings.complete else ["Bounds"]
    graded = bool(standings.settings.grader)  # texts alone are no grades
    names += [f"known@{standings.settings.k}"] if graded else []
    names += ["Official", *(["Tier"] if tiers else [])]
    tier_of = [tiers.get(row.system) for row in rows]
    above = [*tier_of[:1], *tier_of]
    head = "".join(f"<th scope='col'>{html.text(name)}</th>" for name in names)
    body = "".join(
        row_html(
            row,
            bounds=not standings.complete,
            known=graded,
            tier=own,
            parted=own != last,
        )
        for row, own, last in zip(rows, tier_of, above, strict=False)
    )
    return (
        '<table class="c-full"><caption><b>Board</b> '
        f"{html.text(board_rows.rests_on(standings))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def row_html(
    row: FullRow,
    *,
    bounds: bool,
    known: bool = True,
    tier: int | None = None,
    parted: bool = False,
) -> str:
    """One system, its name the way to its page; a rule above where a tier begins."""
    css = ' class="m-parted"' if parted else ""
    tiered = "" if tier is None else f"<td>{tier}</td>"
    star = f'<i class="c-star">{row.star}</i>' if row.star else ""
    share = f"<td>{row.known}</td>" if known else ""
    bounded = f"<td>{row.bounds}</td>" if bounds else ""
    return (
        f"<tr{css}><td>{row.rank}</td><th scope='row'>{html.system(row.system)}</th>"
        f"<td>{star}{row.score}</td><td>{row.stderr}</td>{bounded}"
        f"{share}"
        f"<td>{row.official}</td>{tiered}</tr>"
    )


def plot(standings: Leaderboard, official: Mapping[str, float]) -> None:
    """Score with its standard error against the official rank, best at the left."""
    points = board_rows.plot_points(standings, official)
    if len(points) < 2:
        return
    st.altair_chart(chart(points, standings.settings.measure), key="plot")


def chart(points: list[dict[str, object]], measure: str) -> Any:
    """The plot as an altair chart."""
    alt = altair()
    last = max(float(str(point["official rank"])) for point in points)
    margin = max(0.5, 0.03 * last)
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X(
            "official rank:Q",
            title="Official rank",
            axis=alt.Axis(grid=False, values=rank_ticks(last), format="d"),
            scale=alt.Scale(domain=[1 - margin, last + margin], nice=False),
        ),
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
