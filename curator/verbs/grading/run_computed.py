"""Grades that are computed: texts are read once, if at all, the rest is arithmetic."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question
from curator.engine.gradebook import GraderRecord, plain_name, targets_of
from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.connection import exclusive
from curator.store.texts import item_ids, item_of, key_ids
from curator.verbs.grading.missing import Wanted
from curator.verbs.grading.resolve_grader import registered
from curator.verbs.grading.summary import Progress
from grading.cache import Cache, MemoryCache
from grading.graders.computed import ComputedGrader, Encoder, OwnEncoder
from grading.ratings import NOT_ASKED
from grading.registry import computing

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


def compute_missing(
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
    record = registered(connection, record)
    with exclusive(connection):
        # Questions' texts are texts too: their vectors stand beside the passages'.
        item_ids(connection, map(item_of, chain.from_iterable(work.values())))
    grader = opened_grader(connection, record, encoder=encoder)
    for query_id, questions in work.items():
        texts = store_collection.pool_texts(connection, query_id)
        targets = targets_of(record, questions)
        items, answers = [one.item for one in targets], [one.answers for one in targets]
        positions = np.flatnonzero(unknown[query_id].any(axis=0))
        while len(positions):
            size = PORTION * (encoder.width if isinstance(encoder, OwnEncoder) else 1)
            portion, positions = positions[:size], positions[size:]
            bodies = [texts[position][2] for position in portion]
            grades = grader.grade(items, bodies, answers)
            with exclusive(connection):
                ids = item_ids(connection, items)
                keys = key_ids(connection, answers)
                found = {
                    (ids[one.item], keys[one.answers]): dict(
                        zip(portion.tolist(), row.tolist(), strict=True)
                    )
                    for one, row in zip(targets, grades, strict=True)
                }
                store_grades.write_ratings(
                    connection, record.grader_id, query_id, found
                )
            kept += int(unknown[query_id][:, portion].sum())
            progress(kept, total)


def opened_grader(
    connection: sqlite3.Connection,
    record: GraderRecord,
    *,
    cache: Cache | None = None,
    encoder: Encoder | None = None,
) -> ComputedGrader:
    """The workspace's grader over its stored vectors and word frequencies.

    ``cache`` is where vectors are found and kept, if not in the workspace; ``encoder``
    the model process, which runs the default model, or an ``OwnEncoder``.
    """
    words = record.frequencies
    if words is None:
        words = store_grades.read_frequencies(
            connection, record.spec.reading.frequencies
        )
    if cache is None:
        responder_id = store_grades.responder_id_of(connection, record.grader_id)
        cache = store_grades.EmbeddingCache(connection, responder_id)
    return computing(
        record.spec,
        plain_name(record.name),
        cache=cache,
        encoder=encoder,
        frequencies=words,
    )


def texts_to_read(
    connection: sqlite3.Connection,
    record: GraderRecord,
    unknown: Unknown,
    work: Work,
) -> int:
    """How many texts have no vector yet and need one."""
    bodies: dict[str, None] = {}
    for query_id, pairs in unknown.items():
        texts = store_collection.pool_texts(connection, query_id)
        bodies |= {texts[at][2]: None for at in np.flatnonzero(pairs.any(axis=0))}
    items = {item_of(question): None for qs in work.values() for question in qs}
    cache = None if record.grader_id else MemoryCache()
    grader = opened_grader(connection, record, cache=cache)
    asked = [(item.text or "").strip() for item in items] + [*bodies]
    read = grader.read([*items], [*bodies])
    return len({text for text, is_read in zip(asked, read, strict=True) if not is_read})
