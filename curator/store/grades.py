"""Graders, responses, embeddings and the rating vectors derived from them."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from curator.store import clocks
from curator.store.connection import exclusive
from grading.cache import Cache
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec
from grading.similarity import Vectors

Connection = sqlite3.Connection
Ratings = NDArray[np.int8]
VectorsByItem = dict[str, Ratings]  # by the item's content key

_IN = 900


def read_graders(connection: Connection) -> dict[int, GraderSpec]:
    """Every grader by id, in the order they came in."""
    return {
        grader_id: GraderSpec.from_json(json.loads(spec))
        for grader_id, spec in connection.execute(
            "SELECT grader_id, spec FROM grader ORDER BY grader_id"
        )
    }


def grader_id_of(connection: Connection, spec: GraderSpec) -> tuple[int, int]:
    """(grader id, responder id), storing both if they are new.

    A name already borne by another grader gets a number: two graders are never one.
    """
    connection.execute(
        "INSERT OR IGNORE INTO responder (sha256, spec) VALUES (?, ?)",
        (spec.responder.key, json.dumps(spec.to_json()["responder"])),
    )
    (responder_id,) = connection.execute(
        "SELECT responder_id FROM responder WHERE sha256 = ?", (spec.responder.key,)
    ).fetchone()
    row = connection.execute(
        "SELECT grader_id FROM grader WHERE sha256 = ?", (spec.key,)
    ).fetchone()
    if row is None:
        names = {name for (name,) in connection.execute("SELECT name FROM grader")}
        name, number = spec.name, 2
        while name in names:
            name, number = f"{spec.name} ({number})", number + 1
        stored = GraderSpec(name, spec.responder, spec.reading)
        cursor = connection.execute(
            "INSERT INTO grader (sha256, name, responder_id, spec) VALUES (?, ?, ?, ?)",
            (spec.key, name, responder_id, json.dumps(stored.to_json())),
        )
        clocks.bump(connection, [clocks.GRADERS])
        return int(cursor.lastrowid or 0), responder_id
    return int(row[0]), responder_id


def read_vectors(
    connection: Connection, grader_id: int, query_id: str | None = None
) -> dict[str, VectorsByItem]:
    """Ratings by pool position, by item content key, by query; of one query if given.

    Read-only views of what is stored: as long as the pool was when they were written.
    """
    vectors: defaultdict[str, VectorsByItem] = defaultdict(dict)
    for query, key, blob in connection.execute(
        "SELECT query_id, sha256, ratings FROM rating_vector JOIN item USING (item_id) "
        "WHERE grader_id = :grader AND (:query IS NULL OR query_id = :query)",
        {"grader": grader_id, "query": query_id},
    ):
        vectors[query][key] = np.frombuffer(blob, dtype=np.int8)
    return vectors


def vector_bytes(
    connection: Connection, grader_id: int
) -> dict[tuple[str, int], bytes]:
    """A grader's vectors as they are stored, by (query, item id)."""
    return {
        (query_id, item_id): ratings
        for query_id, item_id, ratings in connection.execute(
            "SELECT query_id, item_id, ratings FROM rating_vector WHERE grader_id = ?",
            (grader_id,),
        )
    }


def write_vectors(
    connection: Connection,
    grader_id: int,
    query_id: str,
    ratings_by_item_id: Mapping[int, Ratings],
) -> None:
    """Store these items' ratings of the query's pool and bump its grades clock."""
    connection.executemany(
        "INSERT INTO rating_vector (grader_id, query_id, item_id, ratings) "
        "VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET ratings = excluded.ratings "
        # A grading that began before the pool grew must not undo one that began after.
        "WHERE length(excluded.ratings) >= length(ratings)",
        [
            (grader_id, query_id, item_id, ratings.astype(np.int8).tobytes())
            for item_id, ratings in ratings_by_item_id.items()
        ],
    )
    clocks.bump(connection, [clocks.grades(grader_id, query_id)])


def write_ratings(
    connection: Connection,
    grader_id: int,
    query_id: str,
    ratings_by_item_id: Mapping[int, Ratings],
    positions: NDArray[np.intp],
) -> None:
    """Store these items' ratings of some pool positions; the others stay as they are.

    Each item's ratings stand in the order of ``positions``. Call within a write
    transaction: whoever grades the same query at the same time loses nothing.
    """
    stored = vectors_of(connection, grader_id, query_id, list(ratings_by_item_id))
    vectors = {}
    for item_id, ratings in ratings_by_item_id.items():
        known = stored.get(item_id, np.empty(0, dtype=np.int8))
        size = max(len(known), int(positions.max()) + 1)
        vector = np.full(size, NOT_ASKED, dtype=np.int8)
        vector[: len(known)] = known
        vector[positions] = ratings
        vectors[item_id] = vector
    write_vectors(connection, grader_id, query_id, vectors)


