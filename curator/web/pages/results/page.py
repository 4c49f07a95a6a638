"""Leaderboard: any measure, under any settings, held against the official ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from markupsafe import Markup

from curator.background.tasks import BoardIntervalsTask
from curator.engine.learned import PREFIX
from curator.errors import CuratorError
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.n_exam import STAR_MEANS
from curator.evaluation.settings import OFFICIAL, Settings
from curator.figures.style import rank_ticks
from curator.tables.agreement import agreement_tables, grader_agreement_table
from curator.tables.curate import own_question_table
from curator.tables.figures import board_figure, sweep_figure
from curator.tables.leaderboard import (
    leaderboard_table,
    open_ranks,
    rank_cells,
    sweep_table,
)
from curator.tables.table import html_of
from curator.verbs.leaderboard.drawn_board import DrawnBoard
from curator.web.components import session, shell, words
from curator.web.components.downloads import figure, figure_files, table_download
from curator.web.components.settings import board_settings, settings_words
from curator.web.components.shell import framed, toolbar
from curator.web.pages.judge.small_board import rests_on
from curator.web.pages.results import sentences
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace
from grading.responders import shared_kind

EVERY = 0.5  # seconds between two looks at what is computed beside the page
ERROR_COLOUR = "#8b909a"  # seen on light and on dark


def page() -> None:
    """Settings on top; the table, and beside it how well it agrees."""
    framed("Ranking", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    with columns.left:
        shell.brand(collection.title)
    problems: list[str] = []
    settings = by_query = board_settings(workspace, session.view(), problems)
    graders = workspace.graders()
    subtopics = settings is not None and has_subtopics(workspace)
    if settings is not None and subtopics and session.view().by == "subtopic":
        try:
            settings = workspace.leaderboard(settings, by="subtopic").settings
        except CuratorError as error:  # texts are compared, of whole queries
            problems.append(str(error))
    toolbar(columns.toolbar, workspace, settings, by_topics=subtopics)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None or by_query is None:
            shell.no_grades(workspace, ideals=True)
            return
        board = workspace.leaderboard(settings)
        shell.title("Ranking", settings_words(settings, graders))
        for one in [*board.notes, *open_ranks([board])]:
            shell.line(one)
        if settings.grader and not board.complete:
            shell.act("Grade them", "goto:Grading")
        if not graders:
            shell.not_graded(workspace, shell.TEXTS_ALONE)
        place = st.empty()
        noun = words.noun_under(workspace.bank(), graders, settings.grader)
        if not board.standings:
            return
        with place.container():
            full_board(board, collection.official, noun)
    with columns.right:
        named = "".join(c if c.isalnum() else "-" for c in settings.measure)
        stem = f"{workspace.path.stem}-{named.strip('-')}"
        stem += "-by-subtopic" * (settings.by == "subtopic")
        if collection.blind:
            shell.sentence(sentences.BLIND)
        else:
            against_official(workspace, settings, board, stem)
            # Without a grader, as ROUGE may be asked for, there are no labels.
            if settings.grader:
                against_judgments(workspace, settings, stem)
        against_people(workspace, settings, stem)
        if settings.grader.startswith(sentences.BY_VECTORS):
            shell.note(sentences.MINILM)
        if settings.grader:  # texts alone rest on no questions
            own_questions(workspace, by_query)
        table = partial(leaderboard_table, board)
        table_download("board", stem, table, label="Board")
    # The tests of all pairs take a moment the first time.
    with place.container():
        tiers = workspace.significance(settings).tiers
        drawn = left_open(workspace, settings)
        full_board(board, collection.official, noun, tiers, drawn)


def left_open(workspace: Workspace, settings: Settings) -> DrawnBoard | None:
    """What checks leave open of the board, None until it is computed beside the page.

    None under a grader that was not learned from checks.
    """
    if not settings.grader.startswith(PREFIX):
        return None
    service, path = session.service(), session.workspace_path()
    task = BoardIntervalsTask(path, workspace.judge, settings, workspace.version())
    found: DrawnBoard | None = service.result(task)
    if found is None:
        service.send(task)
        wait_for(task)
    return found


@st.fragment(run_every=EVERY)
def wait_for(task: BoardIntervalsTask) -> None:
    """Has the page drawn anew once it is known what checks leave open."""
    if session.service().result(task) is not None:
        st.rerun()
    shell.note("How far the board can be believed is being computed.")


def has_subtopics(workspace: Workspace) -> bool:
    """Whether any kept question is of a subtopic, for a board by subtopic."""
    return any(
        one.state == "kept" and one.subtopic_id is not None for one in workspace.bank()
    )


def full_board(
    board: Leaderboard,
    official: Mapping[str, float],
    noun: str,
    tiers: Mapping[str, int] | None = None,
    drawn: DrawnBoard | None = None,
) -> None:
    """Every system in one table; in tiers where these are known by now.

    And with what checks leave open of it.
    """
    caption = Markup("<b>Board</b> {}").format(rests_on(board, noun))
    if drawn is not None:
        shell.line(drawn.sentence)
    table = leaderboard_table(board, official, tiers, drawn=drawn)
    st.html(html_of(table, "c-full", caption))
    for one in () if drawn is None else drawn.notes[1:]:
        shell.note(one)
    if any(one.star for one in board.standings):
        shell.note(f"{STAR_MEANS}.")


def against_official(
    workspace: Workspace, settings: Settings, board: Leaderboard, stem: str
) -> None:
    """How alike the board and the official one are, here and at other ratings."""
    if not has_sentence(lambda: sentences.correlation(workspace.correlate(settings))):
        return
    official, graders = workspace.collection().official, workspace.graders()
    plot(board, official)
    under = settings_words(settings, graders)
    reference = workspace.leaderboard(measure=OFFICIAL)
    figure_files(
        *("scatter", stem),
        lambda dark: board_figure(board, reference, dark=dark, about=under),
    )
    if not settings.grader or not st.toggle(
        "Every minimum rating", key="every_threshold"
    ):
        return
    try:
        swept = workspace.sweep(
            [settings.measure],
            grader=settings.grader,
            k=settings.k,
            min_answered=settings.min_answered,
            label=settings.label,
            by=settings.by,
        )
    except CuratorError as error:
        shell.sentence(str(error))
        return
    table = sweep_table(swept, current=settings.min_rating)
    st.html(html_of(table, "c-counts", "Against the official ranks"))
    for one in table.notes:
        shell.note(one)
    table_download("sweep", f"{stem}-sweep", lambda: table)
    about = settings_words(settings, graders, measure=False, rating=False)
    figure(
        *("sweep", f"{stem}-sweep"),
        lambda dark: sweep_figure(swept, dark=dark, about=about),
    )


def against_judgments(workspace: Workspace, settings: Settings, stem: str) -> None:
    """Labels and judgments, in a sentence and behind a switch table by table."""

    def agreement() -> str:
        found = workspace.agreement(
            grader=settings.grader,
            min_rating=settings.min_rating,
            min_answered=settings.min_answered,
            label=settings.label,
            by=settings.by,
        )
        relevant = workspace.collection().min_relevance
        return sentences.agreement(found, settings.relevant_from(), relevant)

    if not has_sentence(agreement) or not st.toggle(
        "Agreement tables", key="agreement_tables"
    ):
        return
    tables = agreement_tables(
        workspace.agreement_tables(
            grader=settings.grader,
            min_rating=settings.min_rating,
            min_answered=settings.min_answered,
            label=settings.label,
            by=settings.by,
        )
    )
    for number, table in enumerate(tables):
        # The grader's name stands above the page already.
        caption = table.caption.removeprefix(f"{settings.grader} · ")
        st.html(html_of(table, "c-counts", caption))
        for one in table.notes:
            shell.note(one)
        name = f"{stem}-agreement-{number + 1}"
        table_download(f"agreement_{number}", name, partial(replace, table))


def against_people(workspace: Workspace, settings: Settings, stem: str) -> None:
    """This grader's grades against people's, or all graders' where people are meant."""
    graders = {one.name: one for one in workspace.graders()}
    own = graders.get(settings.grader)
    if own is None or own.learned:  # from people: it says what they said
        return
    alike = [
        one for one in graders.values() if shared_kind(one.item_kind, own.item_kind)
    ]
    people = next((one.name for one in alike if one.by_people), None)
    if people is None or len(alike) == 1:
        return
    found = workspace.grader_agreement(
        people,
        grader=None if own.by_people else own.name,
        min_rating=settings.min_rating,
    )
    if not own.by_people:
        shell.sentence(sentences.against_people(found.graders[0]))
        return
    table = grader_agreement_table(found)
    st.html(html_of(table, "c-counts", "Every grader against people"))
    for one in table.notes:
        shell.note(one)
    table_download("people", f"{stem}-people", lambda: table)


