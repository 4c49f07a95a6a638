"""Graders, responses, vectors and words of texts, and the rating vectors from them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from functools import lru_cache
from sqlite3 import Connection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator.collection.budgets import Budget
from curator.store import versions
from curator.store.connection import column, exclusive, rows_in
from curator.store.digests import adding, changing
from curator.store.responses import raw_by_text
from curator.store.texts import answers_from
from grading.cache import Cache
from grading.frequencies import NO_TEXTS, Frequencies
from grading.ratings import NOT_ASKED, probabilities_of, ratings_of
from grading.responders import (
    AS_GIVEN,
    PROBABILITY_AS_GIVEN,
    GraderSpec,
    Reading,
    Responder,
)
from grading.similarity import Vectors

Ratings = NDArray[np.int8]
Vector = NDArray[np.int8] | NDArray[np.float32]
"""By pool position: ratings, or probabilities, from which ratings follow."""
VectorsByItem = dict[str, Vector]  # by what vector_key makes of item and answer key
ItemKey = tuple[int, int]
"""item id, key id; 0 where the reading checks no answer key"""


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
    with adding(connection, "responder", "responder_id"):
        connection.executemany(
            "INSERT OR IGNORE INTO responder (sha256, spec) VALUES (?, ?)",
            [(one.key, json.dumps(asdict(one))) for one in spec.responders],
        )
    select = "SELECT responder_id FROM responder WHERE sha256 = ?"
    (responder_id,) = column(connection, select, spec.responder.key)
    select = "SELECT grader_id FROM grader WHERE sha256 = ?"
    if not column(connection, select, spec.key):
        name = numbered(spec.name, column(connection, "SELECT name FROM grader"))
        stored = GraderSpec(name, spec.responder, spec.reading)
        row = (spec.key, name, responder_id, json.dumps(stored.to_json()))
        insert = "INSERT INTO grader (sha256, name, responder_id, spec) "
        with adding(connection, "grader", "grader_id"):
            connection.execute(f"{insert}VALUES (?, ?, ?, ?)", row)
        versions.bump(connection, [versions.GRADERS])
    (grader_id,) = column(connection, select, spec.key)
    return grader_id, responder_id


def numbered(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where other graders bear it."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free


def read_budgets(connection: Connection) -> dict[tuple[int, str], Budget]:
    """What graders were told last to leave out, by (grader id, query)."""
    return {
        (grader_id, query_id): Budget(depth, sample, seed, bool(judged))
        for grader_id, query_id, depth, sample, seed, judged in connection.execute(
            "SELECT grader_id, query_id, depth, sample, seed, judged FROM budget"
        )
    }


def keep_budget(
    connection: Connection,
    grader_id: int,
    query_ids: Iterable[str],
    budget: Budget | None,
) -> None:
    """Say under which budget the grader is asked about these queries from now on."""
    stored, rows = read_budgets(connection), list(query_ids)
    if all(stored.get((grader_id, one)) == budget for one in rows):
        return
    with exclusive(connection), changing(connection, "budget"):
        connection.executemany(
            "DELETE FROM budget WHERE grader_id = ? AND query_id = ?",
            [(grader_id, one) for one in rows],
        )
        if budget is not None:
            connection.executemany(
                "INSERT INTO budget VALUES (?, ?, ?, ?, ?, ?)",
                [(grader_id, one, *astuple(budget)) for one in rows],
            )
        versions.bump(connection, [versions.GRADERS])


def read_vectors(
    connection: Connection, grader_id: int, query_id: str | None = None
) -> dict[str, VectorsByItem]:
    """Vectors by item content key, by query; of one query if given.

    Read-only views of what is stored: as long as the pool was when they were written.
    """
    vectors: defaultdict[str, VectorsByItem] = defaultdict(dict)
    of_query = "" if query_id is None else "AND query_id = :query"
    for query, item_key, answer_key, *blobs in connection.execute(
        "SELECT query_id, item.sha256, answer_key.sha256, ratings, probability "
        "FROM rating_vector JOIN item USING (item_id) JOIN answer_key USING (key_id) "
        f"WHERE grader_id = :grader {of_query}",
        {"grader": grader_id, "query": query_id},
    ):
        vectors[query][vector_key(item_key, answer_key)] = vector_from(*blobs)
    return vectors


def has_vectors(connection: Connection, grader_id: int, query_id: str) -> bool:
    """Whether the grader has any vector of the query."""
    select = "SELECT 1 FROM rating_vector WHERE grader_id = ? AND query_id = ? LIMIT 1"
    return bool(column(connection, select, grader_id, query_id))


def vector_from(ratings: bytes, probability: bytes | None) -> Vector:
    """The vector of a row: its probabilities where it has them."""
    if probability is None:
        return np.frombuffer(ratings, dtype=np.int8)
    return np.frombuffer(probability, dtype="<f4")


def vector_key(item_key: str, answer_key: str) -> str:
    """What a vector is found by; ``answer_key`` is "" where none was checked."""
    return f"{item_key} {answer_key}" if answer_key else item_key


def as_stated(vector: Vector) -> list[float]:
    """Ratings as integers, probabilities as the shortest decimals that are them.

    NOT_ASKED and UNREADABLE are integers in either.
    """
    if vector.dtype.kind != "f":
        return [int(one) for one in vector.tolist()]
    return [float(str(one)) if one >= 0 else int(one) for one in vector]


def stored_vectors(
    connection: Connection, grader_id: int
) -> dict[tuple[str, ItemKey], Vector]:
    """A grader's vectors as they are stored, by (query, (item id, key id))."""
    return {
        (query_id, (item_id, key_id)): vector_from(*blobs)
        for query_id, item_id, key_id, *blobs in connection.execute(
            "SELECT query_id, item_id, key_id, ratings, probability "
            "FROM rating_vector WHERE grader_id = ?",
            (grader_id,),
        )
    }


