"""``near``: questions of one query with almost the same meaning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from curator.bank.questions import Question
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store import grades as store_grades
from grading.graders.computed import Encoder
from grading.keys import text_key
from grading.responders import INSTANT, VECTORS
from grading.similarity import Vectors, cosines

# Set on two published banks; docs/proposals.md has the counts.
NEAR_COSINE = 0.90


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The nearest other question, and the cosine, at least NEAR_COSINE."""

    question_id: str
    cosine: float


@cached_in_snapshot
def near(snapshot: Snapshot, query_id: str) -> dict[str, NearDuplicate]:
    """Find the nearest other question of each proposed or kept question, by id.

    A proposal is compared with the kept questions and with earlier proposals, a kept
    question with the kept ones. Uses the stored vectors of the embedding grader; a text
    without a vector has no near duplicate.
    """
    questions = snapshot.bank.questions_of(query_id)
    comparable = [q for q in questions if q.state != "retired" and q.text is not None]
    vectors = _stored_vectors(snapshot, comparable)
    # Kept questions first: a proposal's nearest is a kept question if possible.
    read = [q for q in comparable if q.question_id in vectors]
    if len(read) < 2:
        return {}
    ordered = sorted(read, key=lambda q: q.state != "kept")
    kept = sum(q.state == "kept" for q in ordered)
    texts = [vectors[question.question_id] for question in ordered]
    table = cosines(texts, texts)
    np.fill_diagonal(table, -1.0)
    nearest: dict[str, NearDuplicate] = {}
    for position, question in enumerate(ordered):
        others = table[position, : max(kept, position)]
        if len(others) and (cosine := float(others.max())) >= NEAR_COSINE:
            other = ordered[int(others.argmax())].question_id
            nearest[question.question_id] = NearDuplicate(other, cosine)
    return nearest


def nearest_question(
    snapshot: Snapshot, query_id: str, text: str, encoder: Encoder
) -> Question | None:
    """Find the kept question of the query with the highest cosine to a text."""
    kept = [q for q in snapshot.bank.questions_of(query_id) if q.state == "kept"]
    vectors = _stored_vectors(snapshot, [q for q in kept if q.text is not None])
    if not vectors:
        return None
    (row,) = cosines(encoder.encode([text]), [*vectors.values()])
    nearest = [*vectors][int(row.argmax())]
    return next(q for q in kept if q.question_id == nearest)


def _stored_vectors(
    snapshot: Snapshot, questions: Iterable[Question]
) -> dict[str, Vectors]:
    """Return the stored vectors of questions that have some, by question id."""
    records = [
        record
        for record in snapshot.gradebook.records
        if record.spec.engine in (VECTORS, INSTANT)
    ]
    if not records:
        return {}
    responder_id = store_grades.responder_id_of(
        snapshot.connection, records[0].grader_id
    )
    cache = store_grades.EmbeddingCache(snapshot.connection, responder_id)
    key_of = {q.question_id: text_key((q.text or "").strip()) for q in questions}
    # Vectors of a text never change, and reading them is slower than comparing.
    vectors = snapshot.caches.text_vectors.setdefault(responder_id, {})
    if unread := sorted(set(key_of.values()) - vectors.keys()):
        vectors |= cache.get_many(unread)
    return {name: vectors[key] for name, key in key_of.items() if key in vectors}
