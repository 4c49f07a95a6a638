"""The left column: search, the queries with their counts and ticks, progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

import streamlit as st

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.ui.curate.page_state import PageState
from curator.ui.shared.templates import macro

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


@dataclass(frozen=True, slots=True)
class Progress:
    """How many queries this judge has ticked."""

    done: int
    total: int

    @property
    def share(self) -> float:
        """Between 0 and 1; 0 without queries."""
        return self.done / self.total if self.total else 0.0

    @property
    def to_do(self) -> int:
        """Queries without a tick."""
        return self.total - self.done


def query_rows(
    collection: Collection, bank: Bank, judge: str, selected: str | None
) -> tuple[QueryRow, ...]:
    """Every query in the collection's order."""
    rows = []
    for query in collection.queries:
        states = [question.state for question in bank.of_query(query.query_id)]
        rows.append(
            QueryRow(
                query_id=query.query_id,
                name=query.name,
                kept=states.count("kept"),
                proposed=states.count("proposed"),
                done=(query.query_id, judge) in bank.done,
                selected=query.query_id == selected,
            )
        )
    return tuple(rows)


def progress(rows: tuple[QueryRow, ...]) -> Progress:
    """How many of all the rows are ticked."""
    return Progress(sum(row.done for row in rows), len(rows))


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
    at = ids.index(query_id) if query_id in ids else -1
    for row in (*rows[at + 1 :], *rows[: max(at, 0)]):
        if not row.done:
            return row.query_id
    return None


TEMPLATE = "shared/query_list.html"


def query_list(page: PageState, judge: str) -> None:
    """Everything about which query to work on."""
    rows = query_rows(page.collection, page.bank, judge, page.query.query_id)
    mine = progress(rows)
    counts = {"to do": mine.to_do, "all": mine.total, "done": mine.done}
    labels = {name: f"{name} {count}" for name, count in counts.items()}
    search, show = query_filter(labels, key="show")
    shown = matching(rows, search, cast("Show | None", show))
    with st.container(key="query_rows"):
        st.html(macro(TEMPLATE, "rows")(shown))
    with st.container(key="query_progress"):
        share = f"{100 * mine.share:.1f}"
        st.html(macro(TEMPLATE, "progress")(mine.done, mine.total, share))


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
