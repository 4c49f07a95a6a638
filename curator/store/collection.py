"""Reading the collection: queries, pools, rankings, judgments, settings."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from sqlite3 import Connection
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from curator.collection.citations import (
    CITATIONS,
    CitedSpans,
    citation_rows,
    spans_from_json,
)
from curator.collection.pools import (
    GAP,
    OFFICIAL_BOARD,
    OFFICIAL_SCORE,
    UNJUDGED,
    Collection,
    OfficialBoard,
    Pool,
    Query,
    Subtopic,
)
from curator.collection.rankings import merged_ranking
from curator.store import versions
from curator.store.connection import column, grouped, rows_in
from curator.store.restricted import read_restricted

Numbers = NDArray[np.int64]
EMPTY_POOL: Sequence[list[Any]] = [], []


def read_collection(connection: Connection) -> Collection:
    """Return the collection as arrays; every query has a pool, which may be empty."""
    settings = read_settings(connection)
    systems = read_systems(connection)
    queries = read_queries(connection)
    # One row per query: one per passage makes millions of tuples and takes twice as
    # long. In the order of the key (query, position) nothing needs sorting.
    pools = {
        query_id: [json.loads(json_array) for json_array in columns]
        for query_id, *columns in connection.execute(
            "SELECT query_id, json_group_array(passage), json_group_array(passage_id) "
            "FROM pool INDEXED BY sqlite_autoindex_pool_1 "
            "CROSS JOIN passage ON passage.number = pool.passage "
            "WHERE text_id IS NOT NULL GROUP BY query_id"
        )
    }
    rankings, judgments, gold, subtopic_rankings, subtopic_judgments = (
        grouped(connection.execute(f"SELECT query_id, {columns}"))
        for columns in (
            "system, passages FROM ranking",
            "passage, grade FROM judgment",
            "passage FROM gold ORDER BY query_id, position",
            "subtopic_id, system, passages, scores FROM subtopic_ranking",
            "subtopic_id, passage, grade FROM subtopic_judgment",
        )
    )
    segments = read_segments(connection)
    cited = read_citations(connection)
    min_relevance = settings.get("min_relevance")
    return Collection(
        title=settings.get("title", ""),
        queries=queries,
        systems=tuple(systems.values()),
        pools={
            query_id: _pool(
                _PoolBuilder(
                    query_id,
                    systems,
                    pools.get(query_id, EMPTY_POOL),
                    gold[query_id],
                ),
                query.subtopics,
                dict(rankings[query_id]),
                judgments[query_id],
                subtopic_rankings[query_id],
                subtopic_judgments[query_id],
                segments,
                cited.get(query_id, {}),
            )
            for query_id, query in ((query.query_id, query) for query in queries)
        },
        official=dict(connection.execute("SELECT system, rank FROM official")),
        official_scores={
            system: float(score)
            for system, score in connection.execute(
                "SELECT key, json FROM extra WHERE entity = ? AND format = ?",
                OFFICIAL_SCORE,
            )
        },
        official_boards={
            name: OfficialBoard(**json.loads(board))
            for name, board in connection.execute(
                "SELECT key, json FROM extra WHERE entity = ? AND format = ? "
                "ORDER BY key",
                OFFICIAL_BOARD,
            )
        },
        min_relevance=None if min_relevance is None else int(min_relevance),
        guidelines=settings.get("guidelines"),
        blind="blind" in settings,
        human_first=int(settings.get("human_first", 0)),
        mask_salt=settings.get("blind", ""),
        restricted=read_restricted(connection),
    )


def read_queries(connection: Connection) -> tuple[Query, ...]:
    """Return the queries with their subtopics, in the order they were imported."""
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
            tuple(Subtopic(*row) for row in subtopics[query_id]),
        )
        for query_id, title, background in connection.execute(
            "SELECT query_id, title, background FROM query ORDER BY position"
        )
    )


def read_systems(connection: Connection) -> dict[int, str]:
    """Return the system names by number, in the order they were imported."""
    return dict(connection.execute("SELECT number, system FROM system ORDER BY number"))


def pool_texts(connection: Connection, query_id: str) -> list[tuple[int, str, str]]:
    """Return (text id, content key, text) of a query's passages, in pool order."""
    return connection.execute(
        "SELECT text_id, sha256, body FROM pool "
        "JOIN passage ON passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? ORDER BY position",
        (query_id,),
    ).fetchall()


def passage_texts(connection: Connection, passage_ids: Sequence[str]) -> dict[str, str]:
    """Return the texts by passage id, for passages that have one."""
    select = (
        "SELECT passage_id, body FROM passage JOIN text USING (text_id) "
        "WHERE passage_id IN ({})"
    )
    return dict(rows_in(connection, select, passage_ids))


def passage_lengths(
    connection: Connection, passage_ids: Sequence[str]
) -> dict[str, int]:
    """Return the number of characters of each text, by passage id."""
    select = (
        "SELECT passage_id, length(body) FROM passage JOIN text USING (text_id) "
        "WHERE passage_id IN ({})"
    )
    return dict(rows_in(connection, select, passage_ids))


