"""Growing the pools: a passage joins at the end, once its text is known."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from curator.store.imports.grades import GradesWriter

Connection = sqlite3.Connection
Pairs = Iterable[tuple[str, int]]
"""(query id, passage number)."""


def append_to_pools(connection: Connection, pairs: Pairs, grades: GradesWriter) -> int:
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
