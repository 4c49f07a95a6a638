"""The Leaderboard page's part on what another minimum rating would correlate to."""

from __future__ import annotations

from functools import partial

import streamlit as st

from curator import tables
from curator.errors import CuratorError
from curator.evaluation.correlation import Correlation
from curator.evaluation.settings import Settings
from curator.tables.figures import sweep_figure
from curator.ui.shared import html, words
from curator.ui.shared.figure import figure
from curator.ui.shared.table_download import table_download
from curator.verbs.leaderboard.sweep import Sweep
from curator.workspace import Workspace

HEADINGS = ("Rating ≥", "Systems", "Spearman", "Kendall", "τAP")


def every_threshold(
    workspace: Workspace, settings: Settings, stem: str, about: str
) -> None:
    """Behind a switch: the correlations at minimum ratings 1 to 5, and their plot.

    ``about`` says in the plot under which grader and k.
    """
    if not st.toggle("Every minimum rating", key="every_threshold"):
        return
    try:
        found = swept(workspace, settings)
    except CuratorError as error:
        st.html(f'<p class="c-said">{html.text(str(error))}</p>')
        return
    st.html(sweep_html(found, settings.min_rating))
    table_download("sweep", f"{stem}-sweep", partial(tables.sweeps, [found]))
    figure(
        "sweep",
        f"{stem}-sweep",
        lambda dark: sweep_figure([found], dark=dark, about=about),
    )


def swept(workspace: Workspace, settings: Settings) -> Sweep:
    """The sweep of the measure that the page shows."""
    (found,) = workspace.sweep([settings.measure], grader=settings.grader, k=settings.k)
    return found


def sweep_html(found: Sweep, current: int) -> str:
    """A row per minimum rating; the page's own is marked."""
    head = "".join(f"<th scope='col'>{name}</th>" for name in HEADINGS)
    rows = "".join(
        row_html(rating, at, current=rating == current)
        for rating, at in found.points.items()
    )
    note = f'<p class="c-note">{html.text(found.note)}</p>' if found.note else ""
    return (
        '<table class="c-counts"><caption>Against the official ranks</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{note}"
    )


def row_html(rating: int, at: Correlation, *, current: bool) -> str:
    """One minimum rating."""
    cells = "".join(
        f"<td>{'–' if value is None else words.score(value)}</td>"
        for value in (at.spearman, at.kendall, at.tau_ap)
    )
    mark = ' aria-current="true"' if current else ""
    return f"<tr{mark}><th scope='row'>{rating}</th><td>{at.systems}</td>{cells}</tr>"
