"""Passages: a query's pool, filtered, with the answers marked in the text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from markupsafe import Markup

from curator.background.tasks import CommandTask
from curator.formats.templates import macro
from curator.ui.answers import verdicts
from curator.ui.answers.verdicts import QuotedAnswer, quoted_html
from curator.ui.curate import page_state as page_states
from curator.ui.curate import proposing
from curator.ui.curate.page_state import PageState
from curator.ui.passages import ideals, passage_rows, pool
from curator.ui.passages import page_state as pools
from curator.ui.passages.highlights import Spans, answer_spans
from curator.ui.passages.page_state import Pooled
from curator.ui.passages.passage_writer import passage_writer
from curator.ui.passages.pool import PageOfPool
from curator.ui.passages.reader import highlighter
from curator.ui.setup.steps import no_collection
from curator.ui.shared import html, session, shell
from curator.ui.shared.background_status import (
    drawing,
    follow,
    grade_new_text,
    model_status,
)
from curator.ui.shared.listener import picker
from curator.ui.shared.query_list import query_list
from curator.ui.shared.settings import shown_words
from curator.ui.shared.toolbar import strip
from curator.workspace import Workspace


@st.fragment
def page() -> None:
    """Lists, filters and passages in one fragment: a click redraws nothing else."""
    session.go_where_asked("Passages", shell.PLACES)
    picker(session.view())
    columns = shell.columns()
    page: PageState | None = None
    try:
        with session.drawing() as workspace:
            drawing(workspace)
            session.start_at(workspace.baselines().latest)
            page = page_states.load(workspace, session.view())
            if page is None:
                no_collection(columns, workspace)
            else:
                look_at(page.query.query_id)
                follow(workspace, page)
                draw(workspace, page, columns)
    except session.EXPECTED as error:
        with columns.middle:
            shell.line(str(error), error=True)
    session.write_url()
    if page is not None:
        grade_new_text(page)
        session.settle("Passages", id(page.collection))


def drawn(piece: str) -> Callable[..., Markup]:
    """A piece of the page, by its name in the template."""
    return macro("passages/passages.html", piece)


def look_at(query_id: str) -> None:
    """Look at this query; another one than before begins at its first page."""
    before = session.current().passages_query or query_id
    session.current().passages_query = query_id
    session.look(query=query_id, page=session.view().page if before == query_id else 1)


def draw(workspace: Workspace, page: PageState, columns: shell.Columns) -> None:
    """What the judge waits for is drawn first, what rarely changes last."""
    judge = workspace.judge
    pooled: Pooled | None = None
    session.current().seen = shown_words(
        page.collection, page.query.query_id, page.settings, page.graders
    )
    with columns.middle:
        for problem in page.problems:
            shell.line(problem, error=True)
        shell.notes()
        st.html(drawn("head")(page.query))
        if not page.collection.pools[page.query.query_id].size:
            shell.empty(
                "No passages",
                "No passages imported for this query. They come with a file of their "
                "texts, and with the runs that retrieved them.",
                f"curator import {workspace.path} --passages FILE --runs FOLDER",
            )
        else:
            pooled = pools.load(workspace, page, page.settings, session.view())
            draw_pool(page, pooled, judge)
    if pooled is not None:
        with columns.right:
            if pooled.grader is None:
                shell.not_graded(workspace.path)
            st.html(beside_html(page, pooled))
    with columns.left:
        shell.brand(page.collection.title)
        query_list(page, judge)
    with columns.strip:
        strip(
            page.settings,
            page.graders,
            page.baselines,
            judge,
            session.zone(),
            baseline=True,
            blind=page.collection.blind,
            measures=workspace.measures(),
        )
    if pooled is not None:
        highlight(page, pooled)


def draw_pool(page: PageState, pooled: Pooled, judge: str) -> None:
    """Filters, one page of passages, the way to the next."""
    here, stand_in = pooled.here, pooled.stand_in
    kind = pooled.grader.item_kind if pooled.grader is not None else ""
    if stand_in.question_ids and pooled.grader is not None:
        numbers = [pooled.numbers[one] for one in stand_in.question_ids]
        name = page.labels[pooled.grader.name]
        st.html(drawn("stand_in")(name, stand_in.grader, numbers))
    if pooled.choices:
        st.html(drawn("filters")(pooled.choices, pooled.why_no_judgments))
    st.html(
        drawn("found")(
            pool.found_words(here.found, len(pooled.passages)),
            pooled.asked,
            pooled.system,
            pooled.systems,
        )
    )
    above, below = passages_html(page, pooled, judge)
    with st.container(key="pool", gap=None):
        st.html(above)
        current = here.current.passage_id if here.current else None
        noun = "nugget" if kind == "nugget" else "question"
        marked = ideals.spans_of(page.bank.ideals_of(page.query.query_id), current)
        passage_writer(
            page.query, current, said(page, pooled), noun=noun, ideal=bool(marked)
        )
        if below:
            st.html(below)
    if here.pages > 1:
        paginate(here)


def paginate(here: PageOfPool) -> None:
    """The way to the other pages."""
    # A pagination takes its page when it is new and never again: where the page has
    # changed by other means, a filter or a key, it has to be another one.
    number = session.current().paginations
    if st.session_state.get(f"pool_page_{number}", here.number) != here.number:
        number += 1
    session.current().paginations = number
    key = f"pool_page_{number}"
    with st.container(key="pool_pages"):
        st.pagination(
            here.pages, default=here.number, key=key, on_change=turn, args=(key,)
        )


def turn(key: str) -> None:
    """Look at another page, at its first passage."""
    session.look(page=int(st.session_state[key]), passage=None)


def said(page: PageState, pooled: Pooled) -> str:
    """What became of the question just added from the passage that is selected.

    Or of those that a model was asked to propose from it.
    """
    added, passage_id = session.current().added or (None, None)
    current = pooled.here.current
    asked = about_passage(session.current().asked)
    if added is None and current is not None and asked == current.passage_id:
        return proposed(page, current.passage_id)
    if added is None or current is None or current.passage_id != passage_id:
        return ""
    row = pooled.question(added)
    if row is None:
        return ""
    answered = added in current.answers if row.known else None
    return pool.added_words(row.count, answered, row.by)


def about_passage(asked: CommandTask | None) -> str | None:
    """The passage that a model was asked about last, if it was about one."""
    return None if asked is None else dict(asked.about).get("passage")


def proposed(page: PageState, passage_id: str) -> str:
    """What came of asking a model what this passage answers, as far as is known."""
    with session.drawing() as workspace:
        model = workspace.default_request().model
        found = workspace.generations(query_id=page.query.query_id)
    latest = next((one for one in found if one.passage_id == passage_id), None)
    result = session.service().result(session.current().asked)
    if result is None:
        return f"Asking {model} what this passage answers and the bank does not…"
    what = proposing.result_said(result, model)
    if what is not None:
        return what.line
    count = latest.proposed if latest is not None else 0
    return pool.proposed_words(count)


def passages_html(page: PageState, pooled: Pooled, judge: str) -> tuple[str, str]:
    """The passages above and below the form of the one selected, answers marked."""
    if not pooled.rows:
        return drawn("nothing")(pooled.nothing), ""
    spans = found_spans(page, pooled)
    marked = page.bank.ideals_of(page.query.query_id)
    pieces = {
        one.passage_id: ideals.with_ideals(
            passage_rows.pieces(
                pooled.texts.get(one.passage_id, ""),
                {pooled.numbers[name]: span for name, span in found.items()},
            ),
            ideals.spans_of(marked, one.passage_id),
        )
        for one, found in zip(pooled.here.passages, spans, strict=True)
    }
    at = next(n for n, row in enumerate(pooled.rows, 1) if row.selected)
    before, after = pooled.here.before, pooled.here.after
    quoted = quoted_html(quoted_answers(page, pooled, judge))
    above, below = (
        drawn("passages")(rows, pieces, before, after, quoted, pool)
        for rows in (pooled.rows[:at], pooled.rows[at:])
    )
    return above, below


def quoted_answers(
    page: PageState, pooled: Pooled, judge: str
) -> tuple[QuotedAnswer, ...]:
    """What a grader that answers said in the selected passage, to give verdicts on."""
    current = pooled.here.current
    if pooled.told is None or current is None:
        return ()
    return verdicts.quoted_answers(
        page.bank,
        page.query.query_id,
        pooled.told.get(current.passage_id, {}),
        current.answers,
        pooled.numbers,
        judge=judge,
        selected=pooled.asked.question_id if pooled.asked else None,
        undecided=pooled.undecided,
    )


def found_spans(page: PageState, pooled: Pooled) -> list[Spans]:
    """What is marked in each passage: the grader's answers, or the nearest sentence."""
    if pooled.told is None:
        return highlighter().spans_of(wanted(page, pooled), ask=False)
    return [
        answer_spans(
            pooled.texts.get(one.passage_id, ""),
            pooled.told.get(one.passage_id, {}),
            one.answers,
        )
        for one in pooled.here.passages
    ]