def passages_with_text(connection: Connection) -> dict[str, bool]:
    """Return for every passage id True if the passage has a text."""
    return {
        passage_id: bool(has_text)
        for passage_id, has_text in connection.execute(
            "SELECT passage_id, text_id IS NOT NULL FROM passage"
        )
    }


def texts_at(
    connection: Connection, query_id: str, positions: Sequence[int]
) -> list[str]:
    """Return the texts of a query's passages at these pool positions, in this order."""
    select = (
        "SELECT position, body FROM pool JOIN passage ON passage.number = pool.passage "
        "JOIN text USING (text_id) WHERE query_id = ? AND position IN ({})"
    )
    text_by_position = dict(rows_in(connection, select, positions, query_id))
    return [text_by_position[position] for position in positions]


def pool_letters(connection: Connection, query_id: str) -> list[int]:
    """Return the length of each text in pool order, white space not counted."""
    return column(
        connection,
        "SELECT letters FROM pool JOIN passage ON passage.number = pool.passage "
        "JOIN text USING (text_id) WHERE query_id = ? ORDER BY position",
        query_id,
    )


class _PoolBuilder:
    """A query's passages in pool order, and their positions by passage number."""

    def __init__(
        self,
        query_id: str,
        systems: Mapping[int, str],
        passages: Sequence[list[Any]],
        gold: list[int],
    ) -> None:
        """``systems`` are names by number, ``passages`` numbers and ids."""
        numbers, passage_ids = passages
        self.query_id = query_id
        self.systems = systems
        self.numbers = np.array(numbers, dtype=np.int64)
        self.passage_ids = tuple(passage_ids)
        self.gold = self.positions(np.array(gold, dtype=np.int64))

    def positions(self, numbers: Numbers) -> Numbers:
        return positions_of(numbers, self.numbers)

    def places_by_id(self, numbers: Numbers) -> Numbers:
        """Return each number's place among the sorted ids, GAP outside the pool."""
        return positions_of(numbers, self._numbers_by_id)

    @cached_property
    def _numbers_by_id(self) -> Numbers:
        order = sorted(range(len(self.passage_ids)), key=self.passage_ids.__getitem__)
        return self.numbers[order]

    def pool(
        self,
        rankings: Mapping[int, NDArray[Any]],
        judgments: Iterable[tuple[int, int]],
        subtopics: Mapping[str, Pool],
    ) -> Pool:
        """Return the pool for these ranked passage numbers by system, and judgments."""
        depth = max(map(len, rankings.values()), default=0)
        ranked_numbers = np.zeros((len(self.systems), depth), dtype=np.int64)
        listed = [len(rankings.get(system, ())) for system in self.systems]
        for row, system in enumerate(self.systems):
            ranked_numbers[row, : listed[row]] = rankings.get(system, ())
        top = self.positions(ranked_numbers).astype(np.int32)
        grades = np.full(len(self.passage_ids), UNJUDGED, dtype=np.int16)
        if judged := list(judgments):
            numbers, judged_grades = np.array(judged, dtype=np.int64).T
            positions = self.positions(numbers)
            grades[positions[positions >= 0]] = judged_grades[positions >= 0]
        return Pool(
            self.query_id,
            self.passage_ids,
            top,
            grades,
            gold=tuple(self.gold.tolist()),
            listed=np.array(listed, dtype=np.int32),
            subtopics=subtopics,
        )


