"""Parts that the tabs of Results share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st
from markupsafe import Markup

from curator.errors import CuratorError
from curator.evaluation.settings import Settings
from curator.tables.table import Table, html_of
from curator.web.components import session, shell
from curator.web.components.downloads import table_download
from curator.web.components.settings import board_settings
from curator.workspace import Workspace

MANY = 3  # notes; more are folded


def open_board(
    workspace: Workspace, columns: shell.Columns, *, by_topics: bool = False
) -> Settings | None:
    """Draw the frame of a tab, and return the settings of its board.

    None without a board: the middle then says how to get one. With ``by_topics`` the
    board can be by subtopic.
    """
    collection, problems = workspace.collection(), list[str]()
    with columns.left:
        shell.brand(collection.title)
    settings = board_settings(workspace, session.view(), problems)
    by_topics = by_topics and any(
        question.state == "kept" and question.subtopic_id is not None
        for question in workspace.bank()
    )
    if settings is not None and by_topics and session.view().by == "subtopic":
        try:
            settings = workspace.leaderboard(settings, by="subtopic").settings
        except CuratorError as error:  # texts are compared by query
            problems.append(str(error))
    shell.toolbar(columns.toolbar, workspace, settings, by_topics=by_topics)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None:
            shell.no_grades(workspace, ideals=True)
    return settings


def heading(text: str) -> None:
    """Draw the heading of a section."""
    st.html(Markup('<div class="c-listhead m-ranks"><b>{}</b></div>').format(text))


def notes(sentences: Iterable[str]) -> None:
    """Draw each sentence once in small; all but the first few are folded."""
    unique = [*dict.fromkeys(sentences)]
    for sentence in unique[:MANY]:
        shell.note(sentence)
    if more := unique[MANY:]:
        lines = Markup("").join(Markup("<p>{}</p>").format(line) for line in more)
        summary = Markup(
            '<details class="c-note"><summary>{} more</summary>{}</details>'
        )
        st.html(summary.format(len(more), lines))


def has_sentence(make: Callable[[], str]) -> bool:
    """Draw a sentence, or the reason why there is none, and return False then."""
    try:
        shell.sentence(make())
    except CuratorError as error:
        shell.sentence(str(error))
        return False
    return True


def counts(key: str, file_stem: str, table: Table, caption: str) -> None:
    """Draw a table of counts, its notes and the buttons that save it."""
    st.html(html_of(table, "c-counts", caption))
    notes(table.notes)
    table_download(key, file_stem, lambda: table)
