"""The middle of the Judges page: a query's questions, voted on in the browser.

The component under ``judges/vote_list.js`` gets everything as data and sends back which
question was selected and which vote was given.
"""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Any

from streamlit.components.v2 import component

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.collection.queries import Query
from curator.ui.judges.ballot_rows import ballot_rows
from curator.ui.shared import events, scripts, session
from curator.verbs.judges.ballots import Ballot, first_to_vote

EMPTY = "This query has no kept questions. Write or keep some on Curate, then vote."
ALL_VOTED = "You have voted on every question of the collection."

_mount = component(
    "curator_vote_list",
    js=scripts.module(
        "shared/elements", "shared/drafts", "shared/intents", "judges/vote_list"
    ),
    isolate_styles=False,
)


def vote_list(data: dict[str, Any]) -> None:
    """Title, progress, questions with their votes; one element."""
    _mount(
        key=events.VOTES,
        data=data,
        on_intent_change=partial(events.intended, events.VOTES),
        on_selected_change=partial(events.selected, events.VOTES),
    )


def list_data(
    query: Query,
    ballots: tuple[Ballot, ...],
    *,
    selected: str | None,
    following: Query | None,
    guidelines: bool,
) -> dict[str, Any]:
    """All that the component shows, as JSON; ``following`` is the next query to do."""
    rows = ballot_rows(ballots, query)
    return {
        "workspace": session.workspace_id(),
        "query": query.query_id,
        "title": query.name,
        "background": query.background or "",
        "guidelines": guidelines,
        "selected": selected,
        "empty": EMPTY,
        "all": ALL_VOTED,
        "next": following and {"query": following.query_id, "name": following.name},
        "rows": [row_data(asdict(row)) for row in rows],
        "answers": [asdict(answer) for answer in session.answers()],
    }


def row_data(row: dict[str, Any]) -> dict[str, Any]:
    """A question as JSON, under the name that the component knows it by."""
    return {"id": row.pop("question_id"), **row}


def selected_of(ballots: tuple[Ballot, ...], wished: str | None) -> str | None:
    """The question wished for if it is one of these, else the first without my vote."""
    ids = [one.question.question_id for one in ballots]
    return wished if wished in ids else first_to_vote(ballots)


def opened(collection: Collection, bank: Bank, wished: str | None) -> Query:
    """The query wished for, else the first with kept questions, else the first."""
    with_questions = (
        query
        for query in collection.queries
        if any(one.state == "kept" for one in bank.of_query(query.query_id))
    )
    named = (query for query in collection.queries if query.query_id == wished)
    return next(named, None) or next(with_questions, collection.queries[0])
