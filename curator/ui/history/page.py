"""History: what people changed, taking it back, and what differs since."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from curator.evaluation.settings import Settings
from curator.formats.templates import macro
from curator.store.history import Event
from curator.ui.curate.impact_panel import sentence_html
from curator.ui.curate.impact_words import impact_sentence
from curator.ui.curate.small_board import Compared, board_html, rests_on
from curator.ui.history import event_rows
from curator.ui.history.event_rows import MODEL, EventRow
from curator.ui.setup.steps import no_collection
from curator.ui.shared import events as actions
from curator.ui.shared import session, shell, words
from curator.ui.shared.settings import settings_for
from curator.ui.shared.shell import framed, toolbar
from curator.workspace import Workspace

SHOWN = 300


@st.fragment
def page() -> None:
    """Events, the latest first; the one opened at the right."""
    framed("History", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page."""
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    problems: list[str] = []
    settings = settings_for(workspace, session.view(), problems)
    toolbar(columns.toolbar, workspace, settings)
    events = workspace.history()
    with columns.left:
        shell.brand(collection.title)
        names = {query.query_id: query.name for query in collection.queries}
        query_id, judge = filters(events, names)
    found = [
        event
        for event in events
        if judge in (None, event.by) and query_id in (None, event.change.query_id)
    ]
    rows = event_rows.event_rows(
        found[:SHOWN],
        collection,
        session.zone(),
        every=events,
        bank=workspace.bank(),
    )
    selected = session.view().event
    opened = next((row for row in rows if row.event_id == selected), None)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        shell.notes()
        every = words.count(len(events), "event")
        some = "" if len(found) == len(events) else f"{len(found):,} of "
        shell.title("History", some + every)
        st.html(macro("history/events.html", "events")(rows, selected))
    if opened is not None:
        with columns.right:
            if settings is None:
                undo_button(opened)
            else:
                since(workspace, settings, events, opened)


def filters(
    events: tuple[Event, ...], names: Mapping[str, str]
) -> tuple[str | None, str | None]:
    """The query and the judge to show; None for all."""
    with st.container(key="query_filter"):
        query_id = st.selectbox(
            "Query",
            [None, *dict.fromkeys(event.change.query_id for event in events)],
            key="history_query",
            format_func=lambda one: "all" if one is None else names.get(one, one),
        )
        judge = st.selectbox(
            "Judge",
            [None, *sorted({event.by for event in events})],
            key="history_judge",
            format_func=lambda one: one.removeprefix(MODEL) if one else "everyone",
        )
    return query_id, judge


def since(
    workspace: Workspace, settings: Settings, events: tuple[Event, ...], row: EventRow
) -> None:
    """What differs between the bank before this event and now."""
    impact = workspace.impact(since=row.event_id - 1, settings=settings)
    compared = Compared(workspace.leaderboard(settings), impact)
    sentence = impact_sentence(
        impact,
        event_rows.current_events(event_rows.edits_from(events, row.event_id)),
        workspace.collection().official,
        against="before this event",
    )
    noun = words.noun_under(workspace.bank(), workspace.graders(), settings.grader)
    st.html(sentence_html(sentence, rests_on(compared.board, noun)))
    undo_button(row)
    if compared.board.standings:
        st.html(board_html("Board", "before this event → now", compared))


def undo_button(opened: EventRow) -> None:
    """Take the opened event back, if that is still to be done."""
    st.button(
        "Undo this",
        key="undo_event",
        disabled=not opened.undoable,
        on_click=actions.undo_event,
        args=(opened.event_id,),
        help="Takes back everything saved in the same step",
    )


page()
