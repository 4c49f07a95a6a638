"""Passages: a query's pool, filtered, with the answers marked in the text."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import streamlit as st
from markupsafe import Markup

from curator.bank.marks import Ideal
from curator.bank.questions import kind_of_new
from curator.formats.templates import macro
from curator.web.components import session, shell, words
from curator.web.components.background_status import model_status
from curator.web.components.settings import shown_words
from curator.web.pages.judge import proposing
from curator.web.pages.judge.answers.verdicts import quoted_answers, quoted_html
from curator.web.pages.judge.impact_panel import missing_html
from curator.web.pages.judge.page_state import PageState
from curator.web.pages.judge.passages import page_state, pool
from curator.web.pages.judge.passages.highlights import Asked, Spans, answer_spans
from curator.web.pages.judge.passages.page_state import Pooled, SavedOrder
from curator.web.pages.judge.passages.passage_text import pieces, spans_of
from curator.web.pages.judge.passages.passage_writer import passage_writer
from curator.web.pages.judge.passages.pool import PageOfPool
from curator.web.pages.judge.passages.reader import highlighter, look_for
from curator.web.pages.judge.query_list import query_list
from curator.web.pages.judge.query_page import query_page
from curator.workspace import Workspace


@st.fragment
def page() -> None:
    """Lists, filters and passages in one fragment: a click redraws nothing else."""
    query_page("Passages", draw)


def drawn(piece: str) -> Callable[..., Markup]:
    """A piece of the page, by its name in the template."""
    return macro("judge/passages/passages.html", piece)


def draw(workspace: Workspace, page: PageState, columns: shell.Columns) -> None:
    """What the judge waits for is drawn first, what rarely changes last."""
    judge = workspace.judge
    # Another query than before begins at its first page.
    now, query_id = session.current(), page.query.query_id
    again = now.passages_query in (None, query_id)
    now.passages_query = query_id
    if not again:
        session.look(page=1, words="")
    session.look(query=query_id)
    pooled: Pooled | None = None
    unknown: list[Asked] = []
    session.current().seen = shown_words(
        page.collection, page.query.query_id, page.shown_settings, page.graders
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
                shell.IMPORT,
            )
        else:
            pooled = page_state.load(
                workspace, page, session.view(), session.recall(SavedOrder)
            )
            session.keep(pooled.order)
            found, unknown = answering(page, pooled)
            draw_pool(page, pooled, found, judge)
    if pooled is not None:
        with columns.right:
            if pooled.grader is None:
                shell.not_graded(workspace)
            if pooled.grader is not None and pooled.direct:
                st.html(drawn("direct")(page.labels[pooled.grader.name]))
            else:
                groups, counts = pool.grouped(pooled.kept, page.query), pooled.counts
                most = max(counts.values(), default=0)
                st.html(drawn("asked")(groups, pooled, counts, most))
    with columns.left:
        shell.brand(page.collection.title)
        query_list(page, judge)
    shell.toolbar(columns.toolbar, workspace, page.settings, baseline=True)
    if unknown:
        # Beside the page, which is drawn anew: a click must not stand behind the model.
        look_for(unknown)


def draw_pool(
    page: PageState, pooled: Pooled, spans: Sequence[Spans], judge: str
) -> None:
    """Filters, one page of passages, the way to the next."""
    view, here, grader = session.view(), pooled.here, pooled.grader
    if not page.ungraded and (missing := missing_html(page)):
        st.html(missing)
    if grader is not None:
        offered = pool.choices(
            pooled.held,
            question_id=pooled.asked_id,
            system=pooled.system,
            direct=pooled.direct,
            averaged=averaged(page),
            noun=pooled.noun,
        )
        why = pool.why_no_judgments(pooled.passages, page.collection)
        if not why and averaged(page) and not pooled.direct:
            why = pool.means_words(pooled.noun)
        st.html(drawn("filters")(offered, view.show, why))
    found = pool.found_words(len(pooled.matching), len(pooled.passages))
    orders = pool.orders(pooled.passages, noun=pooled.noun)
    with st.container(key="pool_found", horizontal=True, gap=None):
        st.html(drawn("find")(view.words), width="content")
        st.html(drawn("found")(found, pooled, page.collection.systems, view, orders))
    marked = page.bank.ideals_of(page.query.query_id)
    current = here.current.passage_id if here.current else None
    above, below = passages_html(page, pooled, marked, spans, judge)
    with st.container(key="pool", gap=None):
        st.html(above)
        passage_writer(
            page.query,
            current,
            outcome(page, pooled),
            noun=kind_of_new(
                grader.item_kind if grader else "any",
                page.bank.questions_of(page.query.query_id),
            ),
            ideal=bool(spans_of(marked, current)),
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


def outcome(page: PageState, pooled: Pooled) -> str:
    """What became of the question just added from the passage that is selected.

    Or of those that a model was asked to propose from it.
    """
    added, passage_id = session.current().added or (None, None)
    current, task = pooled.here.current, session.current().asked
    if current is None:
        return ""
    if added is None:
        asked = None if task is None else dict(task.about).get("passage")
        return proposed(page, asked) if asked == current.passage_id else ""
    kept = [question.question_id for question in pooled.kept]
    if current.passage_id != passage_id or added not in kept:
        return ""
    answered = None if added in pooled.ungraded else added in current.answers
    return pool.added_words(pooled.counts[added], answered)


def proposed(page: PageState, passage_id: str) -> str:
    """What came of asking a model what this passage answers, as far as is known."""
    with session.drawing() as workspace:
        model = workspace.default_request().model
        found = workspace.generations(query_id=page.query.query_id)
    result = session.service().result(session.current().asked)
    if result is None:
        return f"Asking {model} what this passage answers and the bank does not…"
    what = proposing.result_line(result, model)
    if what is not None:
        return what.line
    latest = next((one for one in found if one.passage_id == passage_id), None)
    count = words.count(latest.proposed if latest else 0, "question")
    return (
        f"{count} proposed from this passage. Open it beside the questions to decide."
    )


def averaged(page: PageState) -> bool:
    """Whether a label is a mean, which may be low although a question is answered."""
    return page.shown_settings is not None and page.shown_settings.rule.fractional


def passages_html(
    page: PageState,
    pooled: Pooled,
    marked: Sequence[Ideal],
    answers: Sequence[Spans],
    judge: str,
) -> tuple[str, str]:
    """The passages above and below the form of the one selected, answers marked."""
    here, view = pooled.here, session.view()
    if here.current is None:
        against = None if page.since is None else view.against
        why = pool.nothing_found(
            view.show if pooled.grader else "all",
            number=pooled.numbers.get(pooled.asked_id or ""),
            system=pooled.system,
            words=view.words,
            against=against,
            whole=pooled.direct or averaged(page),
        )
        return drawn("nothing")(why), ""
    quoted = Markup()
    if pooled.quoted is not None:
        quoted = quoted_html(  # to give verdicts on
            quoted_answers(
                page.bank,
                page.query.query_id,
                pooled.quoted.get(here.current.passage_id, {}),
                here.current.answers,
                pooled.numbers,
                judge=judge,
                selected=pooled.asked_id,
                undecided=pooled.undecided,
            )
        )
    rows = []
    for place, (one, found) in enumerate(
        zip(here.passages, answers, strict=True), here.first + 1
    ):
        text = pooled.texts.get(one.passage_id, "")
        spans = spans_of(marked, one.passage_id)
        numbered = {pooled.numbers[name]: span for name, span in found.items()}
        cut = pieces(text, numbered, spans, one.citations)
        rows.append((f"{place:,}", one, cut, spans, json.dumps(spans)))
    at = here.passages.index(here.current) + 1
    judged = any(one.judgment is not None for one in pooled.passages)
    above, below = (
        drawn("passages")(some, pooled, judged, quoted, pool, averaged(page))
        for some in (rows[:at], rows[at:])
    )
    return above, below


def answering(page: PageState, pooled: Pooled) -> tuple[list[Spans], list[Asked]]:
    """What is marked in each passage, and what the model is still to be asked.

    The words of a grader that answers, else the sentences nearest to questions.
    """
    texts = [pooled.texts.get(one.passage_id, "") for one in pooled.here.passages]
    passages = list(zip(pooled.here.passages, texts, strict=True))
    if pooled.quoted is not None:
        quoted = pooled.quoted
        return [
            answer_spans(text, quoted.get(one.passage_id, {}), one.answers)
            for one, text in passages
        ], []
    questions = [line.question for line in page.lines if line.question.text is not None]
    titles = {question.question_id: question.title for question in questions}
    asked: list[Asked] = [
        (text, pool.to_highlight(one, titles, pooled.asked_id))
        for one, text in passages
    ]
    found = highlighter().spans_of(asked, ask=False)
    known = zip(asked, found, strict=True)
    return found, [one for one, spans in known if one[1] and not spans]


page()
model_status()