def _pool(
    pooled: _PoolBuilder,
    subtopic_list: Iterable[Subtopic],
    query_rankings: Mapping[int, bytes],
    query_judgments: list[tuple[int, int]],
    subtopic_rankings: list[tuple[str, int, bytes, bytes]],
    subtopic_judgments: list[tuple[str, int, int]],
    document_segments: Mapping[int, list[int]],
    cited: Mapping[str, CitedSpans],
) -> Pool:
    """Return the query's pool; missing rankings and judgments come from its subtopics.

    A system without a ranking of the query has each passage at its best rank in the
    subtopics' rankings (``merged_ranking``); a passage that is not judged for the query
    has its highest judgment for a subtopic. Vice versa, a system without subtopic
    rankings has the query's ranking in each subtopic.
    """
    rankings = {
        system: np.frombuffer(blob, "<i4") for system, blob in query_rankings.items()
    }
    rankings_by_subtopic: dict[str, dict[int, NDArray[Any]]] = defaultdict(dict)
    to_merge: dict[int, list[tuple[NDArray[Any], NDArray[Any]]]] = defaultdict(list)
    subtopic_places = {
        subtopic.subtopic_id: place for place, subtopic in enumerate(subtopic_list)
    }
    for subtopic_id, system, numbers, scores in sorted(
        subtopic_rankings, key=lambda row: subtopic_places[row[0]]
    ):
        ranked = np.frombuffer(numbers, "<i4")
        rankings_by_subtopic[subtopic_id][system] = ranked
        to_merge[system].append((ranked, np.frombuffer(scores, "<f8")))
    judged: dict[int, int] = {}
    by_subtopic: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for subtopic_id, number, grade in subtopic_judgments:
        by_subtopic[subtopic_id].append((number, grade))
        judged[number] = max(grade, judged.get(number, grade))
    merged = {
        system: merged_ranking(parts, pooled.places_by_id)
        for system, parts in to_merge.items()
        if system not in rankings
    }
    query_only_rankings = {
        system: ranks for system, ranks in rankings.items() if system not in to_merge
    }
    subtopics = {
        subtopic_id: pooled.pool(
            query_only_rankings | rankings_by_subtopic[subtopic_id],
            by_subtopic[subtopic_id],
            {},
        )
        for subtopic_id in subtopic_places
        if rankings_by_subtopic or by_subtopic
    }
    judged.update(query_judgments)
    query_pool = pooled.pool(rankings | merged, judged.items(), subtopics)
    segments = segments_at(pooled.numbers.tolist(), document_segments)
    if not (len(pooled.gold) or segments or cited):
        return query_pool
    ranked_positions = np.concatenate(
        [pool.top.ravel() for pool in (query_pool, *subtopics.values())]
    )

    def unlisted(positions: Iterable[int]) -> tuple[int, ...]:
        candidates = np.array([*positions], dtype=np.int64)
        unjudged = query_pool.judgments[candidates] == UNJUDGED
        return tuple(
            candidates[~np.isin(candidates, ranked_positions) & unjudged].tolist()
        )

    gold = pooled.gold.tolist()
    all_segments = [
        position
        for segment_positions in segments.values()
        for position in segment_positions
        if position not in gold
    ]

    citations = citation_rows(cited, [*pooled.systems.values()], pooled.passage_ids)
    cited_only = unlisted(np.unique(citations[citations[:, 2] != GAP, 2]))

    def with_unlisted(pool: Pool, citations: NDArray[np.int32]) -> Pool:
        return replace(
            pool,
            gold_only=unlisted(gold),
            segments=segments,
            segment_only=unlisted(all_segments),
            citations=citations,
            cited_only=cited_only,
        )

    # A report belongs to a query: its citations count in a subtopic only where the
    # query's ranking is used for it.
    inherited_rows = [
        row
        for row, system in enumerate(pooled.systems)
        if system in query_only_rankings
    ]
    inherited_citations = citations[np.isin(citations[:, 0], inherited_rows)]
    subtopic_pools = {
        subtopic_id: with_unlisted(pool, inherited_citations)
        for subtopic_id, pool in subtopics.items()
    }
    return replace(with_unlisted(query_pool, citations), subtopics=subtopic_pools)


def segments_at(
    pool: Sequence[int], segments: Mapping[int, Sequence[int]]
) -> dict[int, tuple[int, ...]]:
    """Return the positions of segments in a pool, by their document's position."""
    if not segments:
        return {}
    places = {number: position for position, number in enumerate(pool)}
    return {
        places[document]: tuple(places[part] for part in parts)
        for document, parts in segments.items()
        if document in places
    }


def read_segments(connection: Connection) -> dict[int, list[int]]:
    """Return the numbers of every document's segments, in order, by document number."""
    return grouped(
        connection.execute(
            "SELECT document, passage FROM segment ORDER BY document, position"
        )
    )


def read_citations(
    connection: Connection, query_id: str | None = None
) -> dict[str, dict[str, CitedSpans]]:
    """Return the citations of each system's response, by query and system.

    Of all queries, or of one, whose keys are adjacent in the index.
    """
    select = "SELECT key, json FROM extra WHERE entity = ? AND format = 'reports'"
    parameters: tuple[str, ...] = (CITATIONS,)
    if query_id is not None:
        select += " AND key > ? || char(9) AND key < ? || char(10)"
        parameters += query_id, query_id
    citations: dict[str, dict[str, CitedSpans]] = defaultdict(dict)
    for key, text in connection.execute(select, parameters):
        topic_id, run_id = key.split("\t")
        citations[topic_id][run_id] = spans_from_json(text)
    return citations


def positions_of(passages: Numbers, numbers: Numbers) -> Numbers:
    """Return the pool position of each passage number, GAP outside the pool."""
    if not (len(numbers) and len(passages)):
        return np.full(passages.shape, GAP, dtype=np.int64)
    order = np.argsort(numbers)
    ordered = numbers[order]
    places = np.searchsorted(ordered, passages).clip(max=len(ordered) - 1)
    return np.where(ordered[places] == passages, order[places], GAP)


SettingKey = Literal[
    "title", "min_relevance", "guidelines", "blind", "human_first", "generation"
]


def read_settings(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT key, value FROM setting"))


def write_setting(connection: sqlite3.Connection, key: SettingKey, value: str) -> bool:
    """Store a setting, or delete it with ""; return True if that changed anything."""
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
