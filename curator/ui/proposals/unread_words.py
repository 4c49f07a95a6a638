"""Responses to which nothing could be read, each with what was asked, when, of whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from curator.collection.queries import Query
from curator.store.generations import Generation
from curator.ui.shared import words

LISTED = 20
GLANCE = 90  # characters of a response that are seen before it is opened
LONGEST = 4_000  # characters of a response


@dataclass(frozen=True, slots=True)
class UnreadRow:
    """One response in words; the ids are what is asked again.

    ``raw`` is the response as it came, ``begins`` how it begins, on one line; ``more``
    counts characters that are left out.
    """

    number: int
    query_id: str
    subtopic_id: str | None
    passage_id: str | None
    query: str
    about: str
    asked: str
    error: str
    raw: str
    more: int
    begins: str


def unread_rows(
    found: Sequence[Generation], queries: Iterable[Query], zone: tzinfo | None
) -> tuple[UnreadRow, ...]:
    """The first of them in words."""
    by_id = {query.query_id: query for query in queries}
    rows = []
    for one in found[:LISTED]:
        query = by_id.get(one.query_id)
        subtopics = {s.subtopic_id: s.text for s in query.subtopics} if query else {}
        subtopic = subtopics.get(one.subtopic_id or "") or one.subtopic_id or ""
        passage = f"passage {one.passage_id}" if one.passage_id is not None else ""
        rows.append(
            UnreadRow(
                number=one.generation_id,
                query_id=one.query_id,
                subtopic_id=one.subtopic_id,
                passage_id=one.passage_id,
                query=query.name if query else one.query_id,
                about=" · ".join(part for part in (subtopic, passage) if part),
                asked=f"{one.model}, {words.day_and_time(one.at, zone)}",
                error=one.error or "",
                raw=one.raw[:LONGEST],
                more=max(0, len(one.raw) - LONGEST),
                begins=words.shortened(one.raw[:LONGEST], GLANCE),
            )
        )
    return tuple(rows)
