"""The left column of the Votes tab: the queries, and how much of each is voted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import streamlit as st

from curator.formats.templates import macro
from curator.verbs.judges.ballots import VotingProgress
from curator.web.components import words
from curator.web.pages.judge import query_list
from curator.web.pages.judge.query_list import QueryRow, Show, query_filter

LABELS: dict[Show, str] = {
    **{"to do": "to vote", "all": "all", "done": "voted"},
    **{"mine": "mine", "waiting": "waiting"},
}
TEMPLATE = "judge/votes/query_list.html"

VotingRow = tuple[QueryRow, VotingProgress]
"""A query, and how far the judge is in it."""


def voting_queries(rows: Sequence[VotingRow], total: VotingProgress, noun: str) -> None:
    """Search, the choice of what is listed, the list, and my progress in all."""
    counts = counts_of(rows)
    labels: dict[str, str] = {
        name: f"{LABELS[name]} {count}" for name, count in counts.items()
    }
    search, show = query_filter(labels, key="show_voting")
    shown = matching(rows, search, cast("Show | None", show))
    with st.container(key="query_rows"):
        told = query_list.filtered(search, len(shown), len(rows))
        st.html(told + macro(TEMPLATE, "rows")(shown))
    with st.container(key="query_progress"):
        share = f"{100 * total.share:.1f}"
        st.html(macro(TEMPLATE, "progress")(progress_words(total, noun), share))


def matching(
    rows: Sequence[VotingRow], search: str, show: Show | None
) -> tuple[VotingRow, ...]:
    """The rows whose name or id holds every word; "done" are those voted on whole.

    A query without kept questions is nothing to do, nor done.
    """
    found = query_list.matching(tuple(query for query, _ in rows), search, show)
    return tuple(
        (query, voting)
        for query, voting in rows
        if query in found and (voting.total or show != "to do")
    )


def counts_of(rows: Sequence[VotingRow]) -> dict[Show, int]:
    """How many queries each choice of the list shows; mine first where any is."""
    work = [query.work for query, _ in rows if query.work]
    mine: dict[Show, int] = {
        "mine": work.count("to do"),
        "waiting": work.count("waiting"),
    }
    counts: dict[Show, int] = {
        "to do": sum(voting.remaining > 0 for _, voting in rows),
        "all": len(rows),
        "done": sum(voting.complete for _, voting in rows),
    }
    if work:
        del counts["to do"]
    return mine | counts if work else counts


def progress_words(voting: VotingProgress, noun: str = "question") -> str:
    """``37 of 210 questions``; ``noun`` names them."""
    return f"{voting.voted:,} of {words.count(voting.total, noun)}"
