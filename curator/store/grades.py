"""Graders, rating vectors, embeddings and word frequencies."""

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

from curator.bank.edits import Change
from curator.bank.questions import Question
from curator.collection.budgets import Budget
from curator.store import versions
from curator.store.collection import pool_texts
from curator.store.connection import column, rows_in, write_transaction
from curator.store.responses import raw_by_text
from curator.store.texts import (
    answers_from,
    item_ids,
    item_of,
    key_ids,
    key_of,
    stored_item_ids,
)
from grading.ratings import NOT_ASKED, probabilities_of, ratings_of
from grading.responders import (
    AS_GIVEN,
    PROBABILITY_AS_GIVEN,
    GraderSpec,
    Reading,
    Responder,
)
from grading.similarity import Cache, Vectors
from grading.stems import NO_TEXTS, Frequencies

Ratings = NDArray[np.int8]
Vector = NDArray[np.int8] | NDArray[np.float32]
"""By pool position: ratings, or probabilities, from which ratings follow."""
VectorsByItem = dict[str, Vector]  # by vector_key of item and answer key
ItemKey = tuple[int, int]
"""(item id, key id); the key id is 0 if the reading checks no answer key."""


def read_graders(connection: Connection) -> dict[int, GraderSpec]:
    """Return every grader by id, in the order they were added."""
    return {
        grader_id: GraderSpec.from_json(json.loads(spec))
        for grader_id, spec in connection.execute(
            "SELECT grader_id, spec FROM grader ORDER BY grader_id"
        )
    }


def store_grader(connection: Connection, spec: GraderSpec) -> tuple[int, int]:
    """Return (grader id, responder id), storing both if they are new.

    If another grader has the same name, a number is appended.
    """
    connection.executemany(
        "INSERT OR IGNORE INTO responder (sha256, spec) VALUES (?, ?)",
        [
            (responder.key, json.dumps(asdict(responder)))
            for responder in spec.responders
        ],
    )
    select = "SELECT responder_id FROM responder WHERE sha256 = ?"
    (responder_id,) = column(connection, select, spec.responder.key)
    select = "SELECT grader_id FROM grader WHERE sha256 = ?"
    if not column(connection, select, spec.key):
        name = unique_name(spec.name, column(connection, "SELECT name FROM grader"))
        stored = GraderSpec(name, spec.responder, spec.reading)
        row = (spec.key, name, responder_id, json.dumps(stored.to_json()))
        insert = "INSERT INTO grader (sha256, name, responder_id, spec) "
        connection.execute(f"{insert}VALUES (?, ?, ?, ?)", row)
        versions.bump(connection, [versions.GRADERS])
    (grader_id,) = column(connection, select, spec.key)
    return grader_id, responder_id


