"""All about the whole of Check: samples, certificates, rounds, and agreement."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import streamlit as st

from curator.background.tasks import CheckQualityResult, CheckQualityTask
from curator.bank.marks.norming import NormingTask
from curator.evaluation.norming import Round
from curator.formats.templates import macro
from curator.tables.checks import (
    AROUND,
    BESIDE,
    adjudication_tables,
    agreement_table,
    label_table,
    progress,
    quality_tables,
)
from curator.tables.table import Column
from curator.verbs.checks.batch import MIXED_SOURCES, CheckBatch
from curator.verbs.checks.quality import Quality
from curator.verbs.norming import DEFAULT_ITEMS, MAX_ITEMS
from curator.web.components import html, session, shell, words
from curator.web.components.html import table_html
from curator.web.components.settings import grader_labels
from curator.web.components.shell import choice_html
from curator.web.pages.check.queue import ASKS_IN_ROUND, KIND_WORDS, shown_rounds
from curator.workspace import Workspace

TEMPLATE = "check/check.html"
SOURCES: dict[str, str] = {
    **{"pairs": "pairs", "passages": "passages", "opinions": "second opinions"},
    "assigned": "what is mine",
}
NOT_GRADED = "No grades yet, so there is nothing to hold checks against"
OWN_FIRST = (
    "Others have checked here. What they say of a pair, and what it says of the "
    "graders, is shown to those who have checked it themselves."
)
ABOUT = {
    AROUND: ("Before and after", "the first decision and the last; kept as it was"),
    BESIDE: ("Beside the decisions", "of the disputed ones alone"),
}
MAKE_GOLD = "Open a pair that you have answered to make your answer one."
EVERY = 0.5  # seconds between two looks at what checks come to
SYSTEMS = 10  # of the board by what was learned
SHOWN = ("checks", "precision", "recall", "upper")


def draw(workspace: Workspace, batch: CheckBatch) -> None:
    """Draw the part of each kind of item in the queue."""
    chosen = session.view().queue
    if chosen in ("all", "pairs"):
        samples(workspace, batch)
    if chosen in ("all", "norming"):
        rounds(workspace)
    if chosen in ("all", "disagreements"):
        agreement(workspace)


def samples(workspace: Workspace, batch: CheckBatch) -> None:
    """Draw what pairs are drawn from, who checked how many, and what checks say."""
    mine = workspace.assignments(judge=workspace.judge, work="checks")
    sources = {of: name for of, name in SOURCES.items() if mine or of != "assigned"}
    source = choice_html("Draw", "of", sources, batch.of)
    tally = batch.tally
    st.html(macro(TEMPLATE, "tally")(source, tally, words.ratio(tally.share)))
    names = workspace.collection().names
    if mine:
        st.html(macro(TEMPLATE, "mine")(mine, names))
    st.html(macro(TEMPLATE, "judges")(batch.judges, workspace.judge))
    if workspace.standing().can_call("gold"):
        gold = workspace.gold()
        about = f"{words.count(gold.items, 'pair')} with a known answer"
        shell.note(f"Gold items: {about}, one in ten of each judge’s. {MAKE_GOLD}")
        if gold.rates:
            st.html(table_html(gold, "Gold items", about))
    if batch.grader is None:
        shell.not_graded(workspace, NOT_GRADED)
    elif batch.judges and not tally.checks:
        shell.note(OWN_FIRST)
    elif tally.checks:
        learned(None if batch.of in MIXED_SOURCES else batch.of, batch.grader)


@st.fragment(run_every=EVERY)
def learned(of: str | None, grader: str) -> None:
    """Draw the quality of graders as soon as it is known; no pair waits for it.

    A change of the file has it computed again in the background.
    """
    try:
        with session.drawing() as workspace:
            version, judge = workspace.version(), workspace.judge
            labels = grader_labels(workspace.graders())
    except session.EXPECTED:
        return  # the page itself says what is wrong
    service, path, now = session.service(), session.workspace_path(), session.current()
    task = CheckQualityTask(path, judge, of, version)
    result: CheckQualityResult | None = service.result(task)
    # One at a time: of ten checks in a row not every one needs boards of its own.
    running = (t for t in service.tasks(CheckQualityTask) if t.judge == judge)
    if result is None and not any(t.path == path for t in running):
        service.send(task)
    if result is not None:
        now.learned = ((judge, of), result)
    about, result = now.learned or (None, None)
    if result is None or about != (judge, of):
        return
    if result.quality is None:
        shell.note(result.line)
        return
    draw_quality(result.quality, grader, labels)
    if result.learned is not None and result.first is not None:
        before = {row.system: row.rank for row in result.first.standings}
        rows = [
            (row, html.part(words.move(before[row.system] - row.rank)))
            for row in result.learned.standings[:SYSTEMS]
            if row.system in before
        ]
        measure = result.learned.settings.measure
        st.html(macro(TEMPLATE, "board")(measure, rows, words))


def draw_quality(quality: Quality, grader: str, labels: dict[str, str]) -> None:
    """Draw the certificate of the first board's grader, every grader, its ratings."""
    graders = sorted(quality.graders, key=lambda each: each.grader != grader)
    first = graders[0]
    st.html(macro(TEMPLATE, "certificate")(labels[first.grader], first.certificate))
    table = quality_tables(replace(quality, graders=tuple(graders)))[0]
    columns = [Column("grader", lambda each: labels[each.grader])]
    columns += [column for column in table.columns if column.name in SHOWN]
    about = "compared with people; at most: share of wrong labels"
    st.html(table_html(replace(table, columns=columns), "Graders", about))
    ratings = label_table(quality.of, [first])
    ratings = replace(ratings, columns=ratings.columns[1:])
    name = f"{labels[first.grader]}, by {ratings.columns[0].heading}"
    st.html(table_html(ratings, name, "share that people say yes to"))
    for note in quality.notes:
        shell.note(note)


