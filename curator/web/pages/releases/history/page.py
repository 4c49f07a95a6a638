"""History: what people changed, what that did, and taking it back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from curator.evaluation.settings import Settings
from curator.figures.drawing import Drawing
from curator.formats.templates import macro
from curator.store.history import EventSummary
from curator.tables.figures import history_figure
from curator.verbs.history.board_history import PastBoard
from curator.verbs.history.history import EventFilter
from curator.web.components import downloads, session, shell, words
from curator.web.components.background_status import drawing, model_status
from curator.web.components.downloads import figure
from curator.web.components.settings import settings_for, settings_words
from curator.web.components.shell import framed, toolbar
from curator.web.pages.judge.impact_panel import sentence_html
from curator.web.pages.judge.impact_words import impact_sentence
from curator.web.pages.judge.small_board import Compared, board_html, rests_on
from curator.web.pages.releases.events import undo_event
from curator.web.pages.releases.history import event_rows
from curator.web.pages.releases.history.event_rows import EventRow
from curator.web.pages.releases.history.listing import (
    SHOWN,
    chosen,
    file_of,
    lists,
    sheet,
)
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

COLUMN = 4.4  # inches of the right column


@st.fragment
def page() -> None:
    """Events, the latest first; the one opened at the right."""
    framed("History", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    drawing(workspace)
    if not collection.queries:
        no_collection(columns, workspace)
        return
    problems: list[str] = []
    settings = settings_for(workspace, session.view(), problems)
    toolbar(columns.toolbar, workspace, settings)
    view, zone = session.view(), session.zone()
    every = workspace.traces()
    choice = chosen(view, zone)
    found = [one for one in every if choice.matches(one)]
    number, pages = sheet(found, view)
    first = (number - 1) * SHOWN
    rows = event_rows.event_rows(
        workspace.events(one.event_id for one in found[first : first + SHOWN]),
        collection,
        zone,
        every=every,
        bank=workspace.bank(),
        judge=workspace.judge,
        numbers=workspace.question_numbers,
    )
    opened = next((row for row in rows if row.event_id == view.event), None)
    names = {query.query_id: query.name for query in collection.queries}
    with columns.left:
        shell.brand(collection.title)
        with st.container(key="query_filter"):
            st.html(drawn("filters")(lists(every, view, zone, names)))
            download(workspace, choice)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        shell.notes()
        total = words.count(len(every), "event")
        some = "" if len(found) == len(every) else f"{len(found):,} of "
        where = f" · times in {zone}" if zone else ""
        shell.title("History", some + total + where)
        st.html(drawn("events")(rows, view.event))
        if pages > 1:
            st.html(drawn("pages")(number, pages))
    if opened is not None:
        with columns.right:
            if settings is None:
                undo_button(opened)
            else:
                effect(workspace, settings, every, opened)
    elif settings is not None:
        session.write_url()  # before the figure, which takes longer than all else
        with columns.right:
            board_over_time(workspace, settings)


drawn = partial(macro, "releases/history/events.html")


FILES = {
    "TSV": ("text/tab-separated-values", "For a spreadsheet: no cell is a formula"),
    "JSON": ("application/json", "With everything that an event keeps"),
}


def download(workspace: Workspace, choice: EventFilter) -> None:
    """Buttons that save what the filters show, however many pages."""
    with st.container(key="history_files", horizontal=True, gap="small"):
        st.html('<span class="c-files">Save these</span>', width="content")
        for form, (mime, about) in FILES.items():
            write = partial(file_of, workspace.path, workspace.judge, choice, form)
            name = f"history.{form.lower()}"
            downloads.save_button("history", form, name, mime, about, write)


def effect(
    workspace: Workspace,
    settings: Settings,
    every: Sequence[EventSummary],
    row: EventRow,
) -> None:
    """What the step that this event is of did when it was made, and nothing later."""
    undo_button(row)
    impact = workspace.impact(edit=row.event_id, settings=settings)
    batches = {one.event_id: one.batch_id for one in every}
    own = [one for one in batches if batches[one] == batches[row.event_id]]
    sentence = impact_sentence(
        impact,
        workspace.events(own),
        workspace.collection().official,
        against="this event",
    )
    board = impact.boards[1]
    noun = words.noun_under(workspace.bank(), workspace.graders(), settings.grader)
    st.html(sentence_html(sentence, rests_on(board, noun)))
    if board.standings:
        about = "before this event → after it"
        st.html(board_html("Board", about, Compared(board, impact)))


def board_over_time(workspace: Workspace, settings: Settings) -> None:
    """Draw the ranks as imported, after edits and at releases."""
    past = workspace.board_history(settings)
    if not any(board.board.standings for board in past):
        return
    about = settings_words(settings, workspace.graders())
    figure(
        "over_time",
        f"{workspace.path.stem}-history",
        partial(drawn_history, past, about),
    )


def drawn_history(past: Sequence[PastBoard], about: str, dark: bool) -> Drawing:
    return history_figure(past, dark=dark, about=about, widest=COLUMN)


def undo_button(opened: EventRow) -> None:
    """Take the opened event back, if that is still to be done."""
    mine = opened.by == session.judge()
    why_not = session.why_not("undo" if mine else "undo_of_another")
    with st.container(key="key_u", width="content"):
        st.button(
            "Undo this",
            key="undo_event",
            disabled=not opened.undoable or bool(why_not),
            on_click=undo_event,
            args=(opened.event_id,),
            help=why_not or "Takes back everything saved in the same step (u)",
        )


page()
model_status()
