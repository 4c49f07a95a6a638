"""Computed grades: texts are encoded at most once, the rest is arithmetic."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question
from curator.snapshot.gradebook import GraderRecord, plain_name, targets_of
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.connection import write_transaction
from curator.store.texts import item_ids, item_of, key_ids
from curator.verbs.grading.missing import GradeSelection
from curator.verbs.grading.summary import Progress
from grading.graders.computed import ComputedGrader, Encoder, GraderEncoder
from grading.ratings import NOT_ASKED
from grading.registry import computed_grader
from grading.similarity import Cache

Work = Mapping[str, tuple[Question, ...]]
"""Questions that lack a grade, by query."""

Unknown = Mapping[str, NDArray[np.bool_]]
"""Masks (questions, pool positions) of the pairs to grade, by query."""

PORTION = 64  # passages between two commits; encoding them takes seconds


def unknown_pairs(
    snapshot: Snapshot, record: GraderRecord, work: Work, selection: GradeSelection
) -> Unknown:
    """Masks (questions, pool positions) of selected missing pairs, by query."""
    unknown = {}
    for query_id, questions in work.items():
        pool = snapshot.collection.pools[query_id]
        ratings = snapshot.gradebook.graded(record, pool, questions).ratings
        selected = selection.selected_passages(snapshot, record, query_id)
        unknown[query_id] = (ratings == NOT_ASKED) & selected
    return unknown


def compute_missing(
    connection: sqlite3.Connection,
    record: GraderRecord,
    work: Work,
    unknown: Unknown,
    encoder: Encoder | None,
    progress: Progress,
) -> None:
    """Grade this work in batches.

    An error in ``progress`` ends the run and keeps all finished batches.
    """
    kept, total = 0, sum(int(pairs.sum()) for pairs in unknown.values())
    progress(0, total)
    with write_transaction(connection):
        # Questions are embedded too, so their texts are stored like passages.
        item_ids(connection, map(item_of, chain.from_iterable(work.values())))
    grader = open_computed_grader(connection, record, encoder=encoder)
    for query_id, questions in work.items():
        texts = store_collection.pool_texts(connection, query_id)
        targets = targets_of(record, questions)
        items = [target.item for target in targets]
        answers = [target.answers for target in targets]
        positions = np.flatnonzero(unknown[query_id].any(axis=0))
        while len(positions):
            workers = encoder.worker_count if isinstance(encoder, GraderEncoder) else 1
            size = PORTION * workers
            portion, positions = positions[:size], positions[size:]
            bodies = [texts[position][2] for position in portion]
            grades = grader.grade(items, bodies, answers)
            with write_transaction(connection):
                ids = item_ids(connection, items)
                keys = key_ids(connection, answers)
                ratings = {
                    (ids[target.item], keys[target.answers]): dict(
                        zip(portion.tolist(), row.tolist(), strict=True)
                    )
                    for target, row in zip(targets, grades, strict=True)
                }
                store_grades.write_ratings(
                    connection, record.grader_id, query_id, ratings
                )
            kept += int(unknown[query_id][:, portion].sum())
            progress(kept, total)


def open_computed_grader(
    connection: sqlite3.Connection,
    record: GraderRecord,
    *,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
) -> ComputedGrader:
    """Open a grader with the workspace's stored vectors and word frequencies.

    ``cache`` replaces the workspace's vectors; ``encoder`` is the model process, which
    runs the default model, or an ``GraderEncoder``.
    """
    words = record.frequencies
    if words is None:
        words = store_grades.read_frequencies(
            connection, record.spec.reading.frequencies
        )
    if cache is None:
        responder_id = store_grades.responder_id_of(connection, record.grader_id)
        cache = store_grades.EmbeddingCache(connection, responder_id)
    return computed_grader(
        record.spec,
        plain_name(record.name),
        cache=cache,
        encoder=encoder,
        frequencies=words,
    )
