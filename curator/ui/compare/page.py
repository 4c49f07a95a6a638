"""Compare: measures side by side, and two systems query by query."""

from __future__ import annotations

import streamlit as st

from curator.evaluation.settings import Settings
from curator.figures.bumps import bump_chart
from curator.figures.drawing import Drawing
from curator.tables.compare import comparison_tables
from curator.ui.compare import comparison, page_state
from curator.ui.compare import comparison_rows as present
from curator.ui.compare.notes import compared_notes
from curator.ui.setup.steps import no_collection
from curator.ui.shared import html, session, shell
from curator.ui.shared.board_rows import settings_words
from curator.ui.shared.figure import figure
from curator.ui.shared.frame import board_strip, framed
from curator.ui.shared.settings import board_measures, board_settings
from curator.ui.shared.table_download import table_download
from curator.verbs.compare.comparison import Comparison
from curator.workspace import Workspace

MATRIX = "Kendall’s τ below, Spearman’s ρ above; 95 % intervals over queries."
ONE_MEASURE = "Add a second measure to see how alike the two boards are."
RANKS = "Ranks under each measure"
COLUMN = 7.4  # inches of the middle column, so that type in a figure has its size


def page() -> None:
    """Table and ranks in the middle; beside them correlations, and two systems."""
    framed("Compare", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    with columns.left:
        shell.brand(collection.title)
    view, problems = session.view(), list[str]()
    settings = board_settings(workspace, view, problems)
    graders = workspace.graders()
    board_strip(workspace, columns, settings)
    with columns.middle:
        if settings is None:
            shell.no_grades(workspace.path, ideals=True)
            return
        chosen = page_state.columns(workspace, view, settings, problems)
        session.current().measures = tuple(one.measure for one in chosen)
        found = workspace.compare(chosen)
        problems += page_state.unknown(view, found.systems)
        for problem in problems:
            shell.line(problem, error=True)
        shell.title("Compare", settings_words(settings, graders))
        if not found.systems:
            _nothing(workspace, found)
            return
        names = [one.measure for one in chosen]
        offered = board_measures(workspace)
        st.html(comparison.measures_html(names, settings.measure, offered))
        place = st.empty()
        _table(place, found, names)
    with columns.right:
        _matrix(found, names)
        pair = page_state.pair(view, found.systems)
        if pair is not None:
            _two(workspace, settings, *pair)
    # The tests take a moment the first time: everything else is there by then.
    tested = workspace.compare(chosen, tests=True)
    _table(place, tested, names)
    with columns.middle:
        if tested.significance is not None:
            said = present.tests_words(tested.significance)
            st.html(f'<p class="c-note">{html.text(said)}</p>')
        _notes(tested)
        stem = f"{workspace.path.stem}-compared"
        table_download("compared", stem, lambda: comparison_tables(tested)[0])
        session.write_url()  # before the figure, which takes longer than all else
        if len(names) > 1:
            about = settings_words(settings, graders, measure=False)
            _ranks(tested, names, workspace.path.stem, about)


def _table(
    place: st.delta_generator.DeltaGenerator, found: Comparison, names: list[str]
) -> None:
    rows = present.system_rows(found)
    about = f"in the order of {names[0]}"
    about += ", lines part its tiers" if found.significance else ""
    place.html(comparison.systems_html(names, rows, about))


def _matrix(found: Comparison, names: list[str]) -> None:
    """The correlations, or how to get some."""
    if not found.pairs:
        st.html(f'<p class="c-note">{html.text(ONE_MEASURE)}</p>')
        return
    cells = present.matrix_cells(found.pairs, names)
    st.html(comparison.matrix_html(names, cells, MATRIX))


def _two(workspace: Workspace, settings: Settings, first: str, second: str) -> None:
    """The queries on which two systems differ most."""
    found = workspace.compare((settings,), tests=True, between=(first, second))
    between, tested = found.between, found.significance
    if between is None or tested is None:
        return
    queries = workspace.collection().queries
    rows = present.difference_rows(
        between.queries, {query.query_id: query.name for query in queries}
    )
    said = present.differ_words(len(rows), len(between.queries), first, second)
    said += " " + present.pair_words(tested.tests, first, second)
    st.html(
        comparison.pair_html(first, second, found.systems)
        + f'<p class="c-note">{html.text(said)}</p>'
        + comparison.differences_html(rows, first, second)
    )


def _ranks(found: Comparison, names: list[str], stem: str, about: str) -> None:
    """Each system's rank from measure to measure."""
    by_measure = [one.ranks() for one in found.boards]
    ranks = {s: [one.get(s) for one in by_measure] for s in found.systems}

    def made(dark: bool) -> Drawing:
        return bump_chart(RANKS, names, ranks, dark, about, widest=COLUMN)

    st.html(f'<div class="c-listhead m-ranks"><b>{RANKS}</b></div>')
    figure("ranks", f"{stem}-ranks", made)


def _notes(found: Comparison) -> None:
    for note in compared_notes(found):
        st.html(f'<p class="c-note">{html.text(note)}</p>')


def _nothing(workspace: Workspace, found: Comparison) -> None:
    """No system has a score: what is missing."""
    shell.empty(
        "Nothing to compare yet",
        " ".join(found.notes) or "No system is ranked.",
        f"curator import {workspace.path} --runs FOLDER",
    )


page()
