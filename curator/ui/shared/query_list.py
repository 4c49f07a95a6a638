"""The left column: search, the queries with their counts and ticks, progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import streamlit as st

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.formats.templates import macro
from curator.ui.curate.page_state import PageState
from curator.ui.shared import shell

Show = Literal["to do", "all", "done"]


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query in the list: its name, questions kept and proposed, my tick."""

    query_id: str
    name: str
    kept: int
    proposed: int
    done: bool
    selected: bool


def query_rows(
    collection: Collection, bank: Bank, judge: str, selected: str | None
) -> tuple[QueryRow, ...]:
    """Every query in the collection's order."""
    rows = []
    for query in collection.queries:
        query_id = query.query_id
        states = [question.state for question in bank.of_query(query_id)]
        kept, proposed = states.count("kept"), states.count("proposed")
        done = (query_id, judge) in bank.done
        own = (query_id, query.name, kept, proposed, done, query_id == selected)
        rows.append(QueryRow(*own))
    return tuple(rows)


def matching(
    rows: tuple[QueryRow, ...], search: str, show: Show | None
) -> tuple[QueryRow, ...]:
    """The rows whose name or id holds every word searched for."""
    words = search.casefold().split()
    return tuple(
        row
        for row in rows
        if (show in (None, "all") or row.done == (show == "done"))
        and all(
            word in row.name.casefold() or word in row.query_id.casefold()
            for word in words
        )
    )


def next_to_do(rows: tuple[QueryRow, ...], query_id: str) -> str | None:
    """The next query after this one without a tick, from the top if need be."""
    ids = [row.query_id for row in rows]
    at = ids.index(query_id) + 1 if query_id in ids else 0
    others = (row.query_id for row in (*rows[at:], *rows[:at]) if not row.done)
    return next((one for one in others if one != query_id), None)


TEMPLATE = "shared/query_list.html"


def query_list(page: PageState, judge: str) -> None:
    """Everything about which query to work on."""
    rows = query_rows(page.collection, page.bank, judge, page.query.query_id)
    done, total = sum(row.done for row in rows), len(rows)
    counts = {"to do": total - done, "all": total, "done": done}
    labels = {name: f"{name} {count}" for name, count in counts.items()}
    search, show = query_filter(labels, key="show")
    shown = matching(rows, search, cast("Show | None", show))
    with st.container(key="query_rows"):
        st.html(macro(TEMPLATE, "rows")(shown))
    shell.guidelines(page.collection)
    with st.container(key="query_progress"):
        st.html(macro(TEMPLATE, "progress")(done, total, f"{100 * done / total:.1f}"))


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
