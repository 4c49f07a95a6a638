"""``near``: questions of one query that mean almost the same."""

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
class Near:
    """The question that one is nearest to, and their cosine, at least NEAR_COSINE."""

    question_id: str
    cosine: float


def near(state: State, query_id: str) -> dict[str, Near]:
    """By question id: what a proposed or kept question of the query is nearest to.

    A proposal is compared with the kept questions and with the proposals before it, a
    kept question with the kept ones. By the vectors that the embedding grader has of
    their texts: a text that it has not read yet is near to nothing.
    """
    return state.cached(("near", query_id), lambda: compared(state, query_id))


def compared(state: State, query_id: str) -> dict[str, Near]:
    """``near``, computed anew."""
    records = [
        one for one in state.gradebook.records if one.spec.engine in (VECTORS, INSTANT)
    ]
    standing = [
        question
        for question in state.bank.of_query(query_id)
        if question.state != "retired" and question.text is not None
    ]
    if not records or len(standing) < 2:
        return {}
    responder_id = store_grades.responder_id_of(state.connection, records[0].grader_id)
    cache = store_grades.EmbeddingCache(state.connection, responder_id)
    key_of = {q.question_id: text_key((q.text or "").strip()) for q in standing}
    # A text's never change, and to read them takes longer than to compare them.
    vectors = state.kept.text_vectors.setdefault(responder_id, {})
    if unread := sorted(set(key_of.values()) - vectors.keys()):
        vectors |= cache.get_many(unread)
    # The kept ones first: a proposal is near to them rather than to another proposal.
    read = [q for q in standing if key_of[q.question_id] in vectors]
    known = sorted(read, key=lambda q: q.state != "kept")
    kept = sum(q.state == "kept" for q in known)
    texts = [vectors[key_of[question.question_id]] for question in known]
    table = cosines(texts, texts)
    np.fill_diagonal(table, -1.0)
    found: dict[str, Near] = {}
    for at, question in enumerate(known):
        others = table[at, : max(kept, at)]
        if len(others) and others.max() >= NEAR_COSINE:
            nearest = known[int(others.argmax())].question_id
            found[question.question_id] = Near(nearest, float(others.max()))
    return found
