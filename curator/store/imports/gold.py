"""Gold articles, written beside the pool that their passages are part of."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Mapping

from curator.errors import ImportConflictError
from curator.formats.parsed_import import ParsedImport

Connection = sqlite3.Connection
Articles = Mapping[str, tuple[str, ...]]
"""Passage ids by query id, in the article's order."""


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
