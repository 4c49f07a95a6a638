"""The middle of the Votes tab: a query's questions, voted on in the browser.

The component under ``judges/vote_list.js`` gets everything as data and sends back which
question was selected and which vote was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.bank.marks import IMPORTANCES
from curator.bank.questions import Bank
from curator.collection.pools import Collection, Query
from curator.verbs.judges.ballots import Ballot, first_to_vote
from curator.web.components.channel import Component

EMPTY = "This query has no kept questions. Write or keep some, then vote."
HERE_VOTED = "Voted on every question here."
MINE_VOTED = "You have voted on all that is assigned to you."
ALL_VOTED = "You have voted on every question of the collection."

VOTES = Component(
    *(
        "vote_list",
        "components/drafts",
        "components/edits",
        "pages/judge/votes/vote_list",
    ),
    verb="apply",
)


def list_data(
    query: Query,
    ballots: tuple[Ballot, ...],
    numbers: Mapping[str, int],
    *,
    selected: str | None,
    mine_done: bool = False,
    following: Query | None,
    guidelines: str,
) -> dict[str, Any]:
    """All that the component shows, as JSON; ``following`` is the next query to do.

    ``mine_done``: nothing of what is assigned to the judge is left.
    """
    return {
        "query": query.query_id,
        "title": query.name,
        "background": query.background or "",
        "guidelines": guidelines,
        "selected": selected,
        "empty": EMPTY,
        "all": ALL_VOTED,
        "here": MINE_VOTED if mine_done else HERE_VOTED,
        "next": following and {"query": following.query_id, "name": following.name},
        "rows": [row_data(ballot, query, numbers) for ballot in ballots],
    }


def row_data(
    ballot: Ballot, query: Query, numbers: Mapping[str, int]
) -> dict[str, Any]:
    """A question as it is voted on; ``mine`` is "" without my vote."""
    question = ballot.question
    names = {one.subtopic_id: one.text for one in query.subtopics}
    subtopic_id = question.subtopic_id or ""
    about = [names.get(subtopic_id) or subtopic_id]
    about += ["nugget"] if question.kind == "nugget" else []
    return {
        "id": question.question_id,
        "number": numbers.get(question.question_id, 0),
        "text": question.title,
        "meta": " · ".join(filter(None, about)),
        "mine": ballot.mine or "",
        "others": others_words(ballot),
        "disputed": ballot.disputed,
    }


def others_words(ballot: Ballot) -> str:
    """``vital: Ben, Cy · okay: Dee``, or that nobody else has voted; "" before I have.

    Whoever reads them has voted, so that they cannot sway a first vote.
    """
    if ballot.mine is None:
        return ""
    sides = []
    for importance in IMPORTANCES:
        voters = [judge for judge, vote in ballot.others if vote == importance]
        sides += [f"{importance}: {', '.join(voters)}"] if voters else []
    return " · ".join(sides) or "nobody else yet"


def question_opened(ballots: tuple[Ballot, ...], wanted: str | None) -> str | None:
    """The question wanted if it is one of these, else the first without my vote."""
    ids = [one.question.question_id for one in ballots]
    return wanted if wanted in ids else first_to_vote(ballots)


def query_opened(collection: Collection, bank: Bank, wanted: str | None) -> Query:
    """The query wanted, else the first with kept questions, else the first."""
    with_questions = (
        query
        for query in collection.queries
        if any(one.state == "kept" for one in bank.questions_of(query.query_id))
    )
    named = (query for query in collection.queries if query.query_id == wanted)
    return next(named, None) or next(with_questions, collection.queries[0])
