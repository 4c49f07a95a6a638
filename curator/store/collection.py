"""Reading the collection: queries, pools, rankings, judgments, ranks, settings."""

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

from curator.collection.citations import CITATIONS, Cited, citation_rows, from_json
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
from curator.store.digests import changing
from curator.store.restricted import read_restricted

Numbers = NDArray[np.int64]
NOTHING_POOLED: Sequence[list[Any]] = [], []


def read_collection(connection: Connection) -> Collection:
    """The collection as arrays; every query has a pool, be it empty."""
    settings = read_settings(connection)
    systems = read_systems(connection)
    queries = read_queries(connection)
    # A row a query: one a passage makes millions of tuples, and takes twice as long. In
    # the order of the key, by query and position, there is nothing to sort.
    pools = {
        query_id: [json.loads(column) for column in columns]
        for query_id, *columns in connection.execute(
            "SELECT query_id, json_group_array(passage), json_group_array(passage_id) "
            "FROM pool INDEXED BY sqlite_autoindex_pool_1 "
            "CROSS JOIN passage ON passage.number = pool.passage "
            "WHERE text_id IS NOT NULL GROUP BY query_id"
        )
    }
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
    ranked_for = grouped(
        connection.execute(
            "SELECT query_id, subtopic_id, system, passages, scores "
            "FROM subtopic_ranking"
        )
    )
    judged_for = grouped(
        connection.execute(
            "SELECT query_id, subtopic_id, passage, grade FROM subtopic_judgment"
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
            q: _pool(
                _Pooled(q, systems, pools.get(q, NOTHING_POOLED), gold[q]),
                query.subtopics,
                dict(rankings[q]),
                judgments[q],
                ranked_for[q],
                judged_for[q],
                segments,
                cited.get(q, {}),
            )
            for q, query in ((query.query_id, query) for query in queries)
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


def passage_lengths(
    connection: Connection, passage_ids: Sequence[str]
) -> dict[str, int]:
    """Read how many characters each text has, by passage id."""
    select = (
        "SELECT passage_id, length(body) FROM passage JOIN text USING (text_id) "
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


def pool_letters(connection: Connection, query_id: str) -> list[int]:
    """How many characters of each text are not white space, in pool order."""
    return column(
        connection,
        "SELECT letters FROM pool JOIN passage ON passage.number = pool.passage "
        "JOIN text USING (text_id) WHERE query_id = ? ORDER BY position",
        query_id,
    )


class _Pooled:
    """A query's passages in pool order, and where others' numbers of them stand."""

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
        self.gold = self.at(np.array(gold, dtype=np.int64))

    def at(self, wanted: Numbers) -> Numbers:
        """Pool position of each passage number, GAP for one outside the pool."""
        return positions_of(wanted, self.numbers)

    def places_by_id(self, wanted: Numbers) -> Numbers:
        """Each passage number's place among the pool's ids, GAP for one outside."""
        return positions_of(wanted, self._numbers_by_id)

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
        """The pool under these ranked passage numbers by system, and judgments."""
        depth = max(map(len, rankings.values()), default=0)
        ranked_numbers = np.zeros((len(self.systems), depth), dtype=np.int64)
        listed = [len(rankings.get(system, ())) for system in self.systems]
        for row, system in enumerate(self.systems):
            ranked_numbers[row, : listed[row]] = rankings.get(system, ())
        top = self.at(ranked_numbers).astype(np.int32)
        grades = np.full(len(self.passage_ids), UNJUDGED, dtype=np.int16)
        if judged := list(judgments):
            numbers, given = np.array(judged, dtype=np.int64).T
            positions = self.at(numbers)
            grades[positions[positions >= 0]] = given[positions >= 0]
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
    pooled: _Pooled,
    of_query: Iterable[Subtopic],
    own_rankings: Mapping[int, bytes],
    own_judgments: list[tuple[int, int]],
    ranked_for: list[tuple[str, int, bytes, bytes]],
    judged_for: list[tuple[str, int, int]],
    of_documents: Mapping[int, list[int]],
    cited: Mapping[str, Cited],
) -> Pool:
    """The query's pool; what a query has none of is merged from its subtopics.

    A system without a ranking of the query has each passage at the best rank in its
    subtopics' (``merged_ranking``), a passage that is not judged for the query the
    highest judgment for one of them. The other way round, a system that ranked no
    subtopic has the query's ranking in each.
    """
    rankings = {s: np.frombuffer(blob, "<i4") for s, blob in own_rankings.items()}
    of_subtopics: dict[str, dict[int, NDArray[Any]]] = defaultdict(dict)
    to_merge: dict[int, list[tuple[NDArray[Any], NDArray[Any]]]] = defaultdict(list)
    places = {one.subtopic_id: place for place, one in enumerate(of_query)}
    for subtopic_id, system, numbers, scores in sorted(
        ranked_for, key=lambda one: places[one[0]]
    ):
        ranked = np.frombuffer(numbers, "<i4")
        of_subtopics[subtopic_id][system] = ranked
        to_merge[system].append((ranked, np.frombuffer(scores, "<f8")))
    judged: dict[int, int] = {}
    by_subtopic: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for subtopic_id, number, grade in judged_for:
        by_subtopic[subtopic_id].append((number, grade))
        judged[number] = max(grade, judged.get(number, grade))
    merged = {
        system: merged_ranking(parts, pooled.places_by_id)
        for system, parts in to_merge.items()
        if system not in rankings
    }
    in_all = {s: ranks for s, ranks in rankings.items() if s not in to_merge}
    subtopics = {
        one: pooled.pool(in_all | of_subtopics[one], by_subtopic[one], {})
        for one in places
        if of_subtopics or by_subtopic
    }
    judged.update(own_judgments)
    whole = pooled.pool(rankings | merged, judged.items(), subtopics)
    segments = segments_at(pooled.numbers.tolist(), of_documents)
    if not (len(pooled.gold) or segments or cited):
        return whole
    seen = np.concatenate([one.top.ravel() for one in (whole, *subtopics.values())])

    def alone(positions: Iterable[int]) -> tuple[int, ...]:
        found = np.array([*positions], dtype=np.int64)
        unjudged = whole.judgments[found] == UNJUDGED
        return tuple(found[~np.isin(found, seen) & unjudged].tolist())

    gold = pooled.gold.tolist()
    parts = [one for many in segments.values() for one in many if one not in gold]

    citations = citation_rows(cited, [*pooled.systems.values()], pooled.passage_ids)
    cited_only = alone(np.unique(citations[citations[:, 2] != GAP, 2]))

    def apart(pool: Pool, citations: NDArray[np.int32]) -> Pool:
        return replace(
            pool,
            gold_only=alone(gold),
            segments=segments,
            segment_only=alone(parts),
            citations=citations,
            cited_only=cited_only,
        )

    # A report is of a query: it is ranked in a subtopic where the query's ranking is.
    in_subtopics = [row for row, one in enumerate(pooled.systems) if one in in_all]
    everywhere = citations[np.isin(citations[:, 0], in_subtopics)]
    of_each = {s: apart(one, everywhere) for s, one in subtopics.items()}
    return replace(apart(whole, citations), subtopics=of_each)


def segments_at(
    pool: Sequence[int], segments: Mapping[int, Sequence[int]]
) -> dict[int, tuple[int, ...]]:
    """Positions of the segments of the documents in a pool, by the documents'."""
    if not segments:
        return {}
    places = {number: position for position, number in enumerate(pool)}
    return {
        places[one]: tuple(places[part] for part in parts)
        for one, parts in segments.items()
        if one in places
    }


def read_segments(connection: Connection) -> dict[int, list[int]]:
    """Numbers of the segments of every document, in order, by the document's."""
    return grouped(
        connection.execute(
            "SELECT document, passage FROM segment ORDER BY document, position"
        )
    )


def read_citations(
    connection: Connection, query_id: str | None = None
) -> dict[str, dict[str, Cited]]:
    """What each system's response to a query cites, by query and system.

    Of all queries, or of one: the keys of its responses stand together.
    """
    select = "SELECT key, json FROM extra WHERE entity = ? AND format = 'reports'"
    asked: tuple[str, ...] = (CITATIONS,)
    if query_id is not None:
        select += " AND key > ? || char(9) AND key < ? || char(10)"
        asked += query_id, query_id
    found: dict[str, dict[str, Cited]] = defaultdict(dict)
    for key, text in connection.execute(select, asked):
        topic_id, run_id = key.split("\t")
        found[topic_id][run_id] = from_json(text)
    return found


def positions_of(wanted: Numbers, numbers: Numbers) -> Numbers:
    """Pool position of each passage number, GAP for one outside the pool."""
    if not (len(numbers) and len(wanted)):
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
    with changing(connection, "setting", "key = ?", key):
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
