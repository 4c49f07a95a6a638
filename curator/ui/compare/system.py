"""System: one system's score in every query, against all systems."""

from __future__ import annotations

from functools import partial

import streamlit as st

from curator.figures.drawing import Drawing
from curator.figures.topics import ranges
from curator.tables.compare import topic_table
from curator.ui.compare import topic_list
from curator.ui.compare import topic_rows as present
from curator.ui.setup.steps import no_collection
from curator.ui.shared import html, session, shell
from curator.ui.shared.board_rows import settings_words
from curator.ui.shared.figure import figure
from curator.ui.shared.frame import board_strip, framed
from curator.ui.shared.settings import board_settings
from curator.ui.shared.table_download import table_download
from curator.verbs.compare.topics import SystemTopics
from curator.workspace import Workspace


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
    standings = () if settings is None else workspace.leaderboard(settings).standings
    wanted = session.view().system
    names = [one.system for one in standings]
    system = wanted if wanted in names else next(iter(names), None)
    if wanted is not None and system != wanted and names:
        problems.append(f"No system '{wanted}' in this workspace; this is {system}.")
    with columns.left:
        shell.brand(collection.title)
        with st.container(key="query_rows"):
            st.html(topic_list.system_list_html(standings, system))
    board_strip(workspace, columns, settings)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None:
            shell.no_grades(workspace.path, ideals=True)
            return
        if system is None:
            shell.empty(
                "No systems yet",
                " ".join(workspace.leaderboard(settings).notes)
                or "A system is what has a ranking.",
                f"curator import {workspace.path} --runs FOLDER",
            )
            return
        session.look(system=system)
        session.write_url()  # before the figure, which takes longer than all else
        found = workspace.topics(system, settings)
        shell.title(system, present.standing_words(found))
        st.html(f'<p class="c-note">{html.text(settings_words(settings, graders))}</p>')
        named = {query.query_id: query.name for query in collection.queries}
        rows = present.topic_rows(found, named)
        high = present.axis_end_words(found)
        st.html(topic_list.topics_html(rows, settings.measure, high))
        for note in found.notes:
            st.html(f'<p class="c-note">{html.text(note)}</p>')
    stem = f"{workspace.path.stem}-topics"
    with columns.right:
        st.html(f'<p class="c-said">{html.text(present.summary_words(found))}</p>')
        tested = workspace.significance(settings)
        said = present.against_words(tested.tests, system)
        st.html(f'<p class="c-said">{html.text(said)}</p>')
        table_download("topics", stem, partial(topic_table, found))
    with columns.middle:
        _figure(found, stem, settings_words(settings, graders))


def _figure(found: SystemTopics, stem: str, about: str) -> None:
    """The same as a figure to be saved."""
    topics = found.topics
    title = f"{found.system}: {found.settings.measure} in each query"

    def made(dark: bool) -> Drawing:
        return ranges(
            title,
            found.settings.measure,
            [one.query_id for one in topics],
            [one.minimum for one in topics],
            [one.median for one in topics],
            [one.maximum for one in topics],
            [one.score for one in topics],
            dark=dark,
            about=about,
        )

    figure("topics_figure", stem, made)


page()