def rounds(workspace: Workspace) -> None:
    """Draw the rounds with their agreement, and the organizer's steps."""
    every = workspace.norming_rounds()
    may = workspace.standing().can_call("open_norming")
    view = session.view()
    norming = next(iter(shown_rounds(workspace, replace(view, queue="norming"))), None)
    named = "" if norming is None else str(norming.round.round_id)
    names = {str(r.round_id): f"{r.round_id}, {r.status}" for r in every}
    choice = choice_html("Round", "answer", names, named) if every else ""
    st.html(macro(TEMPLATE, "part")("Norming", choice))
    if norming is not None:
        shell.note(progress(norming.round))
        if norming.all_visible:
            table = agreement_table(norming.agreements)
            st.html(table_html(table, "Agreement", "Krippendorff’s α"))
            shell.note(" ".join(table.notes))
        if may:
            steps(norming.round)
    if may:
        open_form()


def steps(this: Round) -> None:
    """Draw the buttons that reveal or close a round; each says first what it does."""
    number, hidden = this.round_id, "" if this.revealed else " It is not revealed."
    notes = {
        "reveal": f"Shows all answers of round {number} to everybody. {progress(this)} "
        "It cannot be hidden again, and later answers are not blind.",
        "close": f"Round {number} takes no more answers or comments, and cannot be "
        f"opened again.{hidden}",
    }
    with st.container(horizontal=True, gap="small", key="norming_steps"):
        for verb, done in (("reveal", this.revealed), ("close", this.closed)):
            if done is None:
                with st.popover(f"{verb.capitalize()}…"):
                    shell.note(notes[verb])
                    st.button(
                        verb.capitalize(), on_click=take_step, args=(verb, number)
                    )


def take_step(verb: str, number: int) -> None:
    """Reveal or close the round."""
    session.save(lambda workspace: getattr(workspace, f"{verb}_norming")(number))


def open_form() -> None:
    """Draw the items of a new round."""
    with st.form("open_norming", border=False):
        st.selectbox(
            "New round: for each item",
            get_args(NormingTask),
            format_func=lambda task: ASKS_IN_ROUND[task],
            key="norm_of",
        )
        st.number_input("Items", 1, MAX_ITEMS, DEFAULT_ITEMS, key="norm_count")
        st.form_submit_button("Open a round", on_click=open_round)


def open_round() -> None:
    """Open a round as the form asks for it."""
    task, count = st.session_state.norm_of, int(st.session_state.norm_count)
    session.look(answer=None)
    session.save(lambda workspace: workspace.open_norming(task, count=count))


def agreement(workspace: Workspace) -> None:
    """Draw how far judges agree with each other, and with the decisions."""
    now = session.current()
    adjudication = workspace.adjudication(decided=True)
    kinds = {"": "everything", **KIND_WORDS}
    kind = choice_html("Show", "differences", kinds, now.differences_of or "")
    st.html(macro(TEMPLATE, "part")("Disagreements", kind))
    decided = sum(difference.decided for difference in adjudication.differences)
    shell.note(f"{decided} of {len(adjudication.differences)} decided.")
    if not any(row.agreement.items for row in adjudication.agreement):
        return
    _, judges, *more = adjudication_tables(adjudication, names=now.who_said)
    st.html(table_html(judges, "Agreement", "of the judges alone, as they say now"))
    shell.note(" ".join(judges.notes))
    for table in more:
        st.html(table_html(table, *ABOUT[table.caption]))