def wanted(page: PageState, pooled: Pooled) -> list[tuple[str, Mapping[str, str]]]:
    """Each passage's text with the questions whose sentence is to be marked in it."""
    asked = [line.question for line in page.lines if line.question.text is not None]
    titles = {question.question_id: question.title for question in asked}
    selected = pooled.asked.question_id if pooled.asked else None
    return [
        (
            pooled.texts.get(one.passage_id, ""),
            pool.to_highlight(one, titles, selected),
        )
        for one in pooled.here.passages
    ]


def highlight(page: PageState, pooled: Pooled) -> None:
    """Ask for the answers not known yet; the page is drawn anew when they are.

    Beside the page, since a click must not stand behind the model.
    """
    if pooled.told is not None:
        return
    asked = wanted(page, pooled)
    known = highlighter().spans_of(asked, ask=False)
    unknown = [
        one for one, found in zip(asked, known, strict=True) if one[1] and not found
    ]
    if unknown:
        highlighter().prepare(unknown)


def beside_html(page: PageState, pooled: Pooled) -> str:
    """The questions, or why there are none behind a label."""
    if pooled.grader is not None and pooled.direct:
        grader = html.text(page.labels[pooled.grader.name])
        return (
            f'<p class="c-note">{grader} grades passages as a whole: no question '
            "stands behind a label.</p>"
        )
    return drawn("asked")(pooled.groups, sum(len(one.rows) for one in pooled.groups))


page()
model_status()