def own_questions(workspace: Workspace, settings: Settings) -> None:
    """A row for each system with questions of its own; nothing where there are none."""
    grounded = workspace.grounded_questions()
    if not grounded:
        return
    left_out = workspace.leave_out_each(settings)
    st.html('<div class="c-listhead"><b>Leave one system out</b></div>')
    shell.sentence(sentences.own_questions(left_out, grounded))
    if left_out:
        st.html(html_of(own_question_table(left_out), "c-full c-left-out"))


def has_sentence(words: Callable[[], str]) -> bool:
    """Whether there is a sentence; in its place stands why there is none."""
    try:
        shell.sentence(words())
    except CuratorError as error:
        shell.sentence(str(error))
        return False
    return True


def plot(board: Leaderboard, official: Mapping[str, float]) -> None:
    """Score with its standard error against the official rank, best at the left."""
    ranks = rank_cells(board)
    points = [
        {
            "system": one.system,
            "rank": str(ranks[one.system]),
            "official rank": official[one.system],
            "score": one.score,
            "low": one.score - (one.stderr or 0.0),
            "high": one.score + (one.stderr or 0.0),
        }
        for one in board.standings
        if one.system in official
    ]
    if len(points) > 1:
        last = max(rank for system, rank in official.items() if system in board.ranks())
        chart = plot_spec(points, board.settings.measure, last)
        st.vega_lite_chart(chart, key="plot")


