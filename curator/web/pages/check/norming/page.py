"""Norming: the same items for everybody, answered blind, then discussed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

import streamlit as st

from curator.evaluation.norming import NormingTask, Round
from curator.formats.templates import macro
from curator.tables.norming import agreement_table
from curator.verbs.norming.rounds import DEFAULT_ITEMS, MAX_ITEMS, AnsweredItem, Norming
from curator.web.components import session, shell, words
from curator.web.components.background_status import drawing, model_status
from curator.web.components.html import table_html
from curator.web.components.shell import around, framed
from curator.web.pages.check.norming.answering import ITEMS, OF, list_data, opened
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

TEMPLATE = "check/norming/norming.html"
SEEN = "Norming tab; others' answers only once the round is revealed"


def page() -> None:
    """Rounds at the left, the items in the middle, agreement at the right."""
    framed("Norming", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page, the item to answer first."""
    drawing(workspace)
    if not workspace.collection().queries:
        no_collection(columns, workspace)
        return
    session.current().seen = SEEN
    may = workspace.standing().can_call("open_norming")
    rounds = workspace.norming_rounds()
    known = [one.round_id for one in rounds]
    number, _ = opened()
    found = workspace.norming(number if number in known else None) if rounds else None
    around(workspace, columns)
    with columns.middle:
        shell.title("Norming", "the same items for everybody, blind, then discussed")
        shell.notes()
        if found is None:
            shell.empty(
                "No round yet",
                "In a round everybody answers the same few items without seeing what "
                "others say; then all is laid side by side and discussed. "
                + ("Open one at the right." if may else "The organizer opens one."),
            )
        else:
            ITEMS.draw(**list_data(found))
    with columns.left:
        with st.container(key="query_rows"):
            here = found.round.round_id if found else 0
            st.html(macro(TEMPLATE, "rounds")(rounds, here))
        with st.container(key="query_progress"):
            st.html(progress_html(found))
    with columns.right:
        if found is not None:
            told(found)
            if may:
                steps(found.round)
        if may:
            open_form()


def told(found: Norming) -> None:
    """Who has answered how many; once it is revealed how far they agree."""
    this = found.round
    st.html(macro(TEMPLATE, "answered")(this, len(found.items)))
    if found.all_visible:
        table = agreement_table(found.agreements)
        st.html(table_html(table, "Agreement", "Krippendorff’s α"))
        for note in table.notes:
            shell.note(note)


def steps(this: Round) -> None:
    """Reveal it, or close it: the organizer's, asked once, as neither is taken back."""
    number = this.round_id
    if shell.asking("reveal", number):
        done = "Nobody has answered yet"
        if this.answered:
            judges = words.count(len(this.answered), "judge")
            done = f"Of {judges} who answered {this.finished} answered every item"
        shell.asked(
            f"Show all answers of round {number} to everybody? {done}. It cannot be "
            "hidden again, and what is answered from then on is not blind.",
            "Reveal",
            lambda one: one.reveal_norming(number),
        )
        return
    if shell.asking("close", number):
        hidden = "" if this.revealed else " It has not been revealed."
        shell.asked(
            f"Close round {number}?{hidden} Nothing more is answered or said in it, "
            "and it cannot be opened again.",
            "Close",
            lambda one: one.close_norming(number),
        )
        return
    with st.container(horizontal=True, gap="small", key="norming_steps"):
        if this.revealed is None:
            st.button(
                "Reveal to everybody…",
                key="norming_reveal",
                on_click=shell.ask,
                args=("reveal", number),
                help="Shows every answer to everybody; it cannot be hidden again",
            )
        if this.closed is None:
            st.button(
                "Close…",
                key="norming_close",
                on_click=shell.ask,
                args=("close", number),
                help="Nothing more is answered or said in it",
            )


def open_form() -> None:
    """Draw the items of a new round."""
    with st.form("open_norming", border=False):
        asked = st.selectbox(
            "New round: for each item",
            get_args(NormingTask),
            format_func=lambda of: OF[of],
            key="norm_of",
        )
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            count = st.number_input(
                "Items", 1, MAX_ITEMS, DEFAULT_ITEMS, key="norm_count"
            )
            drawn = st.form_submit_button("Open a round")
    if drawn:
        session.look(answer=None)
        changed(lambda one: one.open_norming(asked, count=int(count)))


def changed(change: Callable[[Workspace], object]) -> None:
    """Save it, and have the page drawn with it; a refusal is one line."""
    with session.noting() as workspace:
        change(workspace)
    session.redraw()


def progress_html(found: Norming | None) -> str:
    """How many items I have answered."""
    items: Sequence[AnsweredItem] = found.items if found else ()
    done = sum(one.mine is not None for one in items)
    share = f"{100 * done / (len(items) or 1):.1f}"
    return macro(TEMPLATE, "progress")(done, len(items), share)


page()
model_status()
