"""Reading the collection: queries, pools, rankings, judgments, ranks, settings."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from sqlite3 import Connection
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import GAP, UNJUDGED, Collection, Pool, Query, Subtopic
from curator.store import versions
from curator.store.connection import grouped, rows_in

Numbers = NDArray[np.int64]


def read_collection(connection: Connection) -> Collection:
    """The collection as arrays; every query has a pool, be it empty."""
    settings = read_settings(connection)
    systems = read_systems(connection)
    queries = read_queries(connection)
    pools = grouped(
        connection.execute(
            "SELECT query_id, passage, passage_id, letters FROM pool "
            "JOIN passage ON passage.number = pool.passage JOIN text USING (text_id) "
            "ORDER BY query_id, position"
        )
    )
    rankings = grouped(
        connection.execute("SELECT query_id, system, passages FROM ranking")
    )
    judgments = grouped(
        connection.execute("SELECT query_id, passage, grade FROM judgment")
    )
    gold = grouped(
        connection.execute(
            "SELECT query_id, passage FROM gold ORDER BY query_id, position"
        )
    )
    min_relevance = settings.get("min_relevance")
    return Collection(
        title=settings.get("title", ""),
        queries=queries,
        systems=tuple(systems.values()),
        pools={
            one: _pool(
                one, pools[one], [*systems], rankings[one], judgments[one], gold[one]
            )
            for one in (query.query_id for query in queries)
        },
        official=dict(connection.execute("SELECT system, rank FROM official")),
        min_relevance=None if min_relevance is None else int(min_relevance),
        guidelines=settings.get("guidelines"),
        blind="blind" in settings,
        human_first=int(settings.get("human_first", 0)),
        mask_salt=settings.get("blind", ""),
    )


def read_queries(connection: Connection) -> tuple[Query, ...]:
    """Queries with their subtopics, in the order they came in."""
    subtopics = grouped(
        connection.execute(
            "SELECT query_id, subtopic_id, text FROM subtopic "
            "ORDER BY query_id, position"
        )
    )
    return tuple(
        Query(
            query_id,
            title,
            background,
            tuple(Subtopic(*one) for one in subtopics[query_id]),
        )
        for query_id, title, background in connection.execute(
            "SELECT query_id, title, background FROM query ORDER BY position"
        )
    )


def read_systems(connection: Connection) -> dict[int, str]:
    """System name by number, in the order they came in."""
    return dict(connection.execute("SELECT number, system FROM system ORDER BY number"))


def pool_texts(connection: Connection, query_id: str) -> list[tuple[int, str, str]]:
    """(text id, content key, text) of a query's passages, in pool order."""
    return connection.execute(
        "SELECT text_id, sha256, body FROM pool "
        "JOIN passage ON passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? ORDER BY position",
        (query_id,),
    ).fetchall()


def passage_texts(connection: Connection, passage_ids: Sequence[str]) -> dict[str, str]:
    """Text by passage id, for those that have one."""
    select = (
        "SELECT passage_id, body FROM passage JOIN text USING (text_id) "
        "WHERE passage_id IN ({})"
    )
    return dict(rows_in(connection, select, passage_ids))


def passages_with_text(connection: Connection) -> dict[str, bool]:
    """Whether a passage has a text, by its id, for every passage that is mentioned."""
    return {
        passage_id: bool(has_text)
        for passage_id, has_text in connection.execute(
            "SELECT passage_id, text_id IS NOT NULL FROM passage"
        )
    }


def texts_at(
    connection: Connection, query_id: str, positions: Sequence[int]
) -> list[str]:
    """The texts of a query's passages at these pool positions, in this order."""
    select = (
        "SELECT position, body FROM pool JOIN passage ON passage.number = pool.passage "
        "JOIN text USING (text_id) WHERE query_id = ? AND position IN ({})"
    )
    found = dict(rows_in(connection, select, positions, query_id))
    return [found[position] for position in positions]


def _pool(
    query_id: str,
    passages: list[tuple[int, str, int]],
    systems: Sequence[int],
    by_system: list[tuple[int, bytes]],
    judgments: list[tuple[int, int]],
    gold: list[int],
) -> Pool:
    """``passages`` are (number, id, letters) in pool order."""
    numbers = np.array([number for number, _, _ in passages], dtype=np.int64)
    passage_ids = tuple(passage_id for _, passage_id, _ in passages)
    letters = np.array([length for _, _, length in passages], dtype=np.int32)
    rankings = {system: np.frombuffer(blob, "<i4") for system, blob in by_system}
    depth = max(map(len, rankings.values()), default=0)
    ranked_numbers = np.zeros((len(systems), depth), dtype=np.int64)
    listed = [len(rankings.get(system, ())) for system in systems]
    for row, system in enumerate(systems):
        ranked_numbers[row, : listed[row]] = rankings.get(system, ())
    top = positions_of(ranked_numbers, numbers).astype(np.int32)
    grades = np.full(len(passage_ids), UNJUDGED, dtype=np.int16)
    if judgments:
        judged, given = np.array(judgments, dtype=np.int64).T
        positions = positions_of(judged, numbers)
        grades[positions[positions >= 0]] = given[positions >= 0]
    of_gold = positions_of(np.array(gold, dtype=np.int64), numbers)
    only_gold = ~np.isin(of_gold, top) & (grades[of_gold] == UNJUDGED)
    return Pool(
        query_id,
        passage_ids,
        top,
        grades,
        letters,
        gold=tuple(of_gold.tolist()),
        gold_only=tuple(of_gold[only_gold].tolist()),
        listed=np.array(listed, dtype=np.int32),
    )


def positions_of(wanted: Numbers, numbers: Numbers) -> Numbers:
    """Pool position of each passage number, GAP for one outside the pool."""
    if not len(numbers):
        return np.full(wanted.shape, GAP, dtype=np.int64)
    order = np.argsort(numbers)
    ordered = numbers[order]
    found = np.searchsorted(ordered, wanted).clip(max=len(ordered) - 1)
    return np.where(ordered[found] == wanted, order[found], GAP)


Key = Literal[
    "title", "min_relevance", "guidelines", "blind", "human_first", "generation"
]


def read_settings(connection: sqlite3.Connection) -> dict[str, str]:
    """Value by key, for the settings somebody has made."""
    return dict(connection.execute("SELECT key, value FROM setting"))


def write_setting(connection: sqlite3.Connection, key: Key, value: str) -> bool:
    """Keep a setting, or take it away with ""; whether that changed anything."""
    if value:
        cursor = connection.execute(
            "INSERT INTO setting VALUES (?, ?) ON CONFLICT DO UPDATE "
            "SET value = excluded.value WHERE value <> excluded.value",
            (key, value),
        )
    else:
        cursor = connection.execute("DELETE FROM setting WHERE key = ?", (key,))
    if cursor.rowcount:
        versions.bump(connection, [versions.COLLECTION])
    return bool(cursor.rowcount)
