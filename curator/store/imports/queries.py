"""Writing the queries and subtopics a file brought or mentions."""

from __future__ import annotations

import sqlite3
from collections import Counter

from curator.collection.queries import Query
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import counted

Connection = sqlite3.Connection


def write_queries(
    connection: Connection, parsed: ParsedImport
) -> tuple[Counter[str], list[str]]:
    """How many were new or got their texts, and what was noticed.

    A title or background that stands here stays.
    """
    known = {
        query_id: (title, background)
        for query_id, title, background in connection.execute(
            "SELECT query_id, title, background FROM query"
        )
    }
    mentioned: dict[str, Query] = dict(parsed.queries)
    for query_id in (
        *(query_id for query_id, _ in parsed.pooled),
        *(ranking.query_id for ranking in parsed.rankings),
        *(query_id for query_id, _ in parsed.judgments),
        *(question.query_id for question in parsed.questions.values()),
    ):
        mentioned.setdefault(query_id, Query(query_id))
    new = [query for query_id, query in mentioned.items() if query_id not in known]
    (position,) = connection.execute(
        "SELECT coalesce(max(position), 0) FROM query"
    ).fetchone()
    connection.executemany(
        "INSERT INTO query VALUES (?, ?, ?, ?)",
        [
            (query.query_id, position + i, query.title, query.background)
            for i, query in enumerate(new, start=1)
        ],
    )
    counts = Counter({"queries": len(new)})
    otherwise = 0
    for query_id, (title, background) in known.items():
        query = mentioned.get(query_id)
        if query is None:
            continue
        otherwise += None not in (title, query.title) and title != query.title
        filled = (
            query.title if title is None else title,
            query.background if background is None else background,
        )
        if filled != (title, background):
            connection.execute(
                "UPDATE query SET title = ?, background = ? WHERE query_id = ?",
                (*filled, query_id),
            )
            counts["query texts"] += 1
    notices = []
    if otherwise:
        be = "is" if otherwise == 1 else "are"
        queries = f"{counted(otherwise, 'query', 'queries')} {be}"
        notices.append(f"{queries} known here under another title; it stays.")
    return counts, notices


def write_subtopics(connection: Connection, parsed: ParsedImport) -> Counter[str]:
    """How many were new or got their text; the queries they are of stand already."""
    known = {
        (query_id, subtopic_id): text
        for query_id, subtopic_id, text in connection.execute(
            "SELECT query_id, subtopic_id, text FROM subtopic"
        )
    }
    wanted: dict[tuple[str, str], str | None] = {
        (query.query_id, subtopic.subtopic_id): subtopic.text
        for query in parsed.queries.values()
        for subtopic in query.subtopics
    }
    for question in parsed.questions.values():
        if question.subtopic_id is not None:
            wanted.setdefault((question.query_id, question.subtopic_id), None)
    new = [(*key, text) for key, text in wanted.items() if key not in known]
    connection.executemany(
        "INSERT INTO subtopic VALUES (?1, ?2, (SELECT count(*) FROM subtopic "
        "WHERE query_id = ?1), ?3)",
        new,
    )
    counts = Counter({"subtopics": len(new)})
    for key, text in wanted.items():
        if text is not None and key in known and known[key] is None:
            connection.execute(
                "UPDATE subtopic SET text = ? WHERE query_id = ? AND subtopic_id = ?",
                (text, *key),
            )
            counts["subtopic texts"] += 1
    return counts
