"""History: what people changed, taking it back, and what differs since."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from curator.evaluation.settings import Settings
from curator.store.history import Event
from curator.ui import actions, session
from curator.ui.desk import Compared, settings_for
from curator.ui.present import history
from curator.ui.present.board import rests_on
from curator.ui.present.impact import impact_sentence
from curator.ui.widgets import shell
from curator.ui.widgets.event_list import events_html
from curator.ui.widgets.impact_panel import board_html, sentence_html
from curator.ui.widgets.picker import picker
from curator.ui.widgets.strip import saved, settings_strip
from curator.workspace import Workspace

SHOWN = 300


@st.fragment
def page() -> None:
    """Events, the latest first; the one opened at the right."""
    with shell.columns() as (left, strip, middle, right):
        try:
            with session.workspace() as workspace:
                collection = workspace.collection()
                if not collection.queries:
                    shell.no_collection(left, middle, workspace.path)
                    return
                problems: list[str] = []
                settings = settings_for(workspace, session.view(), problems)
                with strip:
                    if settings is not None:
                        settings_strip(settings, workspace.graders(), baseline=False)
                    saved(workspace.baselines(), workspace.judge, session.zone())
                events = workspace.history()
                names = {query.query_id: query.name for query in collection.queries}
                with left:
                    shell.brand(collection.title)
                    query_id, judge = _filters(events, names)
                found = history.by_judge(events, judge)
                found = tuple(e for e in found if query_id in (None, e.change.query_id))
                rows = history.event_rows(
                    found[:SHOWN], collection, session.zone(), every=events
                )
                with middle:
                    for problem in problems:
                        shell.line(problem, error=True)
                    shell.notes()
                    shell.title("History", history.counted(len(found), len(events)))
                    if not rows:
                        st.html(
                            '<p class="c-empty">Nobody has edited anything yet.</p>'
                        )
                    st.html(events_html(rows, session.view().event))
                chosen = next(
                    (r for r in rows if r.event_id == session.view().event), None
                )
                if chosen is not None:
                    with right:
                        if settings is not None:
                            _since(workspace, settings, events, chosen.event_id)
                        st.button(
                            "Undo this",
                            key="undo_event",
                            disabled=not chosen.undoable,
                            on_click=actions.undo_event,
                            args=(chosen.event_id,),
                            help="Takes back everything saved in the same step",
                        )
        except session.EXPECTED as error:
            with middle:
                shell.line(str(error), error=True)
        picker(session.view())
    session.write_url()


def _filters(
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
            [None, *history.judges(events)],
            key="history_judge",
            format_func=lambda one: "everyone" if one is None else one,
        )
    return query_id, judge


def _since(
    workspace: Workspace, settings: Settings, events: tuple[Event, ...], event_id: int
) -> None:
    """What differs between the bank before this event and now."""
    since = event_id - 1
    impact = workspace.impact(since=since, settings=settings)
    compared = Compared(workspace.leaderboard(settings), impact)
    later = [e for e in events if e.event_id > since and e.change.done is None]
    said = impact_sentence(
        impact,
        history.standing(later),
        workspace.collection().official,
        against="before this event",
        zone=session.zone(),
    )
    st.html(sentence_html(said, rests_on(compared.board)))
    st.html(board_html("Board", "before this event → now", compared))


page()
