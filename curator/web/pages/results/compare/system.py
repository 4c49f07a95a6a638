"""System: one system's score in every query, against all systems."""

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
from curator.web.components.settings import board_settings, settings_words
from curator.web.components.shell import framed, toolbar
from curator.web.pages.results.compare import sentences
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

CAPTION = Markup(
    "<b>Queries</b> the furthest below the median first; the bar is from the lowest to "
    "the highest system, its tick the median, the dot this system"
)


def page() -> None:
    """Systems at the left, the topics of the one opened, what they sum up to."""
    framed("System", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    problems: list[str] = []
    settings = board_settings(workspace, session.view(), problems)
    graders = workspace.graders()
    board = None if settings is None else workspace.leaderboard(settings)
    standings = () if board is None else board.standings
    ranks = {} if board is None else rank_cells(board)
    wanted = session.view().system
    names = [one.system for one in standings]
    system = wanted if wanted in names else next(iter(names), None)
    if wanted is not None and system != wanted and names:
        problems.append(f"No system '{wanted}' in this workspace; this is {system}.")
    with columns.left:
        shell.brand(collection.title)
        with st.container(key="query_rows"):
            st.html(
                macro("results/compare/compare.html", "systems")(
                    standings, ranks, system
                )
            )
    toolbar(columns.toolbar, workspace, settings)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None:
            shell.no_grades(workspace, ideals=True)
            return
        if system is None:
            shell.empty(
                "No systems yet",
                " ".join(workspace.leaderboard(settings).notes)
                or "A system is what has a ranking.",
                shell.IMPORT,
            )
            return
        session.look(system=system)
        session.write_url()  # before the figure, which takes longer than all else
        topics = workspace.topics(system, settings)
        shell.title(system, sentences.rank_words(topics))
        about = settings_words(settings, graders)
        shell.note(about)
        queries = {query.query_id: query.name for query in collection.queries}
        table = topic_table(topics, queries)
        st.html(html_of(table, "s-topics", CAPTION))
        for note in table.notes:
            shell.note(note)
    stem = f"{workspace.path.stem}-topics"
    with columns.right:
        shell.sentence(sentences.summary_words(topics))
        tests = workspace.significance(settings).tests
        shell.sentence(sentences.against_words(tests, system))
        table_download("topics", stem, lambda: table)
    with columns.middle:
        title = f"{topics.system}: {topics.settings.measure} in each query"
        figure(
            *("topics_figure", stem),
            lambda dark: topics_figure(topics, dark=dark, title=title, about=about),
        )


page()