def unique_name(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number appended if other graders have it."""
    free, number = name, 2
    while free in taken:
        free, number = f"{name} ({number})", number + 1
    return free


def read_budgets(connection: Connection) -> dict[tuple[int, str], Budget]:
    """Return the last budget of each (grader id, query)."""
    return {
        (grader_id, query_id): Budget(depth, sample, seed, bool(judged))
        for grader_id, query_id, depth, sample, seed, judged in connection.execute(
            "SELECT grader_id, query_id, depth, sample, seed, judged FROM budget"
        )
    }


def write_budget(
    connection: Connection,
    grader_id: int,
    query_ids: Iterable[str],
    budget: Budget | None,
) -> None:
    """Set the budget of the grader for these queries; None removes it."""
    stored, queries = read_budgets(connection), list(query_ids)
    if all(stored.get((grader_id, query_id)) == budget for query_id in queries):
        return
    with write_transaction(connection):
        connection.executemany(
            "DELETE FROM budget WHERE grader_id = ? AND query_id = ?",
            [(grader_id, query_id) for query_id in queries],
        )
        if budget is not None:
            connection.executemany(
                "INSERT INTO budget VALUES (?, ?, ?, ?, ?, ?)",
                [(grader_id, query_id, *astuple(budget)) for query_id in queries],
            )
        versions.bump(connection, [versions.GRADERS])


def read_vectors(
    connection: Connection, grader_id: int, query_id: str | None = None
) -> dict[str, VectorsByItem]:
    """Return vectors by item content key, by query; of one query if given.

    They are read-only views of the stored bytes, as long as the pool was when they were
    written.
    """
    vectors: defaultdict[str, VectorsByItem] = defaultdict(dict)
    condition = "" if query_id is None else "AND query_id = :query"
    for query, item_key, answer_key, *blobs in connection.execute(
        "SELECT query_id, item.sha256, answer_key.sha256, ratings, probability "
        "FROM rating_vector JOIN item USING (item_id) JOIN answer_key USING (key_id) "
        f"WHERE grader_id = :grader {condition}",
        {"grader": grader_id, "query": query_id},
    ):
        vectors[query][vector_key(item_key, answer_key)] = vector_from(*blobs)
    return vectors


def has_vectors(connection: Connection, grader_id: int, query_id: str) -> bool:
    select = "SELECT 1 FROM rating_vector WHERE grader_id = ? AND query_id = ? LIMIT 1"
    return bool(column(connection, select, grader_id, query_id))


def vector_from(ratings: bytes, probability: bytes | None) -> Vector:
    """Return the vector of a row: its probabilities if it has any."""
    if probability is None:
        return np.frombuffer(ratings, dtype=np.int8)
    return np.frombuffer(probability, dtype="<f4")


def vector_key(item_key: str, answer_key: str) -> str:
    """Return the key of a vector; ``answer_key`` is "" if none was checked."""
    return f"{item_key} {answer_key}" if answer_key else item_key


def to_numbers(vector: Vector) -> list[float]:
    """Return ratings as integers, probabilities as their shortest exact decimals.

    NOT_ASKED and UNREADABLE are integers in both cases.
    """
    if vector.dtype.kind != "f":
        return [int(grade) for grade in vector.tolist()]
    return [float(str(grade)) if grade >= 0 else int(grade) for grade in vector]


def stored_vectors(
    connection: Connection, grader_id: int
) -> dict[str, dict[ItemKey, Vector]]:
    """Return a grader's stored vectors, by query and (item id, key id)."""
    vectors: defaultdict[str, dict[ItemKey, Vector]] = defaultdict(dict)
    for query_id, item_id, key_id, *blobs in connection.execute(
        "SELECT query_id, item_id, key_id, ratings, probability "
        "FROM rating_vector WHERE grader_id = ?",
        (grader_id,),
    ):
        vectors[query_id][item_id, key_id] = vector_from(*blobs)
    return vectors


def write_vectors(
    connection: Connection,
    grader_id: int,
    query_id: str,
    vectors: Mapping[ItemKey, Vector],
) -> None:
    """Store these items' grades of the query's pool and bump its version."""
    connection.executemany(
        "INSERT INTO rating_vector VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE "
        "SET ratings = excluded.ratings, probability = excluded.probability "
        # A grading that began before the pool grew must not overwrite a later one.
        "WHERE length(excluded.ratings) >= length(ratings)",
        [
            (grader_id, query_id, *item, *_blobs(vector))
            for item, vector in vectors.items()
        ],
    )
    versions.bump(connection, [versions.grades_scope(grader_id, query_id)])


def _blobs(vector: Vector) -> tuple[bytes, bytes | None]:
    """Return a vector as ratings and, if it has them, probabilities.

    Raises ValueError for a number above 1 or NaN, which no grader may give.
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
    transaction, so that concurrent graders of the query lose nothing.
    """
    stored = vectors_of(connection, grader_id, query_id, ratings)
    vectors: dict[ItemKey, Vector] = {}
    for item, by_position in ratings.items():
        new_grades = np.array([*by_position.values()])
        old_grades = stored.get(item, np.empty(0, dtype=new_grades.dtype))
        size = max(len(old_grades), max(by_position) + 1)
        old_grades, new_grades = to_common_type(old_grades, new_grades)
        vector = np.full(size, NOT_ASKED, dtype=old_grades.dtype)
        vector[: len(old_grades)] = old_grades
        vector[list(by_position)] = new_grades
        vectors[item] = vector
    write_vectors(connection, grader_id, query_id, vectors)


def to_common_type(*vectors: NDArray[Any]) -> tuple[Any, ...]:
    """Return all vectors as ratings, or all as probabilities if one of them is."""
    has_probabilities = any(
        vector.dtype.kind == "f" and vector.size for vector in vectors
    )
    return tuple(map(probabilities_of if has_probabilities else ratings_of, vectors))


def vectors_of(
    connection: Connection, grader_id: int, query_id: str, items: Iterable[ItemKey]
) -> dict[ItemKey, Vector]:
    """Return the stored vectors of those items that have any."""
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
    """Derive the grades of one query's pool from the stored responses.

    A passage whose text occurs twice in the pool is rated at both positions.
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
    is_probability = reading.parser == PROBABILITY_AS_GIVEN
    dtype: type[Any] = np.float32 if is_probability else np.int8
    return {
        item: np.array([grades.get(text_id, NOT_ASKED) for text_id in texts]).astype(
            dtype
        )
        for item, grades in by_text.items()
    }


def rederive_ratings(
    connection: Connection, responder_id: int, item_ids: Collection[int]
) -> None:
    """Derive these items' ratings again for every grader based on this responder.

    Includes graders that check its answers. Passages that a grader was not asked about
    stay so; a checking grader has no rating where it has not seen the new answer. Call
    within the transaction that replaces responses.
    """
    select = "SELECT sha256 FROM responder WHERE responder_id = ?"
    (key,) = column(connection, select, responder_id)
    for grader_id, spec in read_graders(connection).items():
        source_id = responder_id_of(connection, grader_id)
        if source_id != responder_id and spec.reading.answers_of != key:
            continue
        select = (
            "SELECT query_id, item_id, key_id, ratings, probability "
            "FROM rating_vector WHERE grader_id = ? AND item_id IN ({})"
        )
        for query_id, item_id, key_id, *blobs in [
            *rows_in(connection, select, item_ids, grader_id)
        ]:
            item, stored = (item_id, key_id), vector_from(*blobs)
            new_grades = vectors_from_responses(
                connection, source_id, spec.reading, query_id, [item]
            )[item][: len(stored)]
            vector = np.where(stored == NOT_ASKED, stored, new_grades)
            if not np.array_equal(vector, stored):
                write_vectors(connection, grader_id, query_id, {item: vector})


def ratings_by_text(
    connection: Connection, responder_id: int, reading: Reading, item: ItemKey
) -> Mapping[int, float]:
    """Return the grade by text id that this reading gives an item's responses."""
    item_id, key_id = item
    if reading.is_imported:
        # If no probability is given, the rating says why.
        grade_column = {
            AS_GIVEN: "given_rating",
            PROBABILITY_AS_GIVEN: "coalesce(given_probability, given_rating)",
        }[reading.parser]
        return dict(
            connection.execute(
                f"SELECT text_id, {grade_column} FROM response "
                "WHERE responder_id = ? AND item_id = ? AND key_id = 0 "
                "AND given_rating IS NOT NULL",
                (responder_id, item_id),
            )
        )
    # These imports load the answer check, which a board does not need.
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


# Grades that a question keeps when its answer key or choices change: a prompt without
# choices stays answered, ratings that use no key stay as they are, and others are read
# again from the same response, without asking the model.


def is_rekeyed(before: Question, after: Question) -> bool:
    """Return True if the key or the choices differ, but not the text."""
    return (before.kind, before.text) == (after.kind, after.text) and (
        key_of(before),
        before.choices,
    ) != (key_of(after), after.choices)


def kept_ratings(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    before: Question,
    after: Question,
) -> Vector | None:
    """Return the grader's grades of the query's pool for the changed question.

    By pool position, derived from what is stored for the old question; None if there is
    nothing, or if the grades are found without this.
    """
    old_item, new_item = item_of(before), item_of(after)
    if new_item != old_item and spec.responder.shows_choices:
        return None
    item_id = stored_item_ids(connection, [old_item]).get(old_item)
    if item_id is None:
        return None
    query_id, reading = after.query_id, spec.reading
    if not reading.reads_answer_keys:
        key = (item_id, 0)
        stored = vectors_of(connection, grader_id, query_id, [key])
        return stored.get(key) if new_item != old_item else None
    if spec.computed or reading.answers_of or not after.answers:
        return None  # computed quickly; a model's scores are for the key it saw
    from grading.readings import read_response

    responder_id = responder_id_of(connection, grader_id)
    ratings = {
        text_id: read_response(
            reading, raw, answers=key_of(after), choices=new_item.choices
        )
        for text_id, raw in raw_by_text(connection, responder_id, item_id).items()
    }
    texts = pool_texts(connection, query_id)
    return np.array(
        [ratings.get(text_id, NOT_ASKED) for text_id, *_ in texts], dtype=np.int8
    )


def fill_gaps(preferred: Vector | None, grades: Vector) -> Vector:
    """Return ``preferred`` with gaps filled from ``grades``."""
    if preferred is None:
        return grades
    preferred, grades = to_common_type(preferred, grades)
    size = max(len(preferred), len(grades))
    merged: Vector = np.full(size, NOT_ASKED, dtype=preferred.dtype)
    merged[: len(grades)] = grades
    merged[: len(preferred)] = np.where(
        preferred == NOT_ASKED, merged[: len(preferred)], preferred
    )
    return merged


def keep_grades(connection: Connection, changes: Sequence[Change]) -> None:
    """Store the grades that questions with changed key or choices keep.

    Call within the transaction that changes them.
    """
    old_questions: dict[str, Question] = {}
    new_questions: dict[str, Question] = {}
    for change in changes:
        if change.before and change.after:
            old_questions.setdefault(change.before.question_id, change.before)
            new_questions[change.after.question_id] = change.after
    rekeyed = [
        (before, new_questions[question_id])
        for question_id, before in old_questions.items()
        if is_rekeyed(before, new_questions[question_id])
    ]
    graders = read_graders(connection) if rekeyed else {}
    for before, after in rekeyed:
        for grader_id, spec in graders.items():
            if not spec.combined:  # those are combined from the ratings of their parts
                _keep_grades(connection, grader_id, spec, before, after)


def _keep_grades(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    before: Question,
    after: Question,
) -> None:
    old_item, new_item = item_of(before), item_of(after)
    if old_item != new_item and not spec.responder.shows_choices:
        ids = item_ids(connection, [old_item, new_item])
        connection.execute(
            "INSERT OR IGNORE INTO response SELECT responder_id, ?, key_id, text_id, "
            "raw, answer, given_rating, given_probability FROM response "
            "WHERE responder_id = ? AND item_id = ? AND key_id = 0",
            (ids[new_item], responder_id_of(connection, grader_id), ids[old_item]),
        )
    ratings = kept_ratings(connection, grader_id, spec, before, after)
    if ratings is None:
        return
    answers = key_of(after) if spec.reading.reads_answer_keys else ()
    key = (
        item_ids(connection, [new_item])[new_item],
        key_ids(connection, [answers])[answers],
    )
    stored = vectors_of(connection, grader_id, after.query_id, [key]).get(key)
    vector = fill_gaps(stored, ratings)
    if stored is None or not np.array_equal(stored, vector):
        write_vectors(connection, grader_id, after.query_id, {key: vector})


class EmbeddingCache(Cache):
    """A responder's text vectors in the workspace, by content key of the text.

    Every ``put_many`` is one transaction, so an interrupted run keeps its batches.
    """

    def __init__(self, connection: Connection, responder_id: int) -> None:
        self._connection = connection
        self.responder_id = responder_id

    def cached_keys(self, keys: Sequence[str]) -> set[str]:
        return {key for key, _, _ in self._rows("sha256, 0, 0", keys)}

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return {
            key: np.frombuffer(blob, dtype="<f2").reshape(-1, dimensions)
            for key, dimensions, blob in self._rows("sha256, dimensions, vectors", keys)
        }

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        rows = [
            (self.responder_id, vectors.shape[1], vectors.astype("<f2").tobytes(), key)
            for key, vectors in values.items()
        ]
        with write_transaction(self._connection):
            # INSERT … SELECT skips a text that was deleted meanwhile.
            self._connection.executemany(
                "INSERT OR IGNORE INTO embedding "
                "SELECT ?, text_id, ?, ? FROM text WHERE sha256 = ?",
                rows,
            )

    def sentence_cache(self, version: str) -> EmbeddingCache:
        """Return the cache of the responder's sentences, empty if none are stored."""
        select = "SELECT spec FROM responder WHERE responder_id = ?"
        (spec,) = column(self._connection, select, self.responder_id)
        key = Responder.from_json(json.loads(spec)).sentence_responder(version).key
        select = "SELECT responder_id FROM responder WHERE sha256 = ?"
        rows = column(self._connection, select, key)
        return EmbeddingCache(self._connection, rows[0] if rows else 0)

    def _rows(
        self, columns: str, keys: Sequence[str]
    ) -> Iterable[tuple[str, int, bytes]]:
        select = (
            f"SELECT {columns} FROM text JOIN embedding USING (text_id) "
            "WHERE responder_id = ? AND sha256 IN ({})"
        )
        return rows_in(self._connection, select, keys, self.responder_id)


def responder_id_of(connection: Connection, grader_id: int) -> int:
    select = "SELECT responder_id FROM grader WHERE grader_id = ?"
    (responder_id,) = column(connection, select, grader_id)
    return int(responder_id)


def count_frequencies(connection: Connection) -> Frequencies:
    """Return the word frequencies of the passages' current texts."""
    return Frequencies.from_texts(
        column(
            connection,
            "SELECT body FROM text WHERE text_id IN (SELECT text_id FROM passage) "
            "ORDER BY text_id",
        )
    )


def write_frequencies(connection: Connection, frequencies: Frequencies) -> None:
    """Store the frequencies under their key, unless they are stored."""
    row = (
        frequencies.key,
        frequencies.texts,
        json.dumps(frequencies.by_stem, separators=(",", ":")),
    )
    connection.execute("INSERT OR IGNORE INTO frequencies VALUES (?, ?, ?)", row)


def read_frequencies(connection: Connection, key: str) -> Frequencies:
    """Return the frequencies of this key, or those of no texts."""
    select = "SELECT texts, by_stem FROM frequencies WHERE sha256 = ?"
    row = connection.execute(select, (key,)).fetchone()
    return NO_TEXTS if row is None else _frequencies(*row)


# Needed for every new text, and parsing takes longer than grading the text.
@lru_cache(maxsize=4)
def _frequencies(texts: int, by_stem: str) -> Frequencies:
    return Frequencies(texts, json.loads(by_stem))
