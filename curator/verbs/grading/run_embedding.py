"""Grading by vectors: each text is read once, the rest is arithmetic."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question
from curator.engine.gradebook import GraderRecord, plain_name
from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.connection import exclusive
from curator.store.texts import item_ids, item_of, text_ids
from curator.verbs.grading.missing import Wanted
from curator.verbs.grading.summary import Progress
from grading.cache import Cache
from grading.graders.embedding import EmbeddingGrader, Encoder
from grading.graders.embedding import spec as default_spec
from grading.keys import text_key
from grading.ratings import NOT_ASKED
from grading.registry import reopened

Work = Mapping[str, tuple[Question, ...]]
"""The questions that lack a grade, by query."""

Unknown = Mapping[str, NDArray[np.bool_]]
"""(questions, pool positions) that are to be graded, by query."""

PORTION = 64  # passages of a query between two commits; reading them takes seconds


def unknown_pairs(
    state: State, record: GraderRecord, work: Work, wanted: Wanted
) -> Unknown:
    """(questions, pool positions) of each query, wanted and not asked yet."""
    pools, gradebook = state.collection.pools, state.gradebook
    return {
        one: (gradebook.graded(record, pools[one], questions).ratings == NOT_ASKED)
        & wanted.selected(state, record, one)
        for one, questions in work.items()
    }


def encode_missing(
    connection: sqlite3.Connection,
    record: GraderRecord,
    work: Work,
    unknown: Unknown,
    encoder: Encoder | None,
    progress: Progress,
) -> None:
    """Grade this work, portion by portion.

    What ``progress`` raises ends the grading with all kept that was graded.
    """
    kept, total = 0, sum(int(pairs.sum()) for pairs in unknown.values())
    progress(0, total)
    with exclusive(connection):
        grader_id, responder_id = store_grades.grader_id_of(connection, record.spec)
        # Question texts are texts too: their vectors stand beside the passages'.
        text_ids(connection, question_texts(work))
    cache = store_grades.EmbeddingCache(connection, responder_id)
    grader = opened_grader(record, cache, encoder)
    for query_id, questions in work.items():
        texts = store_collection.pool_texts(connection, query_id)
        items = [item_of(question) for question in questions]
        positions = np.flatnonzero(unknown[query_id].any(axis=0))
        for start in range(0, len(positions), PORTION):
            portion = positions[start : start + PORTION]
            ratings = grader.grade(items, [texts[position][2] for position in portion])
            with exclusive(connection):
                ids = item_ids(connection, items)
                found = {
                    (ids[item], 0): dict(
                        zip(portion.tolist(), row.tolist(), strict=True)
                    )
                    for item, row in zip(items, ratings, strict=True)
                }
                store_grades.write_ratings(connection, grader_id, query_id, found)
            kept += int(unknown[query_id][:, portion].sum())
            progress(kept, total)


def opened_grader(
    record: GraderRecord, cache: Cache, encoder: Encoder | None
) -> EmbeddingGrader:
    """The grader, encoding by ``encoder`` where that is the same model.

    The encoder given is the model process, which runs the default model; another
    model's grades must not come from it.
    """
    if encoder is not None and record.spec.responder == default_spec().responder:
        reading = record.spec.reading
        return EmbeddingGrader(reading=reading, encoder=encoder, cache=cache)
    grader = reopened(record.spec, plain_name(record.name), cache=cache)
    assert isinstance(grader, EmbeddingGrader)  # only those compute from vectors
    return grader


def texts_to_read(
    connection: sqlite3.Connection, record: GraderRecord, unknown: Unknown, work: Work
) -> set[str]:
    """Content keys of the texts that have no vector yet."""
    keys = {text_key(text) for text in question_texts(work)}
    for query_id, pairs in unknown.items():
        texts = store_collection.pool_texts(connection, query_id)
        keys |= {texts[at][1] for at in np.flatnonzero(pairs.any(axis=0)).tolist()}
    if record.grader_id:
        responder_id = store_grades.responder_id_of(connection, record.grader_id)
        cache = store_grades.EmbeddingCache(connection, responder_id)
        keys -= cache.known(sorted(keys))
    return keys


def question_texts(work: Work) -> list[str]:
    """The texts of the questions, as they are encoded."""
    return [q.text.strip() for qs in work.values() for q in qs if q.text is not None]
