"""Grades of questions that exist only in a preview; kept in memory, never stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from curator.bank.questions import Bank, Question, active
from curator.collection.pools import Pool
from curator.snapshot.gradebook import GraderRecord, targets_of
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.grades import fill_gaps, is_rekeyed, kept_ratings
from curator.verbs.grading.run_computed import open_computed_grader
from grading.graders.computed import Encoder
from grading.similarity import MemoryCache, Vectors


class OverlayCache(store_grades.EmbeddingCache):
    """Reads the workspace's cached vectors, and keeps new ones in memory only."""

    def __init__(self, connection: sqlite3.Connection, responder_id: int) -> None:
        super().__init__(connection, responder_id)
        self._new = MemoryCache()
        self._sentences: dict[str, OverlayCache] = {}

    def cached_keys(self, keys: Sequence[str]) -> set[str]:
        return super().cached_keys(keys) | self._new.cached_keys(keys)

    def get_many(self, keys: Sequence[str]) -> dict[str, Vectors]:
        return super().get_many(keys) | self._new.get_many(keys)

    def put_many(self, values: Mapping[str, Vectors]) -> None:
        self._new.put_many(values)

    def sentence_cache(self, version: str) -> OverlayCache:
        if version not in self._sentences:
            stored = super().sentence_cache(version)
            new = OverlayCache(self._connection, stored.responder_id)
            self._sentences[version] = new
        return self._sentences[version]


def preview_grades(
    snapshot: Snapshot,
    grader: str,
    after: Bank,
    *,
    encoder: Encoder | None = None,
) -> Snapshot:
    """Add the grades that a bank's new texts would get to the gradebook.

    Only queries that differ from the current bank are graded. Returns the same state
    where the grader cannot answer at once, or nothing is new. Raises GradingError where
    the model is missing.
    """
    record = snapshot.grader(grader)
    if record.spec.learned:
        for part in record.parts:
            snapshot = preview_grades(snapshot, part.name, after, encoder=encoder)
        return snapshot
    if not record.spec.computed:
        return snapshot  # prompted models are too slow for a preview
    gradebook, kind = snapshot.gradebook, record.spec.reading.item_kind
    for query_id in snapshot.query_ids():
        if after.questions_of(query_id) is snapshot.bank.questions_of(query_id):
            continue
        pool = snapshot.collection.pools[query_id]
        existing = active(snapshot.bank.questions_of(query_id), kind)
        existing_keys = {target.key for target in targets_of(record, existing)}
        questions = active(after.questions_of(query_id), kind)
        new = [
            question
            for question in snapshot.gradebook.missing_items(record, pool, questions)
            if targets_of(record, [question])[0].key not in existing_keys
        ]
        if new and pool.size:
            ratings = _ratings(snapshot.connection, record, pool, new, encoder)
            gradebook = gradebook.with_vectors(record, query_id, ratings)
    return snapshot.with_gradebook(gradebook)


def with_kept_grades(snapshot: Snapshot, grader: str, after: Bank) -> Snapshot:
    """Add the grades that questions keep when their key or choices change.

    As when saved: grades that depend on the key are derived again, others stay.
    """
    record, gradebook = snapshot.grader(grader), snapshot.gradebook
    for member in (*record.parts, record):
        for query_id, questions in after.by_query.items():
            unchanged = questions is snapshot.bank.questions_of(query_id)
            if member.spec.combined or unchanged:
                continue
            kept: store_grades.VectorsByItem = {}
            for question in questions:
                before = snapshot.bank.find(query_id, question.question_id)
                if before is None or not is_rekeyed(before, question):
                    continue
                ratings = kept_ratings(
                    snapshot.connection,
                    member.grader_id,
                    member.spec,
                    before,
                    question,
                )
                if ratings is not None:
                    (target,) = targets_of(member, [question])
                    existing = gradebook.vectors(member, query_id).get(target.key)
                    kept[target.key] = fill_gaps(existing, ratings)
            if kept:
                gradebook = gradebook.with_vectors(member, query_id, kept)
    return snapshot.with_gradebook(gradebook)


def _ratings(
    connection: sqlite3.Connection,
    record: GraderRecord,
    pool: Pool,
    questions: Sequence[Question],
    encoder: Encoder | None,
) -> store_grades.VectorsByItem:
    responder_id = store_grades.responder_id_of(connection, record.grader_id)
    cache = OverlayCache(connection, responder_id)
    grader = open_computed_grader(connection, record, cache=cache, encoder=encoder)
    targets = targets_of(record, questions)
    stored = store_collection.pool_texts(connection, pool.query_id)
    rows = grader.grade(
        [target.item for target in targets],
        # An import may have added to the pool since this snapshot was read.
        [body for _, _, body in stored[: pool.size]],
        [target.answers for target in targets],
    )
    return {target.key: row for target, row in zip(targets, rows, strict=True)}
