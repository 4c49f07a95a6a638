"""Responses that state no rating, each with where it stands and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.ui.shared import words
from curator.verbs.grading.missing import Unreadable

LISTED = 100
LONGEST = 400  # characters of a response


@dataclass(frozen=True, slots=True)
class UnreadableRow:
    """One response. ``place`` is what leads to its passage."""

    query: str
    question: str
    passage_id: str
    raw: str
    place: str


def unreadable_rows(
    found: Sequence[Unreadable], collection: Collection, bank: Bank
) -> tuple[UnreadableRow, ...]:
    """The first of them in words."""
    names = {query.query_id: query.name for query in collection.queries}
    listed = found[:LISTED]
    titles = {
        question.question_id: question.title
        for query_id in dict.fromkeys(one.query_id for one in listed)
        for question in bank.of_query(query_id)
    }
    return tuple(
        UnreadableRow(
            query=names.get(one.query_id, one.query_id),
            # A grader of whole passages is asked the query itself.
            question=titles.get(one.target_id, ""),
            passage_id=one.passage_id,
            raw=words.shortened(one.raw, LONGEST) or "(no words)",
            place=urlencode(
                {
                    "query": one.query_id,
                    "passage": one.passage_id,
                    "question": one.target_id if one.target_id in titles else "",
                }
            ),
        )
        for one in listed
    )
