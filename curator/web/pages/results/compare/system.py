"""The tab One system: a system's score in every query, against all systems."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from curator.formats.templates import macro
from curator.tables.compare import topic_table
from curator.tables.figures import topics_figure
from curator.tables.leaderboard import rank_cells
from curator.tables.table import html_of
from curator.web.components import session, shell
from curator.web.components.downloads import figure, table_download
from curator.web.components.settings import settings_words
from curator.web.pages.frame import draw_page
from curator.web.pages.results import parts
from curator.web.pages.results.compare import sentences
from curator.workspace import Workspace

CAPTION = Markup(
    "<b>Queries</b> the furthest below the median first; the bar is from the lowest to "
    "the highest system, its tick the median, the dot this system"
)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw all four parts of the page."""
    settings = parts.open_board(workspace, columns)
    if settings is None:
        return
    board = workspace.leaderboard(settings)
    requested, names = session.view().system, [row.system for row in board]
    if not names:
        with columns.middle:
            about = " ".join(board.notes) or "A system is what has a ranking."
            shell.empty("No systems yet", about, shell.IMPORT)
        return
    system = requested if requested in names else names[0]
    session.look(system=system)
    session.write_url()  # before the figure, which takes longer than all else
    with columns.left, st.container(key="query_rows"):
        systems = macro("results/compare/compare.html", "systems")
        st.html(systems(board.standings, rank_cells(board), system))
    topics = workspace.topics(system, settings)
    queries = workspace.collection().names
    table, stem = topic_table(topics, queries), f"{workspace.path.stem}-topics"
    about = settings_words(settings, workspace.graders())
    with columns.middle:
        if requested not in (None, system):
            shell.line(
                f"No system '{requested}' in this workspace; this is {system}.",
                error=True,
            )
        shell.title(system, sentences.rank_words(topics))
        shell.note(about)
        st.html(html_of(table, "s-topics", CAPTION))
        parts.notes(table.notes)
    with columns.right:
        shell.sentence(sentences.summary_words(topics))
        if board.complete:
            tests = workspace.significance(settings).tests
            shell.sentence(sentences.against_words(tests, system))
        table_download("topics", stem, lambda: table)
    with columns.middle:
        title = f"{system}: {settings.measure} in each query"
        figure(
            *("topics_figure", stem),
            topics_figure(topics, title=title).styled(about=about),
        )


draw_page("System", draw)
