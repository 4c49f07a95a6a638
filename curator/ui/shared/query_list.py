"""The left column: search, the queries with their counts and ticks, progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import streamlit as st

from curator.ui.curate.page_state import Desk
from curator.ui.shared import query_rows
from curator.ui.shared.query_rows import Show
from curator.ui.shared.templates import macro

TEMPLATE = "shared/query_list.html"


def query_list(desk: Desk, judge: str) -> None:
    """Everything about which query to work on."""
    rows = query_rows.query_rows(desk.collection, desk.bank, judge, desk.query.query_id)
    progress = query_rows.progress(rows)
    counts = {"to do": progress.to_do, "all": progress.total, "done": progress.done}
    labels = {name: f"{name} {count}" for name, count in counts.items()}
    search, show = query_filter(labels, key="show")
    shown = query_rows.matching(rows, search, cast("Show | None", show))
    with st.container(key="query_rows"):
        st.html(macro(TEMPLATE, "rows")(shown))
    with st.container(key="query_progress"):
        share = f"{100 * progress.share:.1f}"
        st.html(macro(TEMPLATE, "progress")(progress.done, progress.total, share))


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
