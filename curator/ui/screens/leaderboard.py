"""Leaderboard: any measure, under any settings, held against the official ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from curator.errors import CuratorError
from curator.evaluation.settings import Settings
from curator.ui import session
from curator.ui.desk import EMBEDDING, settings_for
from curator.ui.present import board, standing_words
from curator.ui.widgets import html, shell
from curator.ui.widgets.full_board import full_board, plot
from curator.ui.widgets.page import framed
from curator.ui.widgets.steps import no_collection
from curator.ui.widgets.strip import strip
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
    settings = settings_for(workspace, session.view(), problems)
    graders = workspace.graders()
    with columns.strip:
        strip(
            settings,
            graders,
            workspace.baselines(),
            workspace.judge,
            session.zone(),
            baseline=False,
            blind=collection.blind,
        )
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None:
            shell.no_grades(workspace.path)
            return
        standings = workspace.leaderboard(settings)
        shell.title("Leaderboard", board.settings_words(settings, graders))
        for note in standings.notes:
            shell.line(note)
        if standings.standings:
            full_board(standings, collection.official)
    if standings.standings:
        with columns.right:
            if collection.blind:
                st.html(f'<p class="c-said">{html.text(BLIND)}</p>')
            else:
                _said(partial(_correlation, workspace, settings))
                plot(standings, collection.official)
                _said(partial(_agreement, workspace, settings))
            if settings.grader.startswith(EMBEDDING):
                st.html(f'<p class="c-note">{html.text(MINILM)}</p>')
            _download(settings, workspace.path)


def _said(sentence: Callable[[], str]) -> None:
    """The sentence, or in its place why there is none."""
    try:
        said = sentence()
    except CuratorError as error:
        said = str(error)
    st.html(f'<p class="c-said">{html.text(said)}</p>')


def _correlation(workspace: Workspace, settings: Settings) -> str:
    return standing_words.correlation(workspace.correlate(settings))


def _agreement(workspace: Workspace, settings: Settings) -> str:
    found = workspace.agreement(grader=settings.grader, min_rating=settings.min_rating)
    return standing_words.agreement(
        found, settings.min_rating, workspace.collection().min_relevance
    )


def _download(settings: Settings, path: Path) -> None:
    st.download_button(
        "Download TSV",
        data=partial(_tsv, settings),
        file_name=f"{path.stem}-{settings.measure.replace('@', '-')}.tsv",
        mime="text/tab-separated-values",
        key="download",
        on_click="ignore",
    )


def _tsv(settings: Settings) -> bytes:
    """The board as exported, written when it is asked for."""
    with session.workspace() as workspace, TemporaryDirectory() as folder:
        target = Path(folder) / "board.tsv"
        workspace.export("leaderboard", target, settings, allow_partial=True)
        return target.read_bytes()


page()
