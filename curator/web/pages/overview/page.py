"""Overview: the state of the bank, who works on it, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from curator.background.tasks import OverviewTask
from curator.formats.templates import macro
from curator.results import Rows
from curator.tables.overview import (
    activity_table,
    evidence_table,
    format_tau,
    kappa_words,
)
from curator.tables.table import opened
from curator.verbs.overview import GraderEvidence, Overview, ReleaseChanges
from curator.web.components import session, shell, words
from curator.web.components.background_status import model_status
from curator.web.components.html import encoded, table_html
from curator.web.components.settings import grader_labels, settings_for, settings_words
from curator.web.components.shell import toolbar
from curator.web.pages.frame import draw_page
from curator.web.pages.overview.checklist import draw_checklist
from curator.web.pages.overview.picture import draw_picture
from curator.workspace import Workspace

TEMPLATE = "overview/overview.html"


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw what is known at once, then what is computed in the background."""
    collection = workspace.collection()
    problems: list[str] = []
    settings = settings_for(workspace, session.view(), problems)
    graders = workspace.graders()
    toolbar(columns.toolbar, workspace, settings)
    quick = workspace.overview(settings, quick=True)
    about = session.workspace_path(), workspace.judge, settings
    task = OverviewTask(*about, workspace.version())
    service = session.service()
    result: Overview | str | None = service.result(task)
    waits = result is None
    if waits:
        service.send(task)
        result = earlier_result(task)
    overview = result if isinstance(result, Overview) else quick
    with columns.left:
        shell.brand(collection.title)
        with st.container(key="query_rows"):
            st.html(needs_html(overview))
    with columns.middle:
        shell.title("Overview", settings_words(settings, graders) if settings else "")
        shell.notes()
        for problem in problems:
            shell.line(problem, error=True)
        if settings is None and (language_note := workspace.languages().note):
            shell.note(language_note)
        draw_checklist(workspace)
        st.html(states_html(quick))
        draw_picture(quick)
        current = settings.grader if settings else ""
        if graders:
            st.html(graders_html(overview.graders, grader_labels(graders), current))
    with columns.right:
        if isinstance(result, str):
            shell.line(result, error=True)
        elif waits:
            shell.wait_for(task, "Looking for what to do next.")
        parts = [] if overview is quick else [next_html(overview)]
        parts.append(changes_html(overview.since))
        parts.append(table_html(activity_table(quick.judges), "Judges", ""))
        st.html(Markup('<div class="o-parts">{}</div>').format(Markup().join(parts)))


def earlier_result(task: OverviewTask) -> Overview | None:
    """Return the last overview for the same settings, or None."""
    results = session.service().results(OverviewTask).items()
    same = [result for earlier, result in results if earlier.about == task.about]
    return same[-1] if same and isinstance(same[-1], Overview) else None


def states_html(overview: Overview) -> Markup:
    """Draw how many queries are in each state, as a bar and in figures."""
    total = len(overview.queries)
    counts = [
        (f"o-{state.split()[0]}", state, number, f"{100 * number / total:.2f}")
        for state, number in overview.states.items()
    ]
    return macro(TEMPLATE, "states")(counts, words.count(total, "query", "queries"))


def needs_html(overview: Overview) -> Markup:
    """Draw the queries, those that need most on top."""
    needs = {query.query_id: query.need or 0.0 for query in overview.queries}
    most = max(needs.values()) or 1.0
    rows = [
        (query, f"{100 * needs[query.query_id] / most:.1f}")
        for query in sorted(overview.queries, key=lambda query: -needs[query.query_id])
    ]
    has_needs = any(query.need is not None for query in overview.queries)
    return macro(TEMPLATE, "needs")("By need" if has_needs else "Queries", rows)


def next_html(overview: Overview) -> Markup:
    """Draw the most useful next steps, each opened by a click."""
    queries = {query.query_id: query for query in overview.queries}
    titles = {
        line.question.question_id: line.question.title
        for query in overview.queries
        for line in query.lines
    }
    rows = []
    for step in overview.steps:
        query = queries[step.query_id]
        place, text, about = {"query": step.query_id}, query.name, ""
        if step.question_ids:
            place["question"] = step.question_ids[0]
            text = titles.get(step.question_ids[0], query.name)
        if step.passage_id is not None:
            place["passage"] = step.passage_id
        if text != query.name:
            about = words.shortened(query.name, 60)
        rows.append((step, about, words.shortened(text, 120), urlencode(place)))
    return macro(TEMPLATE, "next")(rows)


def changes_html(since: ReleaseChanges | None) -> Markup:
    """Draw the number of changes since the latest release."""
    if since is None:
        return Markup()
    when = words.day_and_time(since.at, session.zone())
    link = opened("release-on-export", encoded(since.name), "open")
    about = Markup("{} · {} · {}").format(when, since.by, link)
    return table_html(Rows([since]), f"Since {since.name}", about)


def graders_html(
    graders: Sequence[GraderEvidence], labels: dict[str, str], current: str
) -> Markup:
    """Draw the evidence for each grader, and the settings behind the current one's."""
    about = "against judgments, ranks and checks"
    for grader in graders:
        if grader.name == current:
            settings = {"κ": kappa_words(grader), "τ": format_tau(grader)}
            about += "".join(
                f" · {name} of {text}" for name, text in settings.items() if text
            )
    return table_html(evidence_table(graders, labels, current), "Graders", about)


draw_page("Overview", draw, follows=True)
model_status()
