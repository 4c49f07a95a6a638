"""Judges: vote on every question, then see how far judges agree."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from curator.bank.questions import active, noun_of
from curator.formats.guidelines import first_sentence
from curator.verbs.judges.ballots import (
    ballots,
    next_to_vote,
    total_progress,
    voting_progress,
)
from curator.verbs.team.assignment import first_unfinished
from curator.web.components import session, shell, words
from curator.web.components.background_status import drawing, model_status
from curator.web.components.shell import framed, toolbar
from curator.web.pages.judge import query_list
from curator.web.pages.judge.votes.agreement import agreement_panel
from curator.web.pages.judge.votes.boards import boards_panel
from curator.web.pages.judge.votes.query_list import voting_queries
from curator.web.pages.judge.votes.vote_list import (
    VOTES,
    list_data,
    query_opened,
    question_opened,
)
from curator.web.pages.settings.steps import no_collection
from curator.workspace import Workspace

# What a judge sees while voting, in words that the history keeps.
SEEN = "Votes tab; others' votes on a question only after one's own"


@st.fragment
def page() -> None:
    """Queries at the left, questions with my votes, agreement at the right."""
    framed("Votes", draw)
    session.write_url()


def draw(workspace: Workspace, columns: shell.Columns) -> None:
    """All four parts of the page, what the judge waits for first."""
    collection, bank, judge = workspace.collection(), workspace.bank(), workspace.judge
    drawing(workspace)
    if not collection.queries:
        no_collection(columns, workspace)
        return
    session.current().seen = SEEN
    view = session.view()
    assigned = workspace.assignments(judge=judge, work="votes")
    own = [one.query_id for one in assigned if not one.finished]
    query = query_opened(collection, bank, view.query or first_unfinished(assigned))
    session.look(query=query.query_id)
    mine = voting_progress(bank, (one.query_id for one in collection.queries), judge)
    here = ballots(bank, query.query_id, judge)
    selected = question_opened(here, view.question)
    next_id = next_to_vote(mine, query.query_id, own)
    total, noun = total_progress(mine), noun_of(active(bank, "any"))
    with columns.middle:
        if view.query not in (None, query.query_id):
            shell.line(f"No query '{view.query}' in this workspace.", error=True)
        shell.notes()
        if not total.total:
            shell.empty(
                "No questions to vote on yet",
                "Judges vote on questions that are kept. Write some, have a "
                "model propose some, or import a bank.",
                shell.CURATE,
                shell.IMPORT,
            )
        else:
            named = {one.query_id: one for one in collection.queries}
            VOTES.draw(
                why_not=words.why_withheld(query),
                **list_data(
                    query,
                    here,
                    workspace.question_numbers(query.query_id),
                    selected=selected,
                    mine_done=bool(assigned) and not own,
                    following=named[next_id] if next_id else None,
                    guidelines=first_sentence(collection.guidelines or ""),
                ),
            )
    with columns.left:
        shell.brand(collection.title)
        rows = query_list.with_work(
            query_list.query_rows(collection, bank, judge, query.query_id),
            assigned,
        )
        voted = [(row, mine[row.query_id]) for row in rows]
        rows_done = [(replace(r, done=v.complete), v) for r, v in voted]
        voting_queries(rows_done, total, noun)
        shell.guidelines(collection)
    toolbar(columns.toolbar, workspace)
    if total.total:
        with columns.right:
            judges = workspace.judges()
            agreement_panel(judges, collection, total, query.query_id, selected, noun)
            if judges.agreement.questions or judges.with_sources:
                boards_panel(workspace, judges)


page()
model_status()
