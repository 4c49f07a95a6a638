"""The reader: one passage with the sentences that answer, or the list of the pool."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, wait
from typing import Any

import streamlit as st

from curator.bank.marks.check import check_by
from curator.bank.questions import noun_of
from curator.edit_words import RETIRE
from curator.formats.templates import macro
from curator.verbs.answers.extracted import ANSWERING_KINDS
from curator.verbs.passages.passage import PassageView, RatedQuestion
from curator.verbs.passages.pool_rows import PooledPassage
from curator.web.components import background_status, html, session, words
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.passages import pool as passages
from curator.web.pages.judge.passages.highlights import (
    Highlighter,
    Passage,
    Spans,
    answer_spans,
    are_found,
)
from curator.web.pages.judge.passages.passage_text import (
    cited_by,
    ideal_words,
    pieces,
    spans_of,
)
from curator.web.pages.judge.passages.pool import PoolList
from curator.web.pages.judge.passages.verdicts import quoted_answers
from curator.workspace import Workspace

SHOWN_SYSTEMS = 6
HIGHLIGHTED = 4  # questions whose sentence is marked
PATIENCE = 0.25  # seconds; what is found later comes with the next drawing
LISTED = 200  # rows of the list
LINE = 180  # characters of a passage in its row
TEMPLATE = "judge/passages/reader.html"
VERDICTS = "judge/passages/verdicts.html"


@st.cache_resource(show_spinner=False)
def highlighter() -> Highlighter:
    """Return the server's highlighter, over its one worker."""
    return Highlighter(session.service().model)


def look_for(passage: Passage | None) -> bool:
    """Find a passage's sentences in the background; they are drawn when found.

    Returns True if they are found within a moment.
    """
    this = session.current()
    before, this.sentences = this.sentences, None
    if passage is None or session.service().model.state != "ready":
        return False
    this.sentences = highlighter().prepare(passage, instead_of=before)
    with session.resting():
        wait([this.sentences], PATIENCE)
    return sentences_arrived()


@background_status.arrival
def sentences_arrived() -> bool:
    """Return True once, when the sentences that the page waits for are known."""
    sentences: Future[Spans] | None = session.current().sentences
    if sentences is None or not are_found(sentences):
        return False
    session.current().sentences = None
    return True


def reader(workspace: Workspace, page: PageState, pool: PoolList) -> None:
    """Draw the passage, or the list of passages while that is open.

    Sentences that answer follow when they are found.
    """
    with st.container(key="reader"):
        place = st.empty()
    frame = frame_data(page, pool)
    draw = macro(TEMPLATE, "reader")
    if session.view().pool:
        place.html(draw(**frame, list=list_data(workspace, page, pool)))
        look_for(None)
        return
    assert pool.current is not None
    row = pool.rows[pool.current]
    view = passage_view(workspace, page, row)
    body = passage_data(workspace, page, view, row)
    numbers, marked = page.numbers, frame["ideals"]
    titles = {
        rated.question.question_id: rated.question.title
        for rated in to_highlight(view, session.view().question)
    }
    answers, grader = None, page.displayed_grader
    if grader and (grader.kind in ANSWERING_KINDS or grader.by_people):
        answers = workspace.answers(view.query_id, [view.passage_id], grader.name)
    # Text first: the model may take a moment, and the passage can be read meanwhile.
    for again in (False, True):
        if answers is None:
            spans = highlighter().spans_of((view.text, titles), ask=False)
        else:
            quoted = answers.get(view.passage_id, {})
            every = (*view.rated, *view.retired)
            correct = [rated.question.question_id for rated in every if rated.correct]
            spans = answer_spans(view.text, quoted, correct)
            body["quoted"] = macro(VERDICTS, "quoted")(
                quoted_answers(
                    page.bank,
                    view.query_id,
                    quoted,
                    {
                        rated.question.question_id: None
                        if rated.rating is None
                        else rated.correct
                        for rated in view.rated
                    },
                    numbers,
                    judge=page.judge,
                    selected=session.view().question,
                    keys=body["pair"] is None,
                )
            )
        numbered = {numbers[name]: span for name, span in spans.items()}
        text = pieces(view.text, numbered, marked, view.citations)
        place.html(draw(**frame, passage=body | {"text": text}))
        waits = bool(titles) and not spans and answers is None
        if again or not look_for((view.text, titles) if waits else None):
            return


def frame_data(page: PageState, pool: PoolList) -> dict[str, Any]:
    """Load what stands around the passage and the list alike."""
    listed, current = pool.listed, pool.current
    assert current is not None
    at = listed.index(current)
    ideals = spans_of(page.bank.ideals_of(page.query.query_id), current)
    named = passages.names(
        noun=page.noun, rates_passages=page.averaged or page.rates_passages
    )
    return {
        "passage_id": current,
        "question": session.view().question or "",
        "strip": passages.strip(pool),
        "shows": [
            (show, named[show], len(pool.by_filter[show]))
            for show in named
            if pool.by_filter.get(show) or show == pool.show
        ],
        "show": pool.show,
        "place": at + 1 if current in pool.by_filter[pool.show] else 0,
        "before": listed[at - 1] if at else None,
        "after": listed[at + 1] if at + 1 < len(listed) else None,
        "words": session.view().words,
        "ideals": ideals,
        "marks": json.dumps(ideals),
        "why_not": session.why_not("apply") or words.why_withheld(page.query),
    }


