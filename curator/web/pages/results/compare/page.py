"""Compare: measures side by side, and two systems query by query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
from markupsafe import Markup

from curator.evaluation.measures import title
from curator.evaluation.settings import Settings
from curator.tables.compare import difference_table, score_and_rank_table
from curator.tables.figures import bump_figure
from curator.tables.leaderboard import open_ranks
from curator.tables.table import Column, Table, html_of
from curator.verbs.compare import Comparison
from curator.web.components import session, shell, words
from curator.web.components.downloads import figure, table_download
from curator.web.components.settings import (
    settings_words,
)
from curator.web.pages.frame import draw_page
from curator.web.pages.results import parts
from curator.web.pages.results.compare import page_state, sentences
from curator.workspace import Workspace

MATRIX = "Kendall’s τ below, Spearman’s ρ above; 95 % intervals over queries."
ONE_MEASURE = "Add a second measure to see how alike the two boards are."
RANKS = "Ranks under each measure"
FIRST_QUERIES = 8
NAME, CELL = 62, 46  # pixels of a name and of a coefficient with its interval
COLUMN = 7.4  # inches of the middle column, so that type in a figure has its size


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw all four parts of the page."""
    settings = parts.open_board(workspace, columns)
    if settings is None:
        return
    view, problems, graders = session.view(), list[str](), workspace.graders()
    chosen = page_state.columns(workspace, view, settings, problems)
    names = [board.measure for board in chosen]
    compared = workspace.compare(chosen)
    pair = page_state.pair(view, compared.systems, problems)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        shell.title("Compare", settings_words(settings, graders))
        if not compared.systems:
            about = " ".join(compared.notes) or "No system is ranked."
            shell.empty("Nothing to compare yet", about, shell.IMPORT)
            return
        page_state.choose_measures(workspace, names)
        place = st.empty()
        scores(place, compared, names[0])
    with columns.right:
        correlations(compared, names)
        if pair is not None:
            two_systems(workspace, settings, *pair)
    # The tests take a moment the first time: everything else is there by then.
    tested = workspace.compare(chosen, tests=compared.boards[0].complete)
    scores(place, tested, names[0])
    with columns.middle:
        if tested.significance is not None:
            shell.note(sentences.tests_words(tested.significance))
        parts.notes([*open_ranks(tested.boards), *compared.notes])
        stem = f"{workspace.path.stem}-compared"
        table_download("compared", stem, lambda: score_and_rank_table(tested))
        session.write_url()  # before the figure, which takes longer than all else
        if len(names) > 1:
            about = settings_words(settings, graders, measure=False)
            parts.heading(RANKS)
            figure(
                *("ranks", f"{workspace.path.stem}-ranks"),
                bump_figure(tested, about=about, title=RANKS, widest=COLUMN),
            )


def scores(
    place: st.delta_generator.DeltaGenerator, compared: Comparison, first: str
) -> None:
    """Draw every system's scores and ranks, in tiers once these are known."""
    about = f"in the order of {title(first)}"
    about += ", lines part its tiers" if compared.significance else ""
    caption = Markup("<b>Scores and ranks</b> {}").format(about)
    table = html_of(score_and_rank_table(compared), "m-systems", caption)
    place.html(Markup('<div class="m-scroll">{}</div>').format(table))


def correlations(compared: Comparison, names: list[str]) -> None:
    """Draw how alike the boards are: tau below the diagonal, rho above it."""
    if not compared.pairs:
        shell.note(ONE_MEASURE)
        return
    names = [title(name) for name in names]
    cells = sentences.matrix_cells(compared.pairs, names)

    def cell(column: int) -> Callable[[int], Markup]:
        return lambda row: cells.get((row, column), Markup())

    columns = [Column("measure", names.__getitem__)]
    columns += [
        Column(name, str, title=name, page=cell(number))
        for number, name in enumerate(names)
    ]
    parts.heading("How alike the boards are")
    shell.note(MATRIX)
    table = html_of(Table(columns, range(len(names))), "m-matrix")
    style = '<div class="m-scroll"><div style="min-width:{}px">{}</div></div>'
    st.html(Markup(style).format(NAME + CELL * len(names), table))


def two_systems(
    workspace: Workspace, settings: Settings, first: str, second: str
) -> None:
    """Draw the queries on which two systems differ most."""
    tests = workspace.leaderboard(settings).complete
    compared = workspace.compare((settings,), tests=tests, between=(first, second))
    between, tested = compared.between, compared.significance
    if between is None:
        return
    names = workspace.collection().names
    differing = [query for query in between.queries if round(query.difference, 9) != 0]
    table = difference_table(between, names)
    options = [
        [name for name in compared.systems if name != other]
        for other in (second, first)
    ]
    parts.heading("Two systems")
    choices = Markup('<div class="m-pair c-toolbar">{}{}</div>').format(
        shell.choice_html("Between", "first", options[0], first),
        shell.choice_html("and", "second", options[1], second),
    )
    st.html(choices)
    queries = words.count(len(between.queries), "query", "queries")
    shell.note(
        f"They differ in {len(differing)} of {queries}. Above zero: {first} is better. "
        + (sentences.pair_words(tested.tests, first, second) if tested else "")
    )
    if differing:
        top = replace(table, rows=differing[:FIRST_QUERIES])
        st.html(html_of(top, "m-queries"))
    if others := differing[FIRST_QUERIES:]:
        rows = html_of(replace(table, rows=others), "m-queries", head=False)
        more = "<details><summary>{} more</summary>{}</details>"
        st.html(Markup(more).format(len(others), rows))


draw_page("Compare", draw)