def write_vectors(
    connection: Connection,
    grader_id: int,
    query_id: str,
    vectors: Mapping[ItemKey, Vector],
) -> None:
    """Store these items' grades of the query's pool and bump its version."""
    where = "grader_id = ? AND query_id = ? AND item_id IN "
    where += "(SELECT value FROM json_each(?))"
    items = json.dumps(sorted({item_id for item_id, _ in vectors}))
    with changing(connection, "rating_vector", where, grader_id, query_id, items):
        connection.executemany(
            "INSERT INTO rating_vector VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
            "SET ratings = excluded.ratings, probability = excluded.probability "
            # A grading that began before the pool grew must not undo one that began
            # after.
            "WHERE length(excluded.ratings) >= length(ratings)",
            [
                (grader_id, query_id, *item, *_blobs(vector))
                for item, vector in vectors.items()
            ],
        )
    versions.bump(connection, [versions.grades(grader_id, query_id)])


def _blobs(vector: Vector) -> tuple[bytes, bytes | None]:
    """A vector as a row has it: its ratings, and its probabilities if it is of these.

    Raises ValueError for a number above 1, or none: no grader may give that.
    """
    if vector.dtype.kind != "f":
        return ratings_of(vector).tobytes(), None
    if not np.all(vector <= 1):
        raise ValueError("a probability is at most 1")
    return ratings_of(vector).tobytes(), vector.astype("<f4").tobytes()


def write_ratings(
    connection: Connection,
    grader_id: int,
    query_id: str,
    ratings: Mapping[ItemKey, Mapping[int, float]],
) -> None:
    """Store each item's grades by pool position; other positions stay as they are.

    Integers are ratings; an item of floats has probabilities. Call within a write
    transaction: whoever grades the same query at the same time loses nothing.
    """
    stored = vectors_of(connection, grader_id, query_id, ratings)
    vectors: dict[ItemKey, Vector] = {}
    for item, by_position in ratings.items():
        given = np.array([*by_position.values()])
        known = stored.get(item, np.empty(0, dtype=given.dtype))
        size = max(len(known), max(by_position) + 1)
        known, given = alike(known, given)
        vector = np.full(size, NOT_ASKED, dtype=known.dtype)
        vector[: len(known)] = known
        vector[list(by_position)] = given
        vectors[item] = vector
    write_vectors(connection, grader_id, query_id, vectors)


