"""Overview: where the bank stands, who works on it, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from curator.background.tasks import OverviewTask
from curator.edit_words import REWORD
from curator.evaluation.settings import Settings
from curator.formats.templates import macro
from curator.tables.overview import format_tau, kappa_words
from curator.verbs.overview.overview import (
    GraderEvidence,
    JudgeActivity,
    Overview,
    ReleaseChanges,
)
from curator.web.components import session, shell, words
from curator.web.components.background_status import drawing, model_status
from curator.web.components.html import encoded
from curator.web.components.settings import grader_labels, settings_for, settings_words
from curator.web.components.shell import framed, toolbar
from curator.web.pages.overview.picture import draw_picture
from curator.web.pages.settings.steps import no_collection
from curator.workspace import Workspace

EVERY = 0.5  # seconds between two looks at what is computed beside the page
DAYS = 14
TEMPLATE = "overview/overview.html"
NO_FIGURES = "No grades yet, so no question has a reach"


def page() -> None:
    """The first page after opening; the steps of an import where nothing is there."""
    framed("Overview", draw)


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """What is known at once, then what was computed beside the page."""
    drawing(workspace)
    collection = workspace.collection()
    if not collection.queries:
        no_collection(columns, workspace)
        return
    problems: list[str] = []
    settings = settings_for(workspace, session.view(), problems)
    graders = workspace.graders()
    toolbar(columns.toolbar, workspace, settings)
    now = workspace.overview(settings, quick=True)
    with columns.left:
        shell.brand(collection.title)
        by_need = st.container(key="query_rows")
        with st.container(key="query_progress"):
            st.html(progress_html(now, workspace.judge))
    with columns.middle:
        about = settings_words(settings, graders) if settings else collection.title
        shell.title("Overview", about)
        shell.notes()
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None:
            shell.not_graded(workspace, NO_FIGURES)
        st.html(states_html(now))
        draw_picture(now)
        trust = st.empty()
    with columns.right:
        rest = st.container(gap="medium")
        st.html(judges_html(now.judges))
    found = looked_over(workspace, settings, rest)
    labels = grader_labels(graders)
    with trust:
        known = found.graders if found else now.graders
        st.html(graders_html(known, labels, settings.grader if settings else ""))
    if found is not None:
        with rest:
            st.html(next_html(found))
            st.html(since_html(found.since))
    with by_need:
        st.html(needs_html(found or now))


def looked_over(
    workspace: Workspace, settings: Settings | None, place: DeltaGenerator
) -> Overview | None:
    """The whole overview, or the one before while it is computed; None without any."""
    service, path = session.service(), session.workspace_path()
    about = path, workspace.judge, settings
    task = OverviewTask(*about, workspace.version())
    found: Overview | str | None = service.result(task)
    if found is None:
        service.send(task)
        with place:
            wait_for(task)
        before = service.results(OverviewTask).items()
        same = [one for each, one in before if each.about == about]
        found = same[-1] if same else None
    if isinstance(found, str):
        with place:
            shell.line(found, error=True)
    return found if isinstance(found, Overview) else None


@st.fragment(run_every=EVERY)
def wait_for(task: OverviewTask) -> None:
    """Has the page drawn anew once the rest is known."""
    if session.service().result(task) is not None:
        st.rerun()
    shell.note("What to do next is being looked for.")


def states_html(overview: Overview) -> str:
    """How many queries are in each state, as a bar and in figures."""
    total = len(overview.queries)
    counts = [
        (f"o-{state.split()[0]}", state, number, f"{100 * number / total:.2f}")
        for state, number in overview.states.items()
    ]
    queries = words.count(total, "query", "queries")
    return macro(TEMPLATE, "states")(counts, queries)


def progress_html(overview: Overview, judge: str) -> str:
    """How many queries this judge has marked done."""
    total = len(overview.queries)
    done = sum(judge in one.done_by for one in overview.queries)
    drawn = macro("judge/query_list.html", "progress")
    return drawn(done, total, f"{100 * done / total:.1f}")


def needs_html(overview: Overview) -> str:
    """Every query, those that need most on top."""
    most = max((one.need or 0.0 for one in overview.queries), default=0.0) or 1.0
    in_order = sorted(overview.queries, key=lambda one: -(one.need or 0.0))
    rows = [(one, f"{100 * (one.need or 0.0) / most:.1f}") for one in in_order]
    known = any(one.need is not None for one in overview.queries)
    return macro(TEMPLATE, "needs")("By need" if known else "Queries", rows)


def next_html(overview: Overview) -> str:
    """The most useful things to do next, each opened by a click."""
    queries = {one.query_id: one for one in overview.queries}
    rows = []
    for step in overview.steps:
        query = queries[step.query_id]
        titles = {
            line.question.question_id: line.question.title for line in query.lines
        }
        place = {"query": step.query_id}
        text = words.shortened(query.name, 120)
        if step.question_ids:
            place["question"] = step.question_ids[0]
            text = words.shortened(titles.get(step.question_ids[0], text), 120)
        if step.passage_id is not None:
            place["passage"] = step.passage_id
        about = "" if text == query.name else words.shortened(query.name, 60)
        rows.append((step, about, text, urlencode(place)))
    return macro(TEMPLATE, "next")(rows)


def since_html(since: ReleaseChanges | None) -> str:
    """What is other than in the latest release."""
    if since is None:
        return macro(TEMPLATE, "unreleased")()
    parts = (
        (since.added, "questions added"),
        (since.reworded, REWORD.past),
        (since.removed, "removed"),
        (since.labels, "labels differ"),
        (since.moved, "systems with another rank"),
    )
    when = words.day_and_time(since.at, session.zone())
    return macro(TEMPLATE, "since")(
        since, encoded(since.name), when, [p for p in parts if p[0]]
    )


def judges_html(judges: Sequence[JudgeActivity]) -> str:
    """A row a judge, with the edits of the latest days."""
    days = sorted({day for one in judges for day, _ in one.days})[-DAYS:]
    most = max((number for one in judges for _, number in one.days), default=1)
    rows = []
    for one in judges:
        edits = dict(one.days)
        seconds = "–" if one.seconds is None else f"{one.seconds:.1f}"
        seen = words.day_and_time(one.last_saved, session.zone())
        bars = [round(100 * edits.get(day, 0) / most) for day in days]
        rows.append((one, seconds, seen, bars))
    return macro(TEMPLATE, "judges")(rows)


def graders_html(
    graders: Sequence[GraderEvidence], labels: dict[str, str], current: str
) -> str:
    """A row a grader; of those nobody has looked at the grades alone."""
    rows = []
    for one in graders:
        known = one.known / one.needed if one.needed else None
        says = one.certificate
        rows.append(
            (
                labels.get(one.name, one.name),
                one.name == current,
                words.ratio(known),
                (words.score(one.kappa), kappa_words(one) or ""),
                words.score(one.auc),
                (words.score(one.tau), format_tau(one) or ""),
                one.is_computed,
                f"≤ {says.most:g} % wrong" if says else "–",
                says.sentence if says else "",
            )
        )
    return macro(TEMPLATE, "graders")(rows)


page()
model_status()
