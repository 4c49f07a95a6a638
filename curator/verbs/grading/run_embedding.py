"""Grading by vectors: each text is read once, the rest is arithmetic."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question
from curator.engine.gradebook import GraderRecord, plain_name
from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.connection import exclusive
from curator.store.texts import item_ids, item_of, text_ids
from grading.cache import Cache
from grading.graders.client import Grader
from grading.graders.embedding import EmbeddingGrader, Encoder
from grading.graders.embedding import spec as default_spec
from grading.keys import text_key
from grading.ratings import NOT_ASKED
from grading.registry import open_grader
from grading.similarity import Vectors

Work = Mapping[str, tuple[Question, ...]]
"""The questions that lack a grade, by query."""

PORTION = 64  # passages of a query between two commits; reading them takes seconds


def unknown_pairs(
    state: State, record: GraderRecord, work: Work
) -> dict[str, NDArray[np.bool_]]:
    """(questions, pool positions) of each query that nobody has asked yet."""
    return {
        one: state.gradebook.graded(
            record, state.collection.pools[one], questions
        ).ratings
        == NOT_ASKED
        for one, questions in work.items()
    }


def encode_missing(
    connection: sqlite3.Connection,
    record: GraderRecord,
    work: Work,
    unknown: Mapping[str, NDArray[np.bool_]],
    *,
    encoder: Encoder | None,
    report: Callable[[int], None],
) -> None:
    """Grade this work; ``report`` hears how many grades are kept, portion by portion.

    What ``report`` raises ends the grading with all of them kept.
    """
    with exclusive(connection):
        grader_id, responder_id = store_grades.grader_id_of(connection, record.spec)
        # Question texts are texts too: their vectors stand beside the passages'.
        text_ids(connection, question_texts(work))
    cache = store_grades.EmbeddingCache(connection, responder_id)
    grader = opened_grader(record, cache, encoder)
    kept = 0
    for one, questions in work.items():
        for number in _graded_portions(
            connection, grader, grader_id, one, questions, unknown[one]
        ):
            kept += number
            report(kept)


def opened_grader(
    record: GraderRecord, cache: Cache[Vectors], encoder: Encoder | None
) -> Grader:
    """The grader, encoding by ``encoder`` where that is the same model.

    The encoder given is the model process, which runs the default model; another
    model's grades must not come from it.
    """
    if encoder is not None and record.spec.key == default_spec().key:
        return EmbeddingGrader(encoder=encoder, cache=cache)
    grader = open_grader(plain_name(record.name), cache=cache)
    assert isinstance(grader, EmbeddingGrader)  # only those compute from vectors
    return grader


def texts_to_read(
    connection: sqlite3.Connection, record: GraderRecord, work: Work
) -> set[str]:
    """Content keys of the texts that have no vector yet."""
    keys = {text_key(text) for text in question_texts(work)}
    for query_id in work:
        keys |= {key for _, key, _ in store_collection.pool_texts(connection, query_id)}
    if record.grader_id:
        responder_id = store_grades.responder_id_of(connection, record.grader_id)
        cache = store_grades.EmbeddingCache(connection, responder_id)
        keys -= cache.known(sorted(keys))
    return keys


def question_texts(work: Work) -> list[str]:
    """The texts of the questions, as they are encoded."""
    return [q.text.strip() for qs in work.values() for q in qs if q.text is not None]


def _graded_portions(
    connection: sqlite3.Connection,
    grader: Grader,
    grader_id: int,
    query_id: str,
    questions: Sequence[Question],
    unknown: NDArray[np.bool_],
) -> Iterator[int]:
    """Grade these questions on their query's pool, and say how many pairs that were.

    ``unknown`` (questions, pool positions) is what nobody has asked yet. Each number
    is of a portion of passages whose grades have been stored.
    """
    passages = [
        body for _, _, body in store_collection.pool_texts(connection, query_id)
    ]
    items = [item_of(question) for question in questions]
    positions = np.flatnonzero(unknown.any(axis=0))
    for start in range(0, len(positions), PORTION):
        portion = positions[start : start + PORTION]
        ratings = grader.grade(items, [passages[position] for position in portion])
        with exclusive(connection):
            ids = item_ids(connection, items)
            store_grades.write_ratings(
                connection,
                grader_id,
                query_id,
                {
                    (ids[item], 0): dict(
                        zip(portion.tolist(), row.tolist(), strict=True)
                    )
                    for item, row in zip(items, ratings, strict=True)
                },
            )
        yield int(unknown[:, portion].sum())
