"""Grades of questions that exist only in a preview, kept in memory and never stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from curator.bank.questions import Bank, Question, active
from curator.collection.pools import Pool
from curator.engine.gradebook import GraderRecord, targets_of
from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.kept_grades import filled, is_rekeyed, kept_ratings
from curator.verbs.grading.run_computed import opened_grader
from grading.cache import MemoryCache
from grading.graders.computed import Encoder
from grading.similarity import Vectors


class UnwrittenCache(store_grades.EmbeddingCache):
    """What the workspace knows of a responder, and new vectors beside it in memory."""

    def __init__(self, connection: sqlite3.Connection, responder_id: int) -> None:
        super().__init__(connection, responder_id)
        self._new = MemoryCache()
        self._sentences: dict[str, UnwrittenCache] = {}

    def known(self, keys: Sequence[str]) -> set[str]:
        return super().known(keys) | self._new.known(keys)

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return super().get_many(keys) | self._new.get_many(keys)

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        self._new.put_many(values)

    def sentence_cache(self, version: str) -> UnwrittenCache:
        if version not in self._sentences:
            stored = super().sentence_cache(version)
            new = UnwrittenCache(self._connection, stored.responder_id)
            self._sentences[version] = new
        return self._sentences[version]


def with_supposed_grades(
    state: State,
    grader: str,
    after: Bank,
    *,
    encoder: Encoder | None = None,
) -> State:
    """The boards with the grades that a bank's new texts would get.

    Only queries that differ from the bank as it is are looked at. The same boards
    where the grader cannot answer at once, or nothing is new. Raises GradingError
    where the model is missing.
    """
    record = state.grader(grader)
    if record.spec.learned:
        for part in record.parts:
            state = with_supposed_grades(state, part.name, after, encoder=encoder)
        return state
    if not record.spec.computed:
        return state  # a model that answers prompts is not waited for
    gradebook, kind = state.gradebook, record.spec.reading.item_kind
    for query_id in state.query_ids():
        if after.of_query(query_id) is state.bank.of_query(query_id):
            continue
        pool = state.collection.pools[query_id]
        stood = active(state.bank.of_query(query_id), kind)
        before = {one.key for one in targets_of(record, stood)}
        asked = active(after.of_query(query_id), kind)
        new = [
            question
            for question in state.gradebook.missing_items(record, pool, asked)
            if targets_of(record, [question])[0].key not in before
        ]
        if new and pool.size:
            ratings = _ratings(state.connection, record, pool, new, encoder)
            gradebook = gradebook.with_vectors(record, query_id, ratings)
    return state.with_gradebook(gradebook)


def with_kept_grades(state: State, grader: str, after: Bank) -> State:
    """The boards with the grades that questions of another key or choices keep.

    As a save would keep them: what looks at the key is read anew, the rest stays.
    """
    record, gradebook = state.grader(grader), state.gradebook
    for one in (*record.parts, record):
        for query_id, questions in after.by_query.items():
            if one.spec.combined or questions is state.bank.of_query(query_id):
                continue
            kept: store_grades.VectorsByItem = {}
            for question in questions:
                before = state.bank.find(query_id, question.question_id)
                if before is None or not is_rekeyed(before, question):
                    continue
                ratings = kept_ratings(
                    state.connection, one.grader_id, one.spec, before, question
                )
                (target,) = targets_of(one, [question])
                if ratings is not None:
                    known = gradebook.vectors(one, query_id).get(target.key)
                    kept[target.key] = filled(known, ratings)
            if kept:
                gradebook = gradebook.with_vectors(one, query_id, kept)
    return state.with_gradebook(gradebook)


def _ratings(
    connection: sqlite3.Connection,
    record: GraderRecord,
    pool: Pool,
    questions: Sequence[Question],
    encoder: Encoder | None,
) -> store_grades.VectorsByItem:
    """Grades of the query's pool by the questions' content keys."""
    responder_id = store_grades.responder_id_of(connection, record.grader_id)
    cache = UnwrittenCache(connection, responder_id)
    grader = opened_grader(connection, record, cache=cache, encoder=encoder)
    targets = targets_of(record, questions)
    stored = store_collection.pool_texts(connection, pool.query_id)
    rows = grader.grade(
        [one.item for one in targets],
        # An import may have added to the pool since these boards were read.
        [body for _, _, body in stored[: pool.size]],
        [one.answers for one in targets],
    )
    return {one.key: row for one, row in zip(targets, rows, strict=True)}
