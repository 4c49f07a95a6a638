"""The left column of the Answers page: the queries, and where checks differ."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from curator.ui.shared import html, words


def query_counts(
    names: Mapping[str, str],
    counts: Mapping[str, int],
    within: str | None,
    about: str,
    progress: tuple[int, int],
) -> None:
    """All queries, then each that has answers with its number of those listed.

    ``about`` says which these are. Beneath, ``progress``: how many answers this judge
    has judged, of how many.
    """
    with st.container(key="query_rows"):
        st.html(counts_html(names, counts, within, about))
    with st.container(key="query_progress"):
        st.html(progress_html(*progress))


def counts_html(
    names: Mapping[str, str], counts: Mapping[str, int], within: str | None, about: str
) -> str:
    """The list; a click shows the answers of one query alone, "" those of all."""
    rows = _row_html("", "All queries", sum(counts.values()), within is None, about)
    rows += "".join(
        _row_html(query_id, names[query_id], count, query_id == within, about)
        for query_id, count in counts.items()
    )
    return f"<nav aria-label='Queries'>{rows}</nav>"


def progress_html(judged: int, answers: int) -> str:
    """``24 of 140 answers judged`` over a bar, and the way to the keys."""
    share = judged / answers if answers else 0.0
    return (
        f'<div class="c-progress"><b>{judged:,}</b> of '
        f"{words.count(answers, 'answer')} judged"
        '<button type="button" class="c-help" data-help="yes">'
        "<kbd>h</kbd> keys</button>"
        f'<div class="c-track"><div style="width:{100 * share:.1f}%"></div>'
        "</div></div>"
    )


def _row_html(value: str, name: str, count: int, current: bool, about: str) -> str:
    inner = (
        f'<span class="c-done"></span><span class="c-name">{html.text(name)}</span>'
        f'<span class="c-count" title="{html.text(about)}">{count:,}</span>'
    )
    pick = f"within={value}"
    return html.pick("set", pick, current=current, inner=inner, css="c-query")