def alike(*vectors: NDArray[Any]) -> tuple[Any, ...]:
    """The vectors as ratings, or all as probabilities if one of them is of these."""
    of_probabilities = any(one.dtype.kind == "f" and one.size for one in vectors)
    return tuple(map(probabilities_of if of_probabilities else ratings_of, vectors))


def vectors_of(
    connection: Connection, grader_id: int, query_id: str, items: Iterable[ItemKey]
) -> dict[ItemKey, Vector]:
    """Vectors as they are stored, for those of the items that have any."""
    select = (
        "SELECT ratings, probability FROM rating_vector WHERE grader_id = ? "
        "AND query_id = ? AND item_id = ? AND key_id = ?"
    )
    return {
        item: vector_from(*blobs)
        for item in items
        for blobs in connection.execute(select, (grader_id, query_id, *item))
    }


def vectors_from_responses(
    connection: Connection,
    responder_id: int,
    reading: Reading,
    query_id: str,
    items: Iterable[ItemKey],
) -> dict[ItemKey, Vector]:
    """Grades of one query's pool, read again from the stored responses.

    A passage whose text stands twice in the pool is rated at both places.
    """
    texts = column(
        connection,
        "SELECT text_id FROM pool JOIN passage ON passage.number = pool.passage "
        "WHERE query_id = ? ORDER BY position",
        query_id,
    )
    by_text = {
        item: ratings_by_text(connection, responder_id, reading, item) for item in items
    }
    given = reading.parser == PROBABILITY_AS_GIVEN
    dtype: type[Any] = np.float32 if given else np.int8
    return {
        item: np.array([grades.get(one, NOT_ASKED) for one in texts]).astype(dtype)
        for item, grades in by_text.items()
    }


def reread_items(
    connection: Connection, responder_id: int, item_ids: Collection[int]
) -> None:
    """Rate these items anew for every grader that reads this responder's responses.

    Those that check its answers too. What a grader has not been asked it is not asked
    now; one that checks has no rating where it has not seen the new answer yet. Call
    within the transaction that replaces responses.
    """
    select = "SELECT sha256 FROM responder WHERE responder_id = ?"
    (key,) = column(connection, select, responder_id)
    for grader_id, spec in read_graders(connection).items():
        read_from = responder_id_of(connection, grader_id)
        if read_from != responder_id and spec.reading.answers_of != key:
            continue
        select = (
            "SELECT query_id, item_id, key_id, ratings, probability "
            "FROM rating_vector WHERE grader_id = ? AND item_id IN ({})"
        )
        for query_id, item_id, key_id, *blobs in [
            *rows_in(connection, select, item_ids, grader_id)
        ]:
            item, stored = (item_id, key_id), vector_from(*blobs)
            again = vectors_from_responses(
                connection, read_from, spec.reading, query_id, [item]
            )[item][: len(stored)]
            vector = np.where(stored == NOT_ASKED, stored, again)
            if not np.array_equal(vector, stored):
                write_vectors(connection, grader_id, query_id, {item: vector})


def ratings_by_text(
    connection: Connection, responder_id: int, reading: Reading, item: ItemKey
) -> Mapping[int, float]:
    """Grade by text id that this reading gives to an item's stored responses."""
    item_id, key_id = item
    if reading.as_given:
        # Where no probability is given, the rating says why.
        given = {
            AS_GIVEN: "given_rating",
            PROBABILITY_AS_GIVEN: "coalesce(given_probability, given_rating)",
        }[reading.parser]
        return dict(
            connection.execute(
                f"SELECT text_id, {given} FROM response "
                "WHERE responder_id = ? AND item_id = ? AND key_id = 0 "
                "AND given_rating IS NOT NULL",
                (responder_id, item_id),
            )
        )
    # Behind these imports stands the answer check; a board has no use for it.
    if reading.answers_of:
        from curator.store.responses import checked_ratings

        return checked_ratings(connection, responder_id, reading, item)
    from grading.readings import read_response

    choices, answers = connection.execute(
        "SELECT choices, answers FROM item, answer_key WHERE item_id = ? "
        "AND key_id = ?",
        (item_id, key_id),
    ).fetchone()
    pairs = tuple((letter, text) for letter, text in json.loads(choices))
    key = answers_from(answers)
    return {
        text_id: read_response(reading, raw, answers=key, choices=pairs)
        for text_id, raw in raw_by_text(connection, responder_id, item_id).items()
    }


