"""Ranking: every system's score and rank, and how far both can be told."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st
from markupsafe import Markup

from curator.background.tasks import BoardIntervalsTask, TrustTask
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.n_exam import STAR_MEANS
from curator.evaluation.settings import OFFICIAL, Settings
from curator.snapshot.learned import PREFIX
from curator.tables.curate import own_question_table
from curator.tables.figures import board_figure
from curator.tables.leaderboard import leaderboard_table
from curator.tables.table import html_of
from curator.verbs.checks.trust import UNKNOWN, Trust
from curator.verbs.compare import Significance
from curator.verbs.leaderboard.drawn_board import DrawnBoard
from curator.web.components import events, session, shell, words
from curator.web.components.channel import pick
from curator.web.components.downloads import figure, table_download
from curator.web.components.settings import settings_words
from curator.web.pages.frame import draw_page
from curator.web.pages.judge.small_board import rests_on
from curator.web.pages.results import parts, sentences
from curator.workspace import Workspace

COLUMN = 4.1  # inches of the right column, so that type in a figure has its size


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw all four parts of the page."""
    settings = parts.open_board(workspace, columns, by_topics=True)
    if settings is None:
        return
    board = workspace.leaderboard(settings)
    with columns.middle:
        shell.title("Ranking", settings_words(settings, workspace.graders()))
        if not workspace.graders():
            shell.not_graded(workspace, shell.TEXTS_ALONE)
        if not board.standings:
            parts.notes(board.notes)
            return
        place = st.empty()
    with place.container():
        full_board(workspace, board)
    named = "".join(c if c.isalnum() else "-" for c in settings.measure)
    stem = f"{workspace.path.stem}-{named.strip('-')}"
    stem += "-by-subtopic" if settings.by == "subtopic" else ""
    with columns.right:
        against_official(workspace, settings, board, stem)
        if settings.grader:  # texts alone rest on no questions
            own_questions(workspace, replace(settings, by="query"))
        table_download("board", stem, partial(leaderboard_table, board), label="Board")
    # The tests of all pairs take a moment the first time.
    with place.container():
        tested = workspace.significance(settings)
        drawn = board_intervals(workspace, settings)
        full_board(workspace, board, tested, drawn, board_trust(workspace, settings))


def board_intervals(workspace: Workspace, settings: Settings) -> DrawnBoard | None:
    """Return what checks leave open of the board of a grader learned from them.

    None under other graders, and until it is computed in the background.
    """
    if not settings.grader.startswith(PREFIX):
        return None
    service, path = session.service(), session.workspace_path()
    task = BoardIntervalsTask(path, workspace.judge, settings, workspace.version())
    drawn: DrawnBoard | None = service.result(task)
    if drawn is None:
        service.send(task)
        shell.wait_for(task, "How far the board can be believed is being computed.")
    return drawn


def board_trust(workspace: Workspace, settings: Settings) -> Trust | None:
    """Return how far checks show that the board can be trusted.

    None until it is computed in the background, and where nothing can be said.
    """
    if not settings.grader:
        return None
    service, path = session.service(), session.workspace_path()
    task = TrustTask(path, workspace.judge, settings, workspace.version())
    trust: Trust | str | None = service.result(task)
    if trust is None:
        service.send(task)
        shell.wait_for(task, "How far the board can be trusted is being estimated.")
    return trust if isinstance(trust, Trust) else None


def full_board(
    workspace: Workspace,
    board: Leaderboard,
    tested: Significance | None = None,
    drawn: DrawnBoard | None = None,
    trust: Trust | None = None,
) -> None:
    """Draw every system in one table, with tiers and rank ranges once tested."""
    settings, graders = board.settings, workspace.graders()
    noun = words.noun_under(workspace.bank(), graders, settings.grader)
    table = leaderboard_table(
        board,
        workspace.collection().official,
        tested.tiers if tested else None,
        drawn=drawn,
        ranges=tested.rank_ranges if tested and not drawn else {},
    )
    is_doubtful = trust is not None and trust.state != "trusted"
    css = "c-full c-unverified" if is_doubtful else "c-full"
    if trust is not None:
        shell.sentence(trust.sentence)
        if trust.exit_code == UNKNOWN:
            shell.act("Check pairs", pick(events.go_to, "Check"))
    st.html(html_of(table, css, Markup("{}").format(rests_on(board, noun))))
    if sentence := sentences.ranking(workspace, board, tested):
        shell.sentence(sentence)
    if settings.grader and not board.complete:
        shell.act("Grade them", pick(events.go_to, "Grading"))
    parts.notes(
        [
            *([] if drawn is None else drawn.notes),
            *([] if tested is None else sentences.range_notes(board, tested)),
            *board.notes,
            *([f"{STAR_MEANS}."] if any(row.star for row in board) else []),
        ]
    )


def against_official(
    workspace: Workspace, settings: Settings, board: Leaderboard, stem: str
) -> None:
    """Draw how well the board agrees with the official one."""
    if workspace.collection().blind:
        shell.sentence(sentences.BLIND)
        return
    if not parts.has_sentence(
        lambda: sentences.correlation(workspace.correlate(settings))
    ):
        return
    under = settings_words(settings, workspace.graders())
    reference = workspace.leaderboard(measure=OFFICIAL)
    figure(
        *("scatter", stem),
        board_figure(board, reference, width=COLUMN).styled(about=under),
    )


def own_questions(workspace: Workspace, settings: Settings) -> None:
    """Draw a row for each system that alone led to a question."""
    grounded = workspace.grounded_questions()
    if not grounded:
        return
    without = workspace.leave_out_each(settings)
    parts.heading("Leave one system out")
    shell.sentence(sentences.own_questions(without, grounded))
    if without:
        st.html(html_of(own_question_table(without), "c-full c-left-out"))


draw_page("Ranking", draw)
