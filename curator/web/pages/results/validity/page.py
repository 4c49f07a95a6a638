"""Can I trust it?: graders, label rules and measures against one reference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from markupsafe import Markup

from curator.errors import CuratorError
from curator.evaluation.measures import title
from curator.evaluation.settings import OFFICIAL, Settings
from curator.snapshot.settings import GRADER
from curator.tables.agreement import agreement_tables, grader_agreement_table
from curator.tables.figures import sweep_figure, validity_figure
from curator.tables.table import html_of
from curator.tables.validity import sweep_table, validity_table
from curator.web.components import events, session, shell
from curator.web.components.channel import pick
from curator.web.components.downloads import figure, table_download
from curator.web.components.settings import (
    grader_labels,
    official_boards,
    settings_words,
)
from curator.web.pages.frame import draw_page
from curator.web.pages.results import parts, sentences
from curator.web.pages.results.validity.votes import votes_section
from curator.workspace import Workspace
from grading.responders import shared_kind

COLUMN = 7.4  # inches of the middle column, so that type in a figure has its size
WAIT = "Every board over a thousand draws of the queries: a moment."
HOW_TO_READ = (
    "A dot is how alike a board and the reference are: 1 the same order, 0 none. "
    "Its line is where tau lies in 95 % of 1,000 draws of the queries. A draw holds "
    "fewer distinct queries than there are, so lines lie lower than their dots. Two "
    "whose lines overlap widely may well be equally good."
)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw all four parts of the page."""
    settings = parts.open_board(workspace, columns, by_topics=True)
    with columns.middle:
        middle = st.container(gap=None)
        votes_section()
    if settings is None:
        return
    graders = workspace.graders()
    with middle:
        shell.title("Can I trust it?", settings_words(settings, graders))
        if not graders:
            shell.not_graded(workspace, shell.TEXTS_ALONE)
            return
        place = st.container(gap=None)
        agreement(workspace, settings)
        if any(grader.name.startswith(sentences.BY_VECTORS) for grader in graders):
            shell.note(sentences.MINILM)
    if workspace.collection().blind:
        with place:
            shell.sentence(sentences.BLIND)
        return
    boards(workspace, place, columns)


def boards(
    workspace: Workspace,
    place: st.delta_generator.DeltaGenerator,
    columns: shell.Columns,
) -> None:
    """Draw tau of every grader, label rule and measure with the reference chosen."""
    graders, view = workspace.graders(), session.view()
    # Whether a grader was imported says nothing here.
    labels = {
        name: label.removesuffix(" (imported)")
        for name, label in grader_labels(graders).items()
    }
    people = sorted(graders, key=lambda grader: not grader.by_people)
    offered = {name: name for name in official_boards(workspace.collection())}
    offered |= {OFFICIAL: "official ranks"} if OFFICIAL in offered else {}
    offered |= {f"{GRADER}{who.name}": labels[who.name] for who in people}
    chosen = view.reference or next(iter(offered))
    choice = shell.choice_html("Against", "reference", offered, chosen, other=True)
    with place:
        st.html(Markup('<div class="m-pair c-toolbar">{}</div>').format(choice))
        picture = st.empty()
    with picture.container():
        shell.note(WAIT)
    try:
        lines = workspace.validity(against=chosen, min_rating=view.rating, k=view.k)
    except session.EXPECTED as error:
        with picture.container():
            shell.line(str(error), error=True)
            if len(graders) == 1:
                shell.act("Grade by another on Grading", pick(events.go_to, "Grading"))
        return
    stem = f"{workspace.path.stem}-validity"
    with columns.right:
        parts.heading("Rank correlations")
        for measure in dict.fromkeys(line.settings.measure for line in lines):
            of_measure = [line for line in lines if line.settings.measure == measure]
            caption = Markup("<b>{}</b>").format(title(measure))
            st.html(html_of(validity_table(of_measure, labels), "c-counts", caption))
        noted = {line.settings.grader: line.correlation.note for line in lines}
        parts.notes(f"{labels[name]}: {note}" for name, note in noted.items() if note)
        table_download("validity", stem, lambda: validity_table(lines))
    with picture.container():
        figure(
            *("validity", stem),
            validity_figure(lines, names=labels, widest=COLUMN),
        )
        shell.note(HOW_TO_READ)


def agreement(workspace: Workspace, settings: Settings) -> None:
    """Draw what else is known of the labels of this board, a section each."""
    if not settings.grader:
        return
    stem = f"{workspace.path.stem}-{title(settings.measure)}"
    if not workspace.collection().blind:
        against_judgments(workspace, settings, stem)
        every_rating(workspace, settings, stem)
    against_people(workspace, settings, stem)


def against_judgments(workspace: Workspace, settings: Settings, stem: str) -> None:
    """Draw labels against judgments, and behind a switch table by table."""
    options = _options(settings)
    parts.heading("Labels and official judgments")

    def sentence() -> str:
        relevant = workspace.collection().min_relevance
        compared = workspace.agreement(min_rating=settings.min_rating, **options)
        return sentences.agreement(
            compared.agreement, settings.relevant_from(), relevant
        )

    if not parts.has_sentence(sentence) or not st.toggle(
        "Agreement tables", key="agreement_tables"
    ):
        return
    tables = agreement_tables(
        workspace.agreement(min_rating=settings.min_rating, **options)
    )
    for number, table in enumerate(tables, 1):
        # The grader's name stands above the page already.
        caption = table.caption.removeprefix(f"{settings.grader} · ")
        name = f"agreement-{number}"
        parts.counts(name, f"{stem}-{name}", replace(table), caption)


def every_rating(workspace: Workspace, settings: Settings, stem: str) -> None:
    """Draw the correlation with the official ranks from each minimum rating on."""
    if not workspace.collection().official or not st.toggle(
        "Every minimum rating", key="every_threshold"
    ):
        return
    try:
        swept = workspace.sweep([settings.measure], k=settings.k, **_options(settings))
    except CuratorError as error:
        shell.sentence(str(error))
        return
    table = sweep_table(swept, current=settings.min_rating)
    parts.counts("sweep", f"{stem}-sweep", table, "Against the official ranks")
    graders = workspace.graders()
    about = settings_words(settings, graders, measure=False, rating=False)
    figure(
        *("sweep", f"{stem}-sweep"),
        sweep_figure(swept).styled(about=about),
    )


def _options(settings: Settings) -> dict[str, Any]:
    return {
        "grader": settings.grader,
        "min_answered": settings.min_answered,
        "label": settings.label,
        "by": settings.by,
    }


def against_people(workspace: Workspace, settings: Settings, stem: str) -> None:
    """Draw this grader against people, or every grader where people are chosen."""
    graders = {grader.name: grader for grader in workspace.graders()}
    selected = graders.get(settings.grader)
    if selected is None or selected.learned:  # from people's own answers
        return
    alike = [
        grader
        for grader in graders.values()
        if shared_kind(grader.item_kind, selected.item_kind)
    ]
    people = next((grader.name for grader in alike if grader.by_people), None)
    if people is None or len(alike) == 1:
        return
    compared = workspace.grader_agreement(
        people,
        grader=None if selected.by_people else selected.name,
        min_rating=settings.min_rating,
    )
    parts.heading("Graders and people")
    parts.counts("people", f"{stem}-people", grader_agreement_table(compared), "")


draw_page("Trust", draw)
