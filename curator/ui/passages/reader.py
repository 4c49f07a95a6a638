"""The reader: one passage, the sentences that answer, and the way to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from curator.collection.pools import UNJUDGED
from curator.formats.templates import macro
from curator.ui.curate import question_list
from curator.ui.curate.page_state import PageState
from curator.ui.passages import passage_rows
from curator.ui.passages.highlights import Highlighter, answer_spans, answers_under
from curator.ui.passages.passage_rows import Browsed
from curator.ui.shared import session
from curator.verbs.passages.passage import PassageView


@st.cache_resource(show_spinner=False)
def highlighter() -> Highlighter:
    """The server's highlighter, over its one worker."""
    return Highlighter(session.worker())


def reader(
    page: PageState,
    view: PassageView,
    answering: tuple[str, ...],
    answers: Mapping[str, str],
) -> None:
    """The passage with its previous and next among those gone through.

    ``answering`` are the passages that answer the question selected, ``answers`` what
    a grader that answers found in this one, by question.
    """
    browsed = passage_rows.browsed(
        view.passage_id,
        {
            "changed": [label.passage_id for label in page.changed],
            "answers": answering,
            "pool": page.collection.pools[page.query.query_id].without_gold,
        },
        session.current().browse,
    )
    with st.container(key="reader"):
        place = st.empty()
    highlighted(page, view, browsed, answers, place)


def highlighted(
    page: PageState,
    view: PassageView,
    browsed: Browsed,
    answers: Mapping[str, str],
    place: DeltaGenerator,
) -> None:
    """Fill in the passage; the sentences that answer follow when they are found.

    A grader that answers has said where: its own words are marked.
    """
    under = page.shown_settings
    assert under is not None
    assert page.settings is not None
    # Another grader's label says whose it is.
    by = "" if under.grader == page.settings.grader else page.labels[under.grader]
    pool = page.collection.pools[page.query.query_id]
    # Where nobody judged, or blind, a passage is not called unjudged either.
    judged = bool((pool.judgments != UNJUDGED).any())
    numbers = question_list.numbers(page.lines, page.query)
    asked = {
        rated.question.question_id: rated.question.title
        for rated in passage_rows.to_highlight(view, session.view().question)
    }
    read = macro("passages/passages.html", "reader")
    in_words = answers_under(page, under.grader)
    # Text first: the model may take a moment, and the passage can be read meanwhile.
    for ask in (False, True):
        if in_words:
            spans = answer_spans(view.text, answers, passage_rows.correct_ids(view))
        else:
            spans = highlighter().spans(view.text, asked, ask=ask)
        if ask and not spans:
            return
        opened = passage_rows.opened(
            view,
            numbers,
            spans,
            min_rating=under.min_rating,
            min_relevance=page.collection.min_relevance,
            depth=pool.depth,
            answers=answers if in_words else None,
        )
        opened = opened if judged else replace(opened, judgment="")
        opened = replace(opened, label=f"{opened.label} by {by}") if by else opened
        place.html(read(opened, browsed, passage_rows.THROUGH))
        if spans or in_words or not asked:
            return
