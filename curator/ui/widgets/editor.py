"""Writing questions: rewording one, adding one, and what to do with two versions."""

from __future__ import annotations

import streamlit as st

from curator.bank.edits import MAX_TEXT
from curator.ui import actions
from curator.ui.desk import Desk
from curator.ui.present.questions import QuestionRow
from curator.ui.widgets import html


def reword_form(row: QuestionRow) -> None:
    """The text of one question, saved by the button or Ctrl+Enter."""
    with st.form(key="reword_form", border=False):
        st.text_area(
            "New text",
            key=actions.text_key(row.question_id),
            height=68,
            max_chars=MAX_TEXT,
            label_visibility="collapsed",
        )
        with st.container(horizontal=True, gap="xsmall"):
            st.form_submit_button(
                "Save",
                key="save_rewording",
                type="primary",
                on_click=actions.save_rewording,
                help="Ctrl+Enter saves",
            )
            st.form_submit_button(
                "Cancel", key="cancel_rewording", on_click=actions.cancel_rewording
            )


def conflict_cards(conflict: actions.Conflict) -> None:
    """Both texts side by side, and which of them to keep."""
    with st.container(key="conflict"):
        st.html(conflict_html(conflict))
        with st.container(horizontal=True, gap="xsmall"):
            st.button("Keep mine", key="keep_mine", on_click=actions.keep_mine)
            st.button("Keep theirs", key="keep_theirs", on_click=actions.keep_theirs)
            st.button("Combine", key="edit_mine", on_click=actions.edit_mine)


def add_form(desk: Desk) -> None:
    """A new question, in a subtopic where the query has some; Enter saves."""
    subtopics = {s.subtopic_id: s.text or s.subtopic_id for s in desk.query.subtopics}
    with (
        st.form(key="add_form", border=False, enter_to_submit=True),
        st.container(key="add_row", horizontal=True, gap="xsmall"),
    ):
        st.text_input(
            "New question",
            key="add_text",
            placeholder="New question",
            max_chars=MAX_TEXT,
            label_visibility="collapsed",
        )
        if subtopics:
            st.selectbox(
                "Subtopic",
                [None, *subtopics],
                key="add_subtopic",
                format_func=lambda one: (
                    "no subtopic" if one is None else subtopics[one]
                ),
                label_visibility="collapsed",
            )
        st.form_submit_button(
            "Add", key="add", on_click=actions.add, args=(desk.query.query_id,)
        )


def conflict_html(conflict: actions.Conflict) -> str:
    """Who saved what, my text and theirs, and what both began from."""
    cards = "".join(
        f"<div><small>{who}<em>{state}</em></small><p>{html.text(text)}</p></div>"
        for who, state, text in (
            ("Yours", "not saved", conflict.mine),
            (
                f"{html.text(conflict.theirs_by)}’s",
                f"revision {conflict.theirs_revision}",
                conflict.theirs,
            ),
        )
    )
    began = (
        f'<p class="c-began">Both began from: {html.text(conflict.base)}</p>'
        if conflict.base and conflict.base != conflict.theirs
        else ""
    )
    return (
        f'<p class="c-line c-error" role="alert"><b>{html.text(conflict.theirs_by)}'
        "</b> changed this question while you were writing. Nothing is lost: choose."
        f'</p><div class="c-cards">{cards}</div>{began}'
    )
