"""The left column of the Judges page: the queries, and how much of each is voted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

import streamlit as st

from curator.ui.judges import ballot_rows
from curator.ui.judges.ballot_rows import VotingRow
from curator.ui.shared import html
from curator.ui.shared.query_list import query_filter
from curator.ui.shared.query_rows import Show
from curator.verbs.judges.ballots import Voting

LABELS: dict[Show, str] = {"to do": "to vote", "all": "all", "done": "voted"}


def voting_queries(rows: Sequence[VotingRow], total: Voting) -> None:
    """Search, the choice of what is listed, the list, and my progress in all."""
    counts = ballot_rows.shown_counts(rows)
    labels = {name: f"{LABELS[name]} {counts[name]}" for name in get_args(Show)}
    search, show = query_filter(labels, key="show_voting")
    shown = ballot_rows.matching(rows, search, cast("Show | None", show))
    with st.container(key="query_rows"):
        st.html(voting_rows_html(shown))
    with st.container(key="query_progress"):
        st.html(voting_progress_html(total))


def voting_rows_html(rows: Sequence[VotingRow]) -> str:
    """The list, or a sentence where nothing matches."""
    if not rows:
        return '<p class="c-empty">No query matches.</p>'
    return "<nav aria-label='Queries'>" + "".join(map(voting_html, rows)) + "</nav>"


def voting_html(row: VotingRow) -> str:
    """Tick, name, and how many of its questions have my vote."""
    tick = '<i class="c-tick" role="img" aria-label="voted">✓</i>'
    inner = (
        f'<span class="c-done">{tick if row.query.done else ""}</span>'
        f'<span class="c-name">{html.text(row.query.name)}</span>'
        f'<span class="c-count" title="voted on, of the questions kept">'
        f"{ballot_rows.counted(row.voting)}</span>"
    )
    return html.pick(
        "query",
        row.query.query_id,
        current=row.query.selected,
        inner=inner,
        css="c-query",
    )


def voting_progress_html(total: Voting) -> str:
    """``37 of 210 questions voted on`` over a bar, and the way to the keys."""
    return (
        f'<div class="c-progress">{html.text(ballot_rows.in_all_words(total))}'
        '<button type="button" class="c-help" data-help="yes">'
        "<kbd>h</kbd> keys</button>"
        f'<div class="c-track"><div style="width:{100 * total.share:.1f}%"></div>'
        "</div></div>"
    )
