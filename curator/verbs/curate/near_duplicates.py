"""``near``: questions of one query with almost the same meaning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from curator.engine.state import State
from curator.store import grades as store_grades
from grading.keys import text_key
from grading.responders import INSTANT, VECTORS
from grading.similarity import cosines

# Set on two published banks; docs/proposals.md has the counts.
NEAR_COSINE = 0.90


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The nearest other question, and the cosine, at least NEAR_COSINE."""

    question_id: str
    cosine: float


def near(state: State, query_id: str) -> dict[str, NearDuplicate]:
    """Find the nearest other question of each proposed or kept question, by id.

    A proposal is compared with the kept questions and with earlier proposals, a kept
    question with the kept ones. Uses the stored vectors of the embedding grader; a text
    without a vector has no near duplicate.
    """
    return state.cached(
        ("near", query_id), lambda: _find_near_duplicates(state, query_id)
    )


def _find_near_duplicates(state: State, query_id: str) -> dict[str, NearDuplicate]:
    records = [
        record
        for record in state.gradebook.records
        if record.spec.engine in (VECTORS, INSTANT)
    ]
    comparable = [
        question
        for question in state.bank.questions_of(query_id)
        if question.state != "retired" and question.text is not None
    ]
    if not records or len(comparable) < 2:
        return {}
    responder_id = store_grades.responder_id_of(state.connection, records[0].grader_id)
    cache = store_grades.EmbeddingCache(state.connection, responder_id)
    key_of = {q.question_id: text_key((q.text or "").strip()) for q in comparable}
    # Vectors of a text never change, and reading them is slower than comparing.
    vectors = state.caches.text_vectors.setdefault(responder_id, {})
    if unread := sorted(set(key_of.values()) - vectors.keys()):
        vectors |= cache.get_many(unread)
    # Kept questions first: a proposal's nearest is a kept question if possible.
    read = [q for q in comparable if key_of[q.question_id] in vectors]
    ordered = sorted(read, key=lambda q: q.state != "kept")
    kept = sum(q.state == "kept" for q in ordered)
    texts = [vectors[key_of[question.question_id]] for question in ordered]
    table = cosines(texts, texts)
    np.fill_diagonal(table, -1.0)
    nearest_by_id: dict[str, NearDuplicate] = {}
    for position, question in enumerate(ordered):
        others = table[position, : max(kept, position)]
        if len(others) and others.max() >= NEAR_COSINE:
            nearest = ordered[int(others.argmax())].question_id
            nearest_by_id[question.question_id] = NearDuplicate(
                nearest, float(others.max())
            )
    return nearest_by_id
