"""The Check page: one queue of pairs, norming items and disagreements."""

from __future__ import annotations

import streamlit as st

from curator.formats.templates import macro
from curator.verbs.adjudication import KINDS
from curator.verbs.checks.batch import COUNT, CheckBatch
from curator.web.components import events, session, shell, words
from curator.web.components.background_status import model_status
from curator.web.components.channel import Component, pick
from curator.web.components.settings import grader_labels
from curator.web.components.shell import around
from curator.web.pages.check import organize, queue
from curator.web.pages.frame import draw_fragment
from curator.workspace import Workspace

LIST = Component(
    *("check_list", "components/drafts", "components/edits", "components/look_timer"),
    *("components/conflict", "pages/check/remark", "pages/check/check"),
    verb="answer_check",
)
# What a judge sees while checking, in words that the history keeps.
SEEN = "Check page; ratings and others' answers to an item only after one's own"
QUEUES = {
    "all": "All",
    "pairs": "Pairs",
    "norming": "Norming",
    "disagreements": "Disagreements",
}
EMPTY = {
    "norming": (
        "No round yet",
        "In a round everybody answers the same few items without seeing what others "
        "say, to discuss them then. The organizer opens one under Organize.",
    ),
    "disagreements": (
        "Judges do not differ",
        "As soon as two judges say different things of a question, a passage or an "
        "answer, both sides are here.",
    ),
}
MOST = 50  # open differences in the list, and decided ones
HASTY = "{} in under 2 seconds each: set aside from certificates until confirmed."


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """Draw the queue first: the judge waits for it."""
    now, view = session.current(), session.view()
    now.settings_seen = SEEN
    batch = workspace.check_batch(view.of)
    why_not = workspace.standing().forbidden_reason("draw_batch")
    with_pairs = view.queue in ("all", "pairs")
    if with_pairs and not batch.pairs and not why_not:
        with session.workspace() as writable:
            batch = writable.draw_batch(batch.of)
    with columns.middle:
        st.html('<h1 class="c-title k-title">Check</h1>')
        shell.notes()
        if batch.set_aside and not why_not:
            sentence = HASTY.format(words.count(batch.set_aside, "answer"))
            st.html(
                shell.line_html(sentence, act="Confirm them", pick="confirm-checks:")
            )
        rows = queue_rows(workspace, batch)
        if rows:
            LIST.draw(
                queue=[view.queue, batch.of, batch.at],
                rows=rows,
                opened=view.answer,
                names=now.who_said,
                summary=queue.batch_summary(batch) if with_pairs else [],
                another=f"Another {COUNT}" if with_pairs and batch.pairs else "",
                draw={"of": batch.of, "draw": batch.at},
            )
        else:
            nothing(workspace, batch, why_not)
    counts = shell.waiting(workspace)
    counts["all"] = sum(counts.values())
    may = workspace.standing().can_call("decide")
    chips = macro("check/check.html", "chips")
    around(workspace, columns, chips(QUEUES, counts, view.queue, view.organize, may))
    with columns.left, st.container(key="query_progress"):
        st.html(macro("check/check.html", "progress")(counts["all"]))
    if view.organize:
        with columns.right:
            organize.draw(workspace, batch)
    session.settle("Check", id(workspace.collection()))


def queue_rows(workspace: Workspace, batch: CheckBatch) -> list[queue.Row]:
    """List the items of the chosen queue: norming items, disagreements, pairs."""
    now, view = session.current(), session.view()
    alone = view.queue == "disagreements"
    rows: list[queue.Row] = []
    if view.queue in ("all", "norming"):
        for norming in queue.shown_rounds(workspace, view):
            rows += queue.norming_rows(norming)
    if alone or (view.queue == "all" and workspace.standing().can_call("decide")):
        kind = now.differences_of if alone and now.differences_of in KINDS else None
        differences = workspace.adjudication(kind=kind, decided=alone).differences
        listed = [d for d in differences if not d.decided][:MOST]
        listed += [d for d in differences if d.decided][:MOST]
        rows += queue.difference_rows(workspace, listed, names=now.who_said)
    if view.queue in ("all", "pairs"):
        rows += queue.pair_rows(workspace, batch, grader_labels(workspace.graders()))
    return rows


def nothing(workspace: Workspace, batch: CheckBatch, why_not: str) -> None:
    """Say why nothing is asked, and what can be done instead."""
    chosen = session.view().queue
    if chosen in EMPTY:
        shell.empty(*EMPTY[chosen])
    elif why_not:
        drawn = f"Pairs are drawn {why_not[:1].lower()}{why_not[1:]}."
        shell.empty("Judges check here", drawn)
    else:
        acts = [
            (f"Check {name}", pick(events.choose, f"of={of}"))
            for of, name in organize.SOURCES.items()
            if of not in (batch.of, "assigned")
        ]
        if not any(pool.size for pool in workspace.collection().pools.values()):
            acts = [shell.IMPORT]
        elif batch.of == "pairs" and not batch.tally.checks:
            acts = [shell.CURATE, *acts]
        shell.empty("Nothing to check", batch.note, *acts)


draw_fragment("Check", draw, follows=True)
model_status()
