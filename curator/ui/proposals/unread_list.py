"""Responses to which nothing could be read, as they came, and asking again."""

from __future__ import annotations

import streamlit as st

from curator.background.tasks import Errand
from curator.ui.proposals.unread_words import UnreadRow
from curator.ui.shared import html, session

NOTE = (
    '<p class="c-note">Nothing in them reads as a list of questions, so nothing was '
    "proposed. Here they are as they came.</p>"
)


def unread_list(rows: tuple[UnreadRow, ...], total: int, *, why_not: str) -> None:
    """Each with its words folded and a button; ``why_not`` says why none can be asked.

    A row goes away when its asking brings something.
    """
    st.html(head_html(total))
    for row in rows:
        errand = _sent().get(row.number)
        going = session.errands().going(errand)
        outcome = session.errands().outcome(errand)
        refused = outcome.line if outcome is not None and not going else ""
        with st.container(key=f"unread_{row.number}", horizontal=True):
            st.html(row_html(row, refused))
            st.button(
                "Asking…" if going else "Ask again",
                key=f"again_{row.number}",
                disabled=going or bool(why_not),
                help=why_not or "As it is saved above, whatever was asked then",
                on_click=ask_again,
                args=(row,),
            )
    if total > len(rows):
        st.html(f'<p class="c-note">and {total - len(rows):,} more, asked earlier.</p>')


def ask_again(row: UnreadRow) -> None:
    """Ask about the same once more."""
    errand = session.ask(
        row.query_id,
        subtopic_id=row.subtopic_id,
        passage_id=row.passage_id,
        again=True,
    )
    st.session_state.asked_again = {**_sent(), row.number: errand}


def head_html(total: int) -> str:
    """The list's heading, and what it is."""
    return (
        '<div class="c-listhead"><b>Could not be read</b>'
        f"<span>{total:,}</span></div>{NOTE}"
    )


def row_html(row: UnreadRow, refused: str) -> str:
    """What was asked, of whom and when; what came, folded; why it was not asked now."""
    about = f"<span>{html.text(row.about)}</span>" if row.about else ""
    errors = "".join(
        f'<p class="c-line c-error"{role}>{html.text(line)}</p>'
        for line, role in ((row.error, ""), (refused, ' role="alert"'))
        if line
    )
    more = f'<p class="c-note">and {row.more:,} characters more</p>' if row.more else ""
    raw = (
        f'<details><summary title="All it said">{html.text(row.begins)}</summary>'
        f"<pre>{html.text(row.raw)}</pre>{more}</details>"
        if row.begins
        else '<p class="c-note">It said nothing.</p>'
    )
    return (
        f'<div class="u-row"><div><b>{html.text(row.query)}</b>{about}'
        f"<em>{html.text(row.asked)}</em></div>{errors}{raw}</div>"
    )


def _sent() -> dict[int, Errand]:
    """What this session had asked again, by the response's number."""
    kept: dict[int, Errand] = st.session_state.get("asked_again", {})
    return kept
