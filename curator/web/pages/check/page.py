"""Checks: what people say of pairs, drawn by lot, and what it says of the graders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st
from markupsafe import Markup

from curator.background.tasks import CheckQualityResult, CheckQualityTask
from curator.evaluation.leaderboard import Leaderboard
from curator.formats.templates import macro
from curator.tables.checks import label_table, quality_tables
from curator.tables.table import Column
from curator.verbs.checks.batch import MIXED_SOURCES, CheckBatch
from curator.verbs.checks.quality import Quality
from curator.web.components import html, session, shell, words
from curator.web.components.background_status import drawing, model_status
from curator.web.components.html import table_html
from curator.web.components.settings import grader_labels
from curator.web.components.shell import around, choice_html, framed
from curator.web.pages.check.check_list import CHECKS, list_data
from curator.web.pages.settings.first_screen import no_collection
from curator.workspace import Workspace

TEMPLATE = "check/checks.html"
# What a judge sees while checking, in words that the history keeps.
SEEN = "Check page; ratings and others' checks of a pair only after one's own"
LISTS: dict[str, str] = {
    **{"pairs": "pairs", "passages": "passages", "opinions": "second opinions"},
    "assigned": "what is mine",
}
STATUS = {"to do": "Mine", "waiting": "Waiting for others", "done": "Done"}
NOT_GRADED = "No grades yet, so there is nothing to hold checks against"
OWN_FIRST = (
    "Others have checked here. What they say of a pair, and what it says of the "
    "graders, is shown after your own answer: press a key beneath the first pair."
)
LOOKING_ON = (
    "Others have checked here. What they say of a pair, and what it says of the "
    "graders, is shown to those who have checked it themselves."
)
HASTY = "{} in under 2 seconds each: set aside from certificates until confirmed."
EVERY = 0.5  # seconds between two looks at what checks come to
SYSTEMS = 10  # of the board by what was learned
SHOWN = ("checks", "precision", "recall", "upper")


@st.fragment
def page() -> None:
    """The pair to be checked in the middle, what was learned at the right."""
    framed("Check", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page, the pair first: it is what the judge waits for."""
    if not workspace.collection().queries:
        no_collection(columns, workspace)
        return
    drawing(workspace)
    session.current().seen = SEEN
    batch = workspace.check_batch(session.view().of)
    why_not = workspace.standing().forbidden_reason("draw_batch")
    if not batch.pairs and not why_not:
        with session.workspace() as own:
            batch = own.draw_batch(batch.of)
    with columns.middle:
        shell.title("Pairs", "does the passage answer the question?")
        shell.notes()
        if batch.set_aside and not why_not:
            sentence = HASTY.format(words.count(batch.set_aside, "answer"))
            st.html(
                shell.line_html(sentence, act="Confirm them", pick="confirm-checks:")
            )
        if why_not:
            drawn = f"Pairs are drawn {why_not[:1].lower()}{why_not[1:]}."
            shell.empty("Judges check here", drawn)
        elif batch.pairs:
            pairs(workspace, batch)
        else:
            nothing(workspace, batch)
    mine = workspace.assignments(judge=workspace.judge, work="checks")
    lists = {of: name for of, name in LISTS.items() if mine or of != "assigned"}
    around(workspace, columns, choice_html("Check", "of", lists, batch.of))
    with columns.left:
        with st.container(key="query_rows"):
            names = {one.query_id: one.name for one in workspace.collection().queries}
            for status, title in STATUS.items():
                here = [one for one in mine if one.status == status]
                if here:
                    st.html(macro(TEMPLATE, "mine")(title, here, names))
            st.html(macro(TEMPLATE, "judges")(batch.judges, workspace.judge))
        with st.container(key="query_progress"):
            if not why_not:
                st.html(macro(TEMPLATE, "progress")(batch))
    with columns.right:
        tally = batch.tally
        st.html(macro(TEMPLATE, "tally")(tally, words.ratio(tally.share)))
        if batch.grader is None:
            shell.not_graded(workspace, NOT_GRADED)
        elif batch.judges and not tally.checks:
            # What others say of a pair is shown beside one's own answer alone.
            shell.note(LOOKING_ON if why_not else OWN_FIRST)
        elif tally.checks:
            learned(None if batch.of in MIXED_SOURCES else batch.of, batch.grader)
    session.settle("Check", id(workspace.collection()))


