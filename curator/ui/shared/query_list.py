"""The left column: search, the queries with their counts and ticks, progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import streamlit as st

from curator.ui.curate.page_state import Desk
from curator.ui.shared import html, query_rows
from curator.ui.shared.query_rows import Progress, QueryRow, Show


def query_list(desk: Desk, judge: str) -> None:
    """Everything about which query to work on."""
    rows = query_rows.query_rows(desk.collection, desk.bank, judge, desk.query.query_id)
    progress = query_rows.progress(rows)
    counts = {"to do": progress.to_do, "all": progress.total, "done": progress.done}
    labels = {name: f"{name} {count}" for name, count in counts.items()}
    search, show = query_filter(labels, key="show")
    shown = query_rows.matching(rows, search, cast("Show | None", show))
    with st.container(key="query_rows"):
        st.html(query_rows_html(shown))
    with st.container(key="query_progress"):
        st.html(progress_html(progress))


def query_filter(labels: Mapping[str, str], *, key: str) -> tuple[str, str | None]:
    """The search, and which of these is chosen; None for none."""
    with st.container(key="query_filter"):
        search = st.text_input(
            "Search queries",
            key="search",
            placeholder="Search queries  /",
            label_visibility="collapsed",
        )
        show = st.segmented_control(
            "Show",
            list(labels),
            default="all",
            format_func=labels.__getitem__,
            key=key,
            label_visibility="collapsed",
        )
    return search, show


def query_rows_html(rows: tuple[QueryRow, ...]) -> str:
    """The list, or a sentence where nothing matches."""
    if not rows:
        return '<p class="c-empty">No query matches.</p>'
    return "<nav aria-label='Queries'>" + "".join(map(query_html, rows)) + "</nav>"


def query_html(row: QueryRow) -> str:
    """Tick, name, number of questions kept, and proposed beside it."""
    tick = '<i class="c-tick" role="img" aria-label="done">✓</i>' if row.done else ""
    proposed = (
        f' <b title="questions proposed">+{row.proposed}</b>' if row.proposed else ""
    )
    inner = (
        f'<span class="c-done">{tick}</span>'
        f'<span class="c-name">{html.text(row.name)}</span>'
        f'<span class="c-count" title="questions kept">{row.kept}{proposed}</span>'
    )
    return html.pick(
        "query", row.query_id, current=row.selected, inner=inner, css="c-query"
    )


def progress_html(progress: Progress) -> str:
    """``17 of 43 done`` over a bar, and the way to the keys."""
    return (
        f'<div class="c-progress"><b>{progress.done}</b> of {progress.total} done'
        '<button type="button" class="c-help" data-help="yes">'
        "<kbd>h</kbd> keys</button>"
        f'<div class="c-track"><div style="width:{100 * progress.share:.1f}%"></div>'
        "</div></div>"
    )
