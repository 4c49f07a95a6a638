"""The middle column: the query, its questions in place, what can be done to one."""

from __future__ import annotations

import streamlit as st

from curator.collection.queries import Query
from curator.ui import actions, session
from curator.ui.desk import Desk
from curator.ui.present import questions
from curator.ui.present.questions import QuestionGroup, QuestionRow
from curator.ui.widgets import html
from curator.ui.widgets.editor import add_form, conflict_cards, reword_form


def query_head(desk: Desk, judge: str) -> None:
    """The query's title and background; undo, redo, done."""
    query = desk.query
    done = (query.query_id, judge) in desk.bank.done
    with st.container(key="query_head", horizontal=True, vertical_alignment="top"):
        st.html(head_html(query))
        with st.container(
            key="query_actions", horizontal=True, width="content", gap="xsmall"
        ):
            st.button(
                "Undo",
                key="undo",
                on_click=actions.undo,
                args=(query.query_id,),
                help="Take back my latest edit in this query",
            )
            st.button(
                "Redo",
                key="redo",
                on_click=actions.redo,
                args=(query.query_id,),
                help="Make again what I took back",
            )
            st.button(
                "Reopen" if done else "Done, next",
                key="done",
                type="secondary" if done else "primary",
                on_click=actions.mark,
                args=(query.query_id, not done),
            )


def question_list(desk: Desk) -> None:
    """The rows; beneath the selected one its buttons.

    An open editor stays beneath its row whatever is selected: a text field that is
    not drawn forgets what was typed.
    """
    editing: actions.Editing | None = st.session_state.get("editing")
    edited = editing.question_id if editing else None
    groups = questions.question_groups(
        desk.lines,
        desk.query,
        systems=len(desk.collection.systems),
        selected=session.view().question,
    )
    measure = desk.settings.measure if desk.settings else ""
    st.html(list_head_html(*questions.summary(desk.lines), measure))
    if not desk.lines:
        st.html('<p class="c-empty">No questions yet. Write one below.</p>')
    rows: list[str] = []
    for group in groups:
        rows.append(heading_html(group))
        for row in group.rows:
            rows.append(row_html(row))
            if row.selected or row.question_id == edited:
                st.html(list_html(rows))
                rows = []
                row_actions(row)
    if rows:
        st.html(list_html(rows))
    add_form(desk)


def row_actions(row: QuestionRow) -> None:
    """Buttons for the selected question, its editor, or both texts of a conflict."""
    editing: actions.Editing | None = st.session_state.get("editing")
    conflict: actions.Conflict | None = st.session_state.get("conflict")
    if conflict is not None and conflict.question_id == row.question_id:
        conflict_cards(conflict)
    elif editing is not None and editing.question_id == row.question_id:
        reword_form(row)
    else:
        with st.container(key="row_actions", horizontal=True, gap="xsmall"):
            if row.state == "retired":
                st.button(
                    "Restore",
                    key="restore",
                    on_click=actions.restore,
                    args=(row.question_id, row.revision),
                )
                return
            st.button(
                "Retire",
                key="retire",
                on_click=actions.retire,
                args=(row.question_id, row.revision),
            )
            st.button(
                "Reword",
                key="reword",
                disabled=not row.editable or editing is not None,
                help=reword_help(row, editing),
                on_click=actions.start_rewording,
                args=(row.question_id, row.revision, row.text),
            )


def reword_help(row: QuestionRow, editing: actions.Editing | None) -> str | None:
    """Why the question cannot be reworded now, None where it can."""
    if not row.editable:
        return "Its text is not in the file"
    return None if editing is None else "Save or cancel the open text first"


def head_html(query: Query) -> str:
    """Title, id, background."""
    background = (
        f'<p class="c-background">{html.text(query.background)}</p>'
        if query.background
        else ""
    )
    return (
        f'<h1 class="c-title">{html.text(query.name)}'
        f"<small>{html.text(query.query_id)}</small></h1>{background}"
    )


def list_head_html(kept: str, others: str, measure: str) -> str:
    """``9 kept  1 retired`` and what the right-hand numbers are."""
    influence = f"Influence on {html.text(measure)}" if measure else ""
    return (
        f'<div class="c-listhead"><b>{kept}</b><span>{others}</span>'
        f"<em>{influence}</em></div>"
    )


def list_html(rows: list[str]) -> str:
    """Rows as one element, however many they are."""
    return f'<div class="c-questions">{"".join(rows)}</div>'


def heading_html(group: QuestionGroup) -> str:
    """The subtopic, where there is one."""
    return f"<h2>{html.text(group.heading)}</h2>" if group.heading else ""


def row_html(row: QuestionRow) -> str:
    """Number and text; then meta, reason, influence and its bar."""
    css = "c-question" + (" c-retired" if row.state == "retired" else "")
    text = html.text(row.text)
    meta = html.text(row.meta)
    if row.state != "kept":
        meta = f"<b>{row.state.capitalize()}</b>{' · ' if meta else ''}{meta}"
    bar = (
        f'<span class="c-bar"><i style="width:{100 * row.bar:.1f}%"></i></span>'
        if row.bar is not None
        else '<span class="c-bar c-none"></span>'
    )
    inner = (
        f'<span class="c-number">{row.number}</span>'
        f'<span class="c-text">{f"<s>{text}</s>" if row.state == "retired" else text}'
        f'</span><span class="c-meta">{meta}</span>'
        f'<span class="c-reason">{html.text(row.reason)}</span>'
        f'<span class="c-influence">{html.text(row.influence)}{bar}</span>'
    )
    return html.pick(
        "question", row.question_id, current=row.selected, inner=inner, css=css
    )