def plot_spec(
    points: list[dict[str, Any]], measure: str, last: float
) -> dict[str, Any]:
    """The plot in Vega-Lite's own words, which needs no library here."""

    def number(field: str, title: str, **more: object) -> dict[str, object]:
        return {"field": field, "type": "quantitative", "title": title, **more}

    margin = max(0.5, 0.03 * last)
    official = number(
        *("official rank", "Official rank"),
        axis={"grid": False, "values": rank_ticks(last), "format": "d"},
        scale={"domain": [1 - margin, last + margin], "nice": False},
    )
    scale = {"zero": False}
    errors = {"y": number("low", measure, scale=scale), "y2": {"field": "high"}}
    dots = {"y": {"field": "score", "type": "quantitative", "scale": scale}}
    return {
        "data": {"values": points},
        "encoding": {
            "x": official,
            "tooltip": [
                {"field": "system", "type": "nominal", "title": "System"},
                number("score", measure, format=".4f"),
                {"field": "rank", "type": "nominal", "title": "Rank here"},
                number("official rank", "Official rank"),
            ],
        },
        "layer": [
            {"mark": {"type": "rule", "color": ERROR_COLOUR}, "encoding": errors},
            {"mark": {"type": "circle", "size": 46, "opacity": 1}, "encoding": dots},
        ],
        "height": 300,
        "background": "transparent",
    }


page()
