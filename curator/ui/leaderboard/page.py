"""Leaderboard: any measure, under any settings, held against the official ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from curator import tables
from curator.errors import CuratorError
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings
from curator.figures import Drawing
from curator.tables.figures import board_figure
from curator.ui.curate.page_state import EMBEDDING
from curator.ui.leaderboard import words
from curator.ui.leaderboard.agreement_tables import agreement_tables
from curator.ui.leaderboard.every_threshold import every_threshold
from curator.ui.leaderboard.full_board import full_board, plot
from curator.ui.leaderboard.left_out import left_out
from curator.ui.setup.steps import no_collection
from curator.ui.shared import board_rows, html, session, shell
from curator.ui.shared.figure import figure_files
from curator.ui.shared.frame import board_strip, framed
from curator.ui.shared.settings import board_settings
from curator.ui.shared.table_download import table_download
from curator.verbs.setup.status import GraderState
from curator.workspace import Workspace

MINILM = (
    "Thresholds were set on TREC DL 2019 with all-MiniLM-L6-v2, which saw MS MARCO, "
    "that collection’s passages, in training."
)

BLIND = (
    "Judging is blind here: system names are masked, judgments and official ranks are "
    "hidden, so nothing is compared with them."
)


def page() -> None:
    """Settings on top; the table, and beside it how well it agrees."""
    framed("Leaderboard", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    with columns.left:
        shell.brand(collection.title)
    problems: list[str] = []
    settings = board_settings(workspace, session.view(), problems)
    graders = workspace.graders()
    board_strip(workspace, columns, settings)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None:
            shell.no_grades(workspace.path, ideals=True)
            return
        standings = workspace.leaderboard(settings)
        shell.title("Leaderboard", board_rows.settings_words(settings, graders))
        for note in standings.notes:
            shell.line(note)
        if not graders:
            shell.by_texts_alone(workspace.path)
        place = st.empty()
        if standings.standings:
            with place.container():
                full_board(standings, collection.official)
    if standings.standings:
        with columns.right:
            if collection.blind:
                st.html(f'<p class="c-said">{html.text(BLIND)}</p>')
            else:
                _against_judgments(workspace, settings, standings, graders)
            if settings.grader.startswith(EMBEDDING):
                st.html(f'<p class="c-note">{html.text(MINILM)}</p>')
            if settings.grader:  # texts alone rest on no questions
                left_out(workspace, settings)
            stem = file_stem(workspace, settings)
            make = partial(tables.board, standings)
            table_download("board", stem, make, label="Board")
        # The tests of all pairs take a moment the first time.
        with place.container():
            tiers = workspace.significance(settings).tiers
            full_board(standings, collection.official, tiers)


def _against_judgments(
    workspace: Workspace,
    settings: Settings,
    standings: Leaderboard,
    graders: tuple[GraderState, ...],
) -> None:
    """How alike the board and the official one are, and labels and judgments."""
    official = workspace.collection().official
    stem = file_stem(workspace, settings)
    if _said(partial(_correlation, workspace, settings)):
        plot(standings, official)
        about = board_rows.settings_words(settings, graders)
        make = partial(_scatter, standings, official, about)
        figure_files("scatter", stem, make)
        if settings.grader:
            about = board_rows.settings_words(
                settings, graders, measure=False, rating=False
            )
            every_threshold(workspace, settings, stem, about)
    # Without a grader, as ROUGE may be asked for, there are no labels to compare.
    if settings.grader and _said(partial(_agreement, workspace, settings)):
        agreement_tables(workspace, settings.grader, stem)


def _scatter(
    standings: Leaderboard, official: Mapping[str, float], about: str, dark: bool
) -> Drawing:
    return board_figure(standings, official, dark=dark, about=about)


def file_stem(workspace: Workspace, settings: Settings) -> str:
    """What files of this board are called, without their ending."""
    named = "".join(c if c.isalnum() else "-" for c in settings.measure)
    return f"{workspace.path.stem}-{named.strip('-')}"


def _said(sentence: Callable[[], str]) -> bool:
    """Whether there is a sentence; in its place stands why there is none."""
    try:
        said, found = sentence(), True
    except CuratorError as error:
        said, found = str(error), False
    st.html(f'<p class="c-said">{html.text(said)}</p>')
    return found


def _correlation(workspace: Workspace, settings: Settings) -> str:
    return words.correlation(workspace.correlate(settings))


def _agreement(workspace: Workspace, settings: Settings) -> str:
    found = workspace.agreement(grader=settings.grader, min_rating=settings.min_rating)
    return words.agreement(
        found, settings.min_rating, workspace.collection().min_relevance
    )


page()