def vectors_of(
    connection: Connection, grader_id: int, query_id: str, item_ids: Sequence[int]
) -> dict[int, Ratings]:
    """Ratings by item id as they are stored, for those of the items that have any."""
    found: dict[int, Ratings] = {}
    for start in range(0, len(item_ids), _IN):
        part = item_ids[start : start + _IN]
        marks = ",".join("?" * len(part))
        for item_id, blob in connection.execute(
            "SELECT item_id, ratings FROM rating_vector WHERE grader_id = ? "
            f"AND query_id = ? AND key_id = 0 AND item_id IN ({marks})",
            [grader_id, query_id, *part],
        ):
            found[item_id] = np.frombuffer(blob, dtype=np.int8)
    return found


def vectors_from_responses(
    connection: Connection, responder_id: int, query_id: str, item_ids: Iterable[int]
) -> dict[int, Ratings]:
    """Ratings by item id of one query's pool, rebuilt from responses as given.

    A passage whose text stands twice in the pool is rated at both places.
    """
    texts = [
        text_id
        for (text_id,) in connection.execute(
            "SELECT text_id FROM pool JOIN passage ON passage.number = pool.passage "
            "WHERE query_id = ? ORDER BY position",
            (query_id,),
        )
    ]
    ratings: dict[int, Ratings] = {}
    for item_id in item_ids:
        given = dict(
            connection.execute(
                "SELECT text_id, given_rating FROM response "
                "WHERE responder_id = ? AND item_id = ? AND key_id = 0 "
                "AND given_rating IS NOT NULL",
                (responder_id, item_id),
            )
        )
        ratings[item_id] = np.array(
            [given.get(text_id, NOT_ASKED) for text_id in texts], dtype=np.int8
        )
    return ratings


class EmbeddingCache(Cache[Vectors]):
    """A responder's text vectors in the workspace, by the texts' content keys.

    Every ``put_many`` is one transaction, so an interrupted run keeps its batches.
    """

    def __init__(self, connection: Connection, responder_id: int) -> None:
        self._connection = connection
        self._responder_id = responder_id

    def known(self, keys: Sequence[str]) -> set[str]:
        return {key for key, _, _ in self._rows("sha256, 0, 0", keys)}

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {
            key: np.frombuffer(blob, dtype="<f2").reshape(-1, dimensions)
            for key, dimensions, blob in self._rows("sha256, dimensions, vectors", keys)
        }

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        rows = [
            (
                self._responder_id,
                vectors.shape[1],
                vectors.astype("<f2").tobytes(),
                key,
            )
            for key, vectors in values.items()
        ]
        with exclusive(self._connection):
            # A text that is in no table is nobody's; INSERT … SELECT leaves it out.
            self._connection.executemany(
                "INSERT OR IGNORE INTO embedding "
                "SELECT ?, text_id, ?, ? FROM text WHERE sha256 = ?",
                rows,
            )

    def _rows(
        self, columns: str, keys: Sequence[str]
    ) -> Iterable[tuple[str, int, bytes]]:
        for start in range(0, len(keys), _IN):
            part = keys[start : start + _IN]
            marks = ",".join("?" * len(part))
            yield from self._connection.execute(
                f"SELECT {columns} FROM text JOIN embedding USING (text_id) "
                f"WHERE responder_id = ? AND sha256 IN ({marks})",
                [self._responder_id, *part],
            )


def responder_id_of(connection: Connection, grader_id: int) -> int:
    """The responder whose responses this grader reads."""
    (responder_id,) = connection.execute(
        "SELECT responder_id FROM grader WHERE grader_id = ?", (grader_id,)
    ).fetchone()
    return int(responder_id)


def item_text_keys(connection: Connection, item_ids: Sequence[int]) -> dict[int, str]:
    """Content key of the text by item id, for items whose text is published."""
    found: dict[int, str] = {}
    for start in range(0, len(item_ids), _IN):
        part = item_ids[start : start + _IN]
        marks = ",".join("?" * len(part))
        found.update(
            connection.execute(
                "SELECT item_id, text.sha256 FROM item JOIN text USING (text_id) "
                f"WHERE item_id IN ({marks})",
                list(part),
            )
        )
    return found