class EmbeddingCache(Cache):
    """A responder's text vectors in the workspace, by the texts' content keys.

    Every ``put_many`` is one transaction, so an interrupted run keeps its batches.
    """

    def __init__(self, connection: Connection, responder_id: int) -> None:
        self._connection = connection
        self.responder_id = responder_id

    def known(self, keys: Sequence[str]) -> set[str]:
        return {key for key, _, _ in self._rows("sha256, 0, 0", keys)}

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {
            key: np.frombuffer(blob, dtype="<f2").reshape(-1, dimensions)
            for key, dimensions, blob in self._rows("sha256, dimensions, vectors", keys)
        }

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        rows = [
            (self.responder_id, one.shape[1], one.astype("<f2").tobytes(), key)
            for key, one in values.items()
        ]
        texts = "responder_id = ? AND text_id IN (SELECT text_id FROM text WHERE "
        texts += "sha256 IN (SELECT value FROM json_each(?)))"
        given = self.responder_id, json.dumps(list(values))
        moving = changing(self._connection, "embedding", texts, *given)
        with exclusive(self._connection), moving:
            # A text that is in no table is nobody's; INSERT … SELECT leaves it out.
            self._connection.executemany(
                "INSERT OR IGNORE INTO embedding "
                "SELECT ?, text_id, ?, ? FROM text WHERE sha256 = ?",
                rows,
            )

    def sentence_cache(self, version: str) -> EmbeddingCache:
        """That of the responder's sentences, empty before a grader reads these."""
        select = "SELECT spec FROM responder WHERE responder_id = ?"
        (spec,) = column(self._connection, select, self.responder_id)
        key = Responder.from_json(json.loads(spec)).sentence_responder(version).key
        select = "SELECT responder_id FROM responder WHERE sha256 = ?"
        found = column(self._connection, select, key)
        return EmbeddingCache(self._connection, found[0] if found else 0)

    def _rows(
        self, columns: str, keys: Sequence[str]
    ) -> Iterable[tuple[str, int, bytes]]:
        select = (
            f"SELECT {columns} FROM text JOIN embedding USING (text_id) "
            "WHERE responder_id = ? AND sha256 IN ({})"
        )
        return rows_in(self._connection, select, keys, self.responder_id)


def responder_id_of(connection: Connection, grader_id: int) -> int:
    """The responder whose responses this grader reads."""
    select = "SELECT responder_id FROM grader WHERE grader_id = ?"
    (responder_id,) = column(connection, select, grader_id)
    return int(responder_id)


def counted_frequencies(connection: Connection) -> Frequencies:
    """Those of the texts that passages have now."""
    return Frequencies.of(
        column(
            connection,
            "SELECT body FROM text WHERE text_id IN (SELECT text_id FROM passage) "
            "ORDER BY text_id",
        )
    )


def write_frequencies(connection: Connection, found: Frequencies) -> None:
    """Store them under their key, once."""
    row = (found.key, found.texts, json.dumps(found.by_stem, separators=(",", ":")))
    with changing(connection, "frequencies", "sha256 = ?", found.key):
        connection.execute("INSERT OR IGNORE INTO frequencies VALUES (?, ?, ?)", row)


def read_frequencies(connection: Connection, key: str) -> Frequencies:
    """Those of this key; of no texts where there are none, as for the key ""."""
    select = "SELECT texts, by_stem FROM frequencies WHERE sha256 = ?"
    found = connection.execute(select, (key,)).fetchone()
    return NO_TEXTS if found is None else _frequencies(*found)


# Every new text asks for them, and to parse them takes longer than to grade it.
@lru_cache(maxsize=4)
def _frequencies(texts: int, by_stem: str) -> Frequencies:
    return Frequencies(texts, json.loads(by_stem))
