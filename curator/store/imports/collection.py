"""Writing queries, subtopics, pools and gold articles that a file brought.

A passage joins a pool at its end, once its text is known.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from curator.collection.queries import Query
from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.notices import counted
from curator.store.imports.grades import GradesWriter

Connection = sqlite3.Connection
Articles = Mapping[str, tuple[str, ...]]
"""Passage ids by query id, in the article's order."""


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


def append_to_pools(
    connection: Connection, pairs: Iterable[tuple[str, int]], grades: GradesWriter
) -> int:
    """How many were appended: those that have a text and are not yet pooled."""
    pools: defaultdict[str, dict[int, None]] = defaultdict(dict)
    for query_id, number in connection.execute(
        "SELECT query_id, passage FROM pool ORDER BY query_id, position"
    ):
        pools[query_id][number] = None
    with_text = {
        number
        for (number,) in connection.execute(
            "SELECT number FROM passage WHERE text_id IS NOT NULL"
        )
    }
    rows = []
    for query_id, number in pairs:
        pool = pools[query_id]
        if number in with_text and number not in pool:
            rows.append((query_id, len(pool), number))
            pool[number] = None
            grades.grow_pool(query_id)
    connection.executemany("INSERT INTO pool VALUES (?, ?, ?)", rows)
    return len(rows)


def ranked_or_judged(connection: Connection) -> list[tuple[str, int]]:
    """(query id, passage number) of every ranked or judged passage.

    Rankings first, best ranks first, then judgments: the order never changes once a
    passage is in its pool.
    """
    pairs: list[tuple[str, int]] = []
    by_query: defaultdict[str, list[NDArray[np.int32]]] = defaultdict(list)
    for query_id, blob in connection.execute(
        "SELECT query_id, passages FROM ranking ORDER BY query_id, system"
    ):
        by_query[query_id].append(np.frombuffer(blob, dtype="<i4"))
    for query_id, rankings in by_query.items():
        depth = max(map(len, rankings))
        padded = np.zeros((len(rankings), depth), dtype=np.int32)
        for row, ranking in zip(padded, rankings, strict=True):
            row[: len(ranking)] = ranking
        ordered = padded.T.ravel()
        pairs += [(query_id, int(n)) for n in dict.fromkeys(ordered[ordered > 0])]
    pairs += connection.execute(
        "SELECT query_id, passage FROM judgment ORDER BY query_id, passage"
    ).fetchall()
    return pairs


def new_articles(connection: Connection, parsed: ParsedImport) -> Articles:
    """The articles of queries that have none; one that is there already is left out.

    Raises ImportConflictError for another article of a query that has one, and, where
    there are queries, for one of a query that is not: a misspelt id would make another.
    """
    known = {query for (query,) in connection.execute("SELECT query_id FROM query")}
    strange = [q for q in parsed.gold if q not in known | parsed.queries.keys()]
    if known and strange:
        raise ImportConflictError(
            parsed.source,
            f"no query '{strange[0]}' in this workspace to be the gold article of; "
            "import queries or runs first, or mend the id.",
            (strange[0],),
        )
    stored: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for query_id, passage_id, body in connection.execute(
        "SELECT query_id, passage_id, body FROM gold "
        "JOIN passage ON passage.number = gold.passage JOIN text USING (text_id) "
        "ORDER BY query_id, position"
    ):
        stored[query_id].append((passage_id, body))
    for query_id, passage_ids in parsed.gold.items():
        article = [(one, parsed.passages[one]) for one in passage_ids]
        if query_id in stored and stored[query_id] != article:
            raise ImportConflictError(
                parsed.source,
                f"query '{query_id}' has another gold article in this workspace. A "
                "gold article never changes; import this one into a workspace of its "
                "own.",
                (query_id,),
            )
    return {q: ids for q, ids in parsed.gold.items() if q not in stored}


def write_articles(
    connection: Connection, articles: Articles, numbers: Mapping[str, int]
) -> None:
    """Write the articles; ``numbers`` maps passage id to its number."""
    connection.executemany(
        "INSERT INTO gold (query_id, position, passage) VALUES (?, ?, ?)",
        [
            (query_id, position, numbers[passage_id])
            for query_id, passage_ids in articles.items()
            for position, passage_id in enumerate(passage_ids)
        ],
    )
