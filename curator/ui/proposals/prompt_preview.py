"""The exact words that would be sent, for a query and what of it is chosen."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from curator.collection.queries import Query
from curator.errors import CuratorError
from curator.store.generations import FilledPrompt
from curator.ui.shared import html, session, shell, words
from curator.verbs.proposals.request import GenerationRequest
from curator.workspace import Workspace
from grading.costs import estimated_tokens

NAMELESS = "–"  # stands for a model: what one was asked is previewed as well
PASSAGE = "a passage that no question covers"
ALL_COVERED = (
    "There is none to ask about: every passage here that may be relevant answers a "
    "kept question."
)


def prompt_preview(
    workspace: Workspace, request: GenerationRequest, edited: bool
) -> None:
    """Two lists, and the prompt as it would be sent; one query's are made, no more."""
    st.html(head_html(edited, saved=bool(request.model)))
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
            for one in _texts(workspace, request.about(query_id))
        }
        names = {
            name: about_words(one, queries[query_id]) for name, one in texts.items()
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
            first = _texts(workspace, request.about(query_id, grounded=1))
            texts = {chosen: first[0]} if first else {}
    except CuratorError as error:
        shell.line(str(error), error=True)
        return
    if chosen not in texts:
        st.html(f'<p class="c-said">{ALL_COVERED}</p>')
        return
    one = texts[chosen]
    st.html(f'<p class="c-note">{html.text(sent_words(one))}</p>')
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


def _texts(
    workspace: Workspace, request: GenerationRequest
) -> tuple[FilledPrompt, ...]:
    return workspace.generate(replace(request, model=NAMELESS), dry_run=True).texts


def about_words(one: FilledPrompt, query: Query) -> str:
    """What a prompt is about: the query, or the name of its subtopic."""
    if one.subtopic_id is None:
        return "the query"
    names = {sub.subtopic_id: sub.text for sub in query.subtopics}
    return words.shortened(names.get(one.subtopic_id) or one.subtopic_id, 60)


def sent_words(one: FilledPrompt) -> str:
    """``prompt dl · about 87 tokens``; a passage by its id."""
    said = f"prompt {one.prompt} · about {estimated_tokens(one.text):,} tokens"
    return said if one.passage_id is None else f"{said} · passage {one.passage_id}"
