"""The reader: one passage, the sentences that answer, and the way to the next."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from curator.ui import session
from curator.ui.desk import Desk, changed_ids
from curator.ui.highlights import Highlighter
from curator.ui.present import passages, questions
from curator.ui.present.passages import Opened, Piece
from curator.ui.widgets import html
from curator.verbs.reading import PassageView


@st.cache_resource(show_spinner=False)
def highlighter() -> Highlighter:
    """The server's highlighter, over its one worker."""
    return Highlighter(session.worker())


def reader(desk: Desk, view: PassageView) -> None:
    """The passage with its previous and next among the changed ones, or the pool's."""
    changed = changed_ids(desk)
    pool = desk.collection.pools[desk.query.query_id].passage_ids
    with st.container(key="reader", border=True):
        with st.container(key="reader_head", horizontal=True, gap="xsmall"):
            words = st.empty()
            ids = _browsed(changed, pool)
            at, before, after = passages.neighbours(ids, view.passage_id)
            _step("‹", "passage_previous", "Previous passage", before)
            _step("›", "passage_next", "Next passage", after)
        body = st.empty()
        highlighted(desk, view, f"{at} of {len(ids)}" if at else "", words, body)


def _browsed(changed: tuple[str, ...], pool: tuple[str, ...]) -> tuple[str, ...]:
    """The passages to go through; a choice only where some have changed."""
    if not changed:
        return pool
    counts = {"changed": f"{len(changed)} changed", "pool": f"{len(pool)} in pool"}
    browse = st.segmented_control(
        "Go through",
        list(counts),
        default="changed",
        format_func=counts.__getitem__,
        key="browse",
        label_visibility="collapsed",
    )
    return pool if browse == "pool" else changed


def highlighted(
    desk: Desk,
    view: PassageView,
    place: str,
    words: DeltaGenerator,
    body: DeltaGenerator,
) -> None:
    """Fill in the passage; the sentences that answer follow when they are found."""
    assert desk.settings is not None
    numbers = questions.numbers(desk.lines, desk.query)
    asked = {
        rated.question.question_id: rated.question.title
        for rated in passages.to_highlight(view, session.view().question)
    }
    # Text first: the model may take a moment, and the passage can be read meanwhile.
    for ask in (False, True):
        spans = highlighter().spans(view.text, asked, ask=ask)
        if ask and not spans:
            return
        opened = passages.opened(
            view,
            numbers,
            spans,
            min_rating=desk.settings.min_rating,
            min_relevance=desk.collection.min_relevance,
            depth=desk.collection.pools[desk.query.query_id].depth,
        )
        words.html(head_html(opened, place))
        body.html(body_html(opened))
        if spans:
            return


def head_html(opened: Opened, place: str) -> str:
    """Label, judgment, whether they agree, id, place in the list."""
    verdict = f" · {html.text(opened.verdict)}" if opened.verdict else ""
    return (
        f'<p class="c-readerhead"><b>{opened.label}</b> '
        f"<span>{opened.judgment}{verdict}</span>"
        f"<span>{html.text(opened.passage_id)}</span><em>{place}</em></p>"
    )


def body_html(opened: Opened) -> str:
    """The text, and beneath it what it answers and who retrieved it."""
    text = "".join(map(piece_html, opened.pieces))
    return (
        f'<div class="c-reader"><p>{text}</p><dl><dt>Answers</dt>'
        f"<dd>{html.text(opened.answers)}</dd><dt>Retrieved by</dt>"
        f"<dd>{html.text(opened.systems)}</dd></dl></div>"
    )


def piece_html(piece: Piece) -> str:
    """A stretch of text, marked with the questions it answers."""
    if not piece.answers:
        return html.text(piece.text)
    numbers = ",".join(map(str, piece.answers))
    return f"<mark>{html.text(piece.text)}</mark><sup>{numbers}</sup>"


def _step(label: str, key: str, help_text: str, passage_id: str | None) -> None:
    st.button(
        label,
        key=key,
        help=help_text,
        disabled=passage_id is None,
        on_click=_open,
        args=(passage_id,),
    )


def _open(passage_id: str) -> None:
    session.look(passage=passage_id)
