"""Beneath the questions, while a model is asked for more: its words as they arrive.

A fragment of its own that looks twice a second, and is there only as long as something
is being asked: a page at rest is not drawn more often.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from curator.generation.responses import listed_texts
from curator.store.generations import Generation
from curator.ui.shared import html, session

EVERY = 0.5  # seconds between two looks


@st.fragment(run_every=EVERY)
def arriving(query_id: str, model: str) -> None:
    """What has arrived by now; the page is drawn anew when all has."""
    try:
        with session.drawing() as workspace:
            found = workspace.generations(query_id=query_id, asking=True)
    except session.EXPECTED:
        return  # the page itself says what is wrong
    if not found and not session.asking(query_id):
        if not session.current().dialog:
            session.redraw()
        return
    with st.container(key="arriving"):
        st.html(arriving_html(found, model))


def arriving_html(asked: Sequence[Generation], model: str) -> str:
    """Whom is asked, and the questions that are there already."""
    models = dict.fromkeys(one.model for one in asked) or {model or "a model": None}
    texts = [text for one in asked for text in listed_texts(one.raw).texts]
    lines = "".join(f"<li>{html.text(text)}</li>" for text in texts)
    return (
        f'<div class="c-arriving" role="status"><p>Asking '
        f"{html.text(', '.join(models))}…</p>"
        f"{f'<ul>{lines}</ul>' if lines else ''}</div>"
    )
