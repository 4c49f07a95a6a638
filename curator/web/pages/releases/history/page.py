"""History: what people changed, what that did, and undoing it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from curator.bank.edits.kinds import KINDS, base_kind
from curator.evaluation.settings import Settings
from curator.formats.templates import macro
from curator.store.history import EventSummary
from curator.tables.curate import history_table
from curator.tables.figures import history_figure
from curator.tables.table import text_of
from curator.verbs.history import EventFilter, events, undone_batches
from curator.web.components import session, shell, words
from curator.web.components.background_status import model_status
from curator.web.components.downloads import figure, save_button
from curator.web.components.settings import settings_for, settings_words
from curator.web.components.shell import choice_html, toolbar
from curator.web.components.view import View
from curator.web.pages.frame import draw_fragment
from curator.web.pages.judge.impact_panel import sentence_html
from curator.web.pages.judge.impact_words import impact_sentence
from curator.web.pages.judge.small_board import Compared, board_html, rests_on
from curator.web.pages.releases.events import undo_event
from curator.web.pages.releases.history.event_rows import MODEL, EventRow, event_rows
from curator.workspace import Workspace

SHOWN = 100  # events on a sheet
COLUMN = 4.4  # inches of the right column
FILES = {"TSV": "text/tab-separated-values", "JSON": "application/json"}
drawn = partial(macro, "releases/history/events.html")


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw events, the latest first; the effect of the one opened is at the right."""
    collection = workspace.collection()
    problems: list[str] = []
    view, zone = session.view(), session.zone()
    settings = settings_for(workspace, view, problems)
    toolbar(columns.toolbar, workspace, settings)
    every, choice = workspace.traces(), EventFilter(view.who, view.kind, view.within)
    matching = [
        event
        for event in every
        if choice.matches(event) and view.day in (None, _day(event, zone))
    ]
    number, sheets = sheet(matching, view)
    on_sheet = matching[(number - 1) * SHOWN : number * SHOWN]
    rows = event_rows(
        workspace.events(event.event_id for event in on_sheet),
        collection,
        zone,
        undone=undone_batches(every),
        bank=workspace.bank(),
        judge=workspace.judge,
        numbers=workspace.question_numbers,
    )
    opened = next((row for row in rows if row.event_id == view.event), None)
    with columns.left:
        shell.brand(collection.title)
        with st.container(key="query_filter"):
            lists = list(filters(every, view, zone, collection.names))
            st.html(drawn("filters")(lists, view.day or choice != EventFilter()))
            _save_buttons(workspace, matching)
    with columns.middle:
        for problem in problems:
            shell.line(problem, error=True)
        shell.notes()
        total = words.count(len(every), "event")
        some = "" if len(matching) == len(every) else f"{len(matching):,} of "
        where = f" · times in {zone}" if zone else ""
        shell.title("History", some + total + where)
        st.html(drawn("events")(rows, view.event))
        if sheets > 1:
            st.html(drawn("sheets")(number, sheets))
    if opened is not None:
        with columns.right:
            _undo_button(opened)
            if settings is not None:
                _effect(workspace, settings, every, opened)
    elif settings is not None:
        session.write_url()  # before the figure, which takes longer than all else
        past = workspace.board_history(settings)
        about = settings_words(settings, workspace.graders())
        if any(board.board.standings for board in past):
            with columns.right:
                figure(
                    "over_time",
                    f"{workspace.path.stem}-history",
                    history_figure(past, about=about, widest=COLUMN),
                )


def sheet(matching: Sequence[EventSummary], view: View) -> tuple[int, int]:
    """Return the sheet shown, at first that of the event opened, and their number."""
    sheets = max(1, -(-len(matching) // SHOWN))
    places = (at for at, event in enumerate(matching) if event.event_id == view.event)
    return min(view.sheet or next(places, 0) // SHOWN + 1, sheets), sheets


def filters(
    every: Sequence[EventSummary],
    view: View,
    zone: tzinfo | None,
    names: Mapping[str, str],
) -> Iterator[Markup]:
    """Yield the lists of queries, judges, kinds and days, with numbers of events."""
    past = {name: kind.past for name, kind in KINDS.items()}
    judges = {event.by: event.by.removeprefix(MODEL) for event in every}
    for label, name, values, words_for in (
        ("Query", "within", [event.query_id for event in every], names),
        ("Judge", "who", [event.by for event in every], judges),
        ("What", "kind", [base_kind(event.kind) for event in every], past),
        ("Day", "day", [_day(event, zone) for event in every], {}),
    ):
        counts = Counter(values).items()
        options = {
            value: f"{words_for.get(value, value)} ({n:,})" for value, n in counts
        }
        options = {"": "all"} | options
        yield choice_html(label, name, options, getattr(view, name) or "")


def _day(event: EventSummary, zone: tzinfo | None) -> str:
    return f"{event.when.astimezone(zone):%Y-%m-%d}"


def _save_buttons(workspace: Workspace, matching: Sequence[EventSummary]) -> None:
    """Draw buttons that save the filtered events of all sheets."""
    event_ids = [event.event_id for event in matching]
    with st.container(key="history_files", horizontal=True, gap="small"):
        st.html('<span class="c-files">Save these</span>', width="content")
        for form, mime in FILES.items():
            write = partial(file_of, workspace.path, workspace.judge, event_ids, form)
            about = f"The events listed, as {form}"
            save_button("history", form, f"history.{form.lower()}", mime, about, write)


def file_of(path: Path, judge: str, event_ids: Sequence[int], form: str) -> bytes:
    """Return the events as a file, as far as this judge may see them.

    Those of restricted queries are left out for everybody.
    """
    with (
        Workspace.open(path, judge=judge, as_judge=True) as workspace,
        workspace.snapshot_for_files() as snapshot,
    ):
        texts = {question.question_id: question.title for question in snapshot.bank}
        table = history_table(events(snapshot, event_ids), texts)
    if form == "JSON":
        return json.dumps(table.value, ensure_ascii=False, indent=1).encode()
    return text_of(table, "spreadsheet").encode()


def _undo_button(opened: EventRow) -> None:
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


def _effect(
    workspace: Workspace,
    settings: Settings,
    every: Sequence[EventSummary],
    row: EventRow,
) -> None:
    """Draw the effect of the event's step when it was made."""
    impact = workspace.impact(edit=row.event_id, settings=settings)
    batches = {event.event_id: event.batch_id for event in every}
    step = [event for event in batches if batches[event] == batches[row.event_id]]
    official = workspace.collection().official
    sentence = impact_sentence(
        impact, workspace.events(step), official, against="this event"
    )
    board = impact.boards[1]
    noun = words.noun_under(workspace.bank(), workspace.graders(), settings.grader)
    st.html(sentence_html(sentence, rests_on(board, noun)))
    if board.standings:
        about = "before this event → after it"
        st.html(board_html("Board", about, Compared(board, impact)))


draw_fragment("History", draw, follows=True)
model_status()
