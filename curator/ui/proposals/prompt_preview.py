"""The exact words that would be sent, for a query and what of it is chosen."""

from __future__ import annotations

import streamlit as st

from curator.errors import CuratorError
from curator.store.generations import FilledPrompt
from curator.ui.proposals import order_words
from curator.ui.shared import html, session, shell
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace

PASSAGE = "a passage that no question covers"
ALL_COVERED = (
    "There is none to ask about: every passage here that may be relevant answers a "
    "kept question."
)


def prompt_preview(
    workspace: Workspace, order: GenerationRequest, edited: bool
) -> None:
    """Two lists, and the prompt as it would be sent; one query's are made, no more."""
    st.html(head_html(edited, saved=bool(order.model)))
    queries = {query.query_id: query for query in workspace.collection().queries}
    seen = session.view().query
    ids = list(queries)
    query_id = st.selectbox(
        "Query",
        ids,
        index=ids.index(seen) if seen in queries else 0,
        format_func=lambda one: queries[one].name,
        key="preview_query",
    )
    try:
        texts = {
            f"subtopic {one.subtopic_id}" if one.subtopic_id else "query": one
            for one in _texts(workspace, order.about(query_id))
        }
        names = {
            name: order_words.about_words(one, queries[query_id])
            for name, one in texts.items()
        }
        if workspace.graders():
            names["passage"] = PASSAGE
        chosen = st.selectbox(
            "About",
            list(names),
            format_func=lambda name: names.get(name, name),
            key=f"preview_about_{query_id}",
        )
        if chosen == "passage":
            first = _texts(workspace, order.about(query_id, grounded=1))
            texts = {chosen: first[0]} if first else {}
    except CuratorError as error:
        shell.line(str(error), error=True)
        return
    if chosen not in texts:
        st.html(f'<p class="c-said">{ALL_COVERED}</p>')
        return
    one = texts[chosen]
    st.html(f'<p class="c-note">{html.text(order_words.sent_words(one))}</p>')
    st.code(one.text, language=None, wrap_lines=True)


def head_html(edited: bool, *, saved: bool) -> str:
    """The heading, which says whose words they are: typed, or saved."""
    state = (
        "as typed, not saved yet" if edited else "as saved" if saved else "by default"
    )
    return (
        '<div class="c-listhead"><b>Exact words</b>'
        f'<span role="status">{state}</span></div>'
    )


def _texts(workspace: Workspace, order: GenerationRequest) -> tuple[FilledPrompt, ...]:
    return workspace.generate(order_words.previewed(order), dry_run=True).texts