def pairs(workspace: Workspace, batch: CheckBatch) -> None:
    """Draw the pairs of the batch."""
    kinds = {one.question_id: one.kind for one in workspace.bank()}
    queries = {one.drawn.query_id for one in batch.pairs}
    numbers: dict[str, int] = {}
    for query_id in queries:
        numbers |= workspace.question_numbers(query_id)
    labels = grader_labels(workspace.graders())
    CHECKS.draw(**list_data(batch, kinds, labels, numbers))


def nothing(workspace: Workspace, batch: CheckBatch) -> None:
    """Why nobody is asked anything, and what can be asked or done instead."""
    act = None
    if not any(pool.size for pool in workspace.collection().pools.values()):
        act = shell.IMPORT
    elif batch.of == "pairs" and not batch.tally.checks:
        act = shell.CURATE
    others = [
        (one, name) for one, name in LISTS.items() if one not in (batch.of, "assigned")
    ]
    st.html(macro(TEMPLATE, "nothing")(batch.note, act, others))


@st.fragment(run_every=EVERY)
def learned(of: str | None, grader: str | None) -> None:
    """What all checks come to, as soon as it is known; no pair waits for it.

    Drawn by itself: a change of the file has it computed anew beside the page.
    """
    try:
        with session.drawing() as workspace:
            version, judge = workspace.version(), workspace.judge
            labels = grader_labels(workspace.graders())
    except session.EXPECTED:
        return  # the page itself says what is wrong
    service, path, now = session.service(), session.workspace_path(), session.current()
    task = CheckQualityTask(path, judge, of, version)
    found: CheckQualityResult | None = service.result(task)
    # One at a time: of ten checks in a row not every one needs boards of its own.
    running = (one for one in service.tasks(CheckQualityTask) if one.judge == judge)
    if found is None and not any(one.path == path for one in running):
        service.send(task)
    if found is not None:
        now.learned = ((judge, of), found)
    about, said = now.learned or (None, None)
    if said is None or about != (judge, of):
        return
    if said.quality is None:
        shell.note(said.line)
        return
    quality(said.quality, grader, labels)
    if said.learned is not None and said.first is not None:
        st.html(learned_board(said.first, said.learned))


def quality(found: Quality, grader: str | None, labels: Mapping[str, str]) -> None:
    """The certificate of the first board's grader, every grader, and its ratings."""
    graders = sorted(found.graders, key=lambda one: one.grader != grader)
    first = graders[0]
    st.html(macro(TEMPLATE, "certificate")(labels[first.grader], first.certificate))
    table = quality_tables(replace(found, graders=tuple(graders)))[0]
    columns = [Column("grader", lambda one: labels[one.grader])]
    columns += [one for one in table.columns if one.name in SHOWN]
    about = "compared with people; at most: share of wrong labels"
    st.html(table_html(replace(table, columns=columns), "Graders", about))
    ratings = label_table(found.of, [first])
    ratings = replace(ratings, columns=ratings.columns[1:])
    name = f"{labels[first.grader]}, by {ratings.columns[0].heading}"
    st.html(table_html(ratings, name, "share that people say yes to"))
    for note in found.notes:
        st.html(f'<p class="c-note">{html.coded(note)}</p>')


def learned_board(first: Leaderboard, board: Leaderboard) -> Markup:
    """The top of the board by what was learned, and how ranks differ from the first."""
    before = {one.system: one.rank for one in first.standings}
    rows = [
        (one, html.part(words.move(before[one.system] - one.rank)))
        for one in board.standings[:SYSTEMS]
        if one.system in before
    ]
    return macro(TEMPLATE, "board")(board.settings.measure, rows, words)


page()
model_status()