def passage_view(
    workspace: Workspace, page: PageState, row: PooledPassage
) -> PassageView:
    """Load the passage; without grades its text and ranks alone."""
    if page.displayed_settings is not None:
        return workspace.passage(row.query_id, row.passage_id, page.displayed_settings)
    text = workspace.passage_texts([row.passage_id]).get(row.passage_id, "")
    ids = row.query_id, row.passage_id
    return PassageView(*ids, text, row.judgment, None, (), row.ranks)


def passage_data(
    workspace: Workspace, page: PageState, view: PassageView, row: PooledPassage
) -> dict[str, Any]:
    """Load the facts beneath the passage's text."""
    judged = []
    if page.displayed_settings is not None:
        label = "none" if view.label is None else words.label(view.label)
        so_far = " so far" if view.label is not None and ungraded(view) else ""
        judged.append(label + so_far + (f" by {page.by}" if page.by else ""))
    if page.judgments:  # where nobody judged, or blind, nothing is called unjudged
        answered = None if row.missing and not row.answered else row.answered
        verdict, _ = passages.verdict(row.relevant, answered, averaged=page.averaged)
        judged += [passages.judgment(view.judgment), verdict]
    systems = passages.retrieved_by(view.ranks, SHOWN_SYSTEMS)
    depth = page.collection.pools[view.query_id].depth
    if not systems:
        systems = f"no system among its first {depth}" if depth else "no runs imported"
    return {
        "pair": pair_of(page, view, workspace.judge),
        "quoted": "",
        "holds": page.noun == "nugget",
        "answers": "" if page.settings is None else answer_words(view, page.numbers),
        "segments": passages.segments(row),
        "cited": cited_by(view.citations),
        "systems": systems,
        "label": " · ".join(filter(None, judged)),
    }


def list_data(workspace: Workspace, page: PageState, pool: PoolList) -> dict[str, Any]:
    """Load the list of passages with its controls."""
    listed, view = pool.by_filter[pool.show], session.view()
    texts = workspace.passage_texts(listed[:LISTED])
    changes = {label.passage_id: label for label in page.changed}
    ideals = page.bank.ideals_of(page.query.query_id)
    rows = []
    for passage_id in listed[:LISTED]:
        row, change = pool.rows[passage_id], changes.get(passage_id)
        label = "no label" if row.label is None else f"label {words.label(row.label)}"
        arrow = ""
        if change is not None:
            before, after = change.before, change.after
            label = words.label_change(before, after)
            arrow = html.part(words.trend(before or 0, after or 0))
        judged = passages.judgment(row.judgment) if page.judgments else ""
        verdict, differs = passages.verdict(
            row.relevant, row.answered, averaged=page.averaged
        )
        judged = " · ".join(filter(None, (judged, verdict)))
        ideal = ideal_words(spans_of(ideals, passage_id))
        line = words.shortened(texts.get(passage_id, ""), LINE)
        rows.append((passage_id, label, arrow, judged, differs, ideal, line))
    every = pool.rows.values()
    return {
        "rows": rows,
        "more": max(len(listed) - LISTED, 0),
        "note": passages.note(page, every),
        "orders": passages.orders(every, noun=page.noun),
        "systems": page.collection.systems,
        "view": view,
    }


def pair_of(page: PageState, view: PassageView, judge: str) -> dict[str, Any] | None:
    """Return the selected question with this passage, to be answered by the judge.

    None for viewers, and where texts are restricted.
    """
    if session.why_not("apply") or words.why_withheld(page.query):
        return None
    rated = {rated.question.question_id: rated for rated in view.rated}
    selected = rated.get(session.view().question or "")
    if selected is None or selected.question.text is None:
        return None
    question = selected.question
    pair = (question.text, view.passage_id)
    last = check_by(page.bank, page.query.query_id, pair, judge)
    model = "" if selected.rating is None else "yes" if selected.correct else "no"
    return {
        "question_id": question.question_id,
        "revision": question.revision,
        "number": page.numbers[question.question_id],
        "text": question.title,
        "answer": "" if last is None else last.answer,
        "model": model if last is not None else "",
    }


def to_highlight(view: PassageView, selected: str | None) -> list[RatedQuestion]:
    """Return the questions it answers: the selected one, then the others kept.

    A retired question that the passage answered is shown while it is selected, or
    where no kept question is answered. Where nothing is answered nothing is marked.
    """
    answered = [rated for rated in view.rated if rated.correct]
    retired = [rated for rated in view.retired if rated.correct]
    chosen = [r for r in (*answered, *retired) if r.question.question_id == selected]
    others = [r for r in (answered or retired) if r not in chosen]
    rated_questions = [r for r in (*chosen, *others) if r.question.text is not None]
    return rated_questions[:HIGHLIGHTED]


def ungraded(view: PassageView) -> int:
    """Count the grades that are missing."""
    return sum(rated.rating is None for rated in view.rated)


def answer_words(view: PassageView, numbers: Mapping[str, int]) -> str:
    """Say what it answers: ``4 rated 5 · 2 rated 4, retired``."""

    def listed(rated: Sequence[RatedQuestion]) -> list[str]:
        return [
            f"{numbers.get(item.question.question_id, 0)} rated {item.rating}"
            for item in sorted(rated, key=lambda item: -(item.rating or 0))
            if item.correct
        ]

    kept, missing = listed(view.rated), ungraded(view)
    retired = [f"{rating}, {RETIRE.past}" for rating in listed(view.retired)]
    if not kept:
        noun = noun_of(rated.question for rated in view.rated)
        ungraded_all = missing == len(view.rated) > 0
        kept = ["not graded yet" if ungraded_all else f"no kept {noun}"]
        missing = 0 if ungraded_all else missing
    return " · ".join(
        [*kept, *retired, *([words.missing_grades(missing)] * bool(missing))]
    )
