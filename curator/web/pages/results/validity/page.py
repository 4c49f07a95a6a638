"""Can I trust it?: graders, label rules and measures against one reference."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import streamlit as st
from markupsafe import Markup

from curator.engine.settings import GRADER
from curator.evaluation.settings import OFFICIAL
from curator.tables.figures import validity_figure
from curator.tables.table import html_of
from curator.tables.validity import validity_table
from curator.verbs.leaderboard.leaderboard import BoardCorrelation
from curator.web.components import session, shell
from curator.web.components.downloads import figure, table_download
from curator.web.components.settings import grader_labels, official_boards
from curator.web.components.shell import framed
from curator.web.pages.results.sentences import BLIND, BY_VECTORS, MINILM
from curator.web.pages.results.validity.votes import votes_section
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

COLUMN = 7.4  # inches of the middle column, so that type in a figure has its size
WAIT = "Every board over a thousand draws of the queries: a moment."
HOW_TO_READ = (
    "A dot is how alike a board and the reference are: 1 the same order, 0 none. "
    "Its line is where tau lies in 95 % of 1,000 draws of the queries. A draw holds "
    "fewer distinct queries than there are, so lines lie lower than their dots. Two "
    "whose lines overlap widely may well be equally good."
)


def page() -> None:
    """The picture in the middle, the numbers beside it."""
    framed("Trust", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    with columns.left:
        shell.brand(collection.title)
    shell.toolbar(columns.toolbar, workspace)
    with columns.middle:
        middle, votes = st.container(gap=None), st.container(gap=None)
    with votes:
        votes_section()
    graders = workspace.graders()
    # Whether a grader was imported says nothing here.
    labels = {
        one: label.removesuffix(" (imported)")
        for one, label in grader_labels(graders).items()
    }
    view = session.view()
    with middle:
        if not graders:
            shell.no_grades(workspace)
            return
        rating = "" if view.rating is None else f"rating \u2265 {view.rating} \u00b7 "
        shell.title("Can I trust it?", f"{rating}top {view.k}")
        if collection.blind:
            shell.sentence(BLIND)
            return
        people = sorted(graders, key=lambda one: not one.by_people)
        offered = {one: one for one in official_boards(collection)}
        offered |= {OFFICIAL: "official ranks"} if OFFICIAL in offered else {}
        offered |= {f"{GRADER}{one.name}": labels[one.name] for one in people}
        chosen = view.reference or next(iter(offered))
        choice = shell.choice_html(
            "Against", "reference", offered, chosen, offered, other=True
        )
        st.html(Markup('<div class="m-pair c-toolbar">{}</div>').format(choice))
        picture = st.empty()
    with picture.container():
        shell.note(WAIT)
    # Every board there is, over a thousand draws of the queries: it takes a moment.
    try:
        found = workspace.validity(against=chosen, min_rating=view.rating, k=view.k)
    except session.EXPECTED:
        picture.empty()
        if len(graders) == 1:
            with middle:
                shell.act("Grade by another on Grading", "goto:Grading")
        raise
    stem = f"{workspace.path.stem}-validity"
    with columns.right:
        st.html('<div class="c-listhead"><b>Rank correlations</b></div>')
        for measure in dict.fromkeys(one.settings.measure for one in found):
            lines = [one for one in found if one.settings.measure == measure]
            caption = Markup("<b>{}</b>").format(measure)
            st.html(html_of(validity_table(lines, labels), "c-counts", caption))
        for grader, one in noted(found):
            shell.note(f"{labels[grader]}: {one}")
        if any(one.name.startswith(BY_VECTORS) for one in graders):
            shell.note(MINILM)
        table_download("validity", stem, partial(validity_table, found))
    with picture.container():
        figure(
            *("validity", stem),
            lambda dark: validity_figure(found, names=labels, dark=dark, widest=COLUMN),
        )
        shell.note(HOW_TO_READ)


def noted(found: Iterable[BoardCorrelation]) -> list[tuple[str, str]]:
    """Each grader with what its boards do not rest on, each said once."""
    notes = ((one.settings.grader, one.correlation.note) for one in found)
    return [one for one in dict.fromkeys(notes) if one[1]]


page()
