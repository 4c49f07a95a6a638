"""Grades that a question keeps when its answer key or choices change.

A grade rests on what its model was shown and what its reading looks at. So a prompt
without choices stays answered, ratings that look at no key stay as they are, and one
that does is read anew from the same response: nothing is asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection

import numpy as np

from curator.bank.edits import Change
from curator.bank.questions import Question
from curator.store import grades as store_grades
from curator.store.collection import pool_texts
from curator.store.digests import changing
from curator.store.grades import Vector, alike
from curator.store.responses import raw_by_text
from curator.store.texts import item_ids, item_of, key_ids, key_of, stored_item_ids
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec


def is_rekeyed(before: Question, after: Question) -> bool:
    """Whether key or choices differ, and the words do not."""
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
    """The grader's grades of the query's pool under the question as it becomes.

    By pool position, as far as they are known from what is stored under the question
    as it was; None where nothing is, or where they are found without this.
    """
    asked, asks = item_of(before), item_of(after)
    if asks != asked and spec.responder.shows_choices:
        return None
    item_id = stored_item_ids(connection, [asked]).get(asked)
    if item_id is None:
        return None
    query_id, reading = after.query_id, spec.reading
    if not reading.looks_at_keys:
        key = (item_id, 0)
        known = store_grades.vectors_of(connection, grader_id, query_id, [key])
        return known.get(key) if asks != asked else None
    if spec.computed or reading.answers_of or not after.answers:
        return None  # computed in a moment; a model's scores are of the key it saw
    from grading.readings import read_response

    responder_id = store_grades.responder_id_of(connection, grader_id)
    ratings = {
        text_id: read_response(
            reading, raw, answers=key_of(after), choices=asks.choices
        )
        for text_id, raw in raw_by_text(connection, responder_id, item_id).items()
    }
    texts = pool_texts(connection, query_id)
    return np.array([ratings.get(one, NOT_ASKED) for one, *_ in texts], dtype=np.int8)


def filled(known: Vector | None, grades: Vector) -> Vector:
    """What is known, and these grades wherever it is not."""
    if known is None:
        return grades
    known, grades = alike(known, grades)
    size = max(len(known), len(grades))
    both: Vector = np.full(size, NOT_ASKED, dtype=known.dtype)
    both[: len(grades)] = grades
    both[: len(known)] = np.where(known == NOT_ASKED, both[: len(known)], known)
    return both


def keep_grades(connection: Connection, changes: Sequence[Change]) -> None:
    """Store what questions keep whose key or choices changed, and nothing else.

    Call within the transaction that changes them.
    """
    first: dict[str, Question] = {}
    last: dict[str, Question] = {}
    for one in changes:
        if one.before and one.after:
            first.setdefault(one.before.question_id, one.before)
            last[one.after.question_id] = one.after
    rekeyed = [
        (before, last[question_id])
        for question_id, before in first.items()
        if is_rekeyed(before, last[question_id])
    ]
    graders = store_grades.read_graders(connection) if rekeyed else {}
    for before, after in rekeyed:
        for grader_id, spec in graders.items():
            if spec.combined:
                continue  # it has the ratings of its parts
            _keep_responses(connection, grader_id, spec, before, after)
            _keep_ratings(connection, grader_id, spec, before, after)


def _keep_responses(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    before: Question,
    after: Question,
) -> None:
    asked, asks = item_of(before), item_of(after)
    if asked == asks or spec.responder.shows_choices:
        return
    ids = item_ids(connection, [asked, asks])
    responder_id = store_grades.responder_id_of(connection, grader_id)
    theirs = "responder_id = ? AND item_id = ?"
    with changing(connection, "response", theirs, responder_id, ids[asks]):
        connection.execute(
            "INSERT OR IGNORE INTO response SELECT responder_id, ?, key_id, text_id, "
            "raw, answer, given_rating, given_probability FROM response "
            f"WHERE {theirs} AND key_id = 0",
            (ids[asks], responder_id, ids[asked]),
        )


def _keep_ratings(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    before: Question,
    after: Question,
) -> None:
    ratings = kept_ratings(connection, grader_id, spec, before, after)
    if ratings is None:
        return
    query_id, asks = after.query_id, item_of(after)
    answers = key_of(after) if spec.reading.looks_at_keys else ()
    key = (
        item_ids(connection, [asks])[asks],
        key_ids(connection, [answers])[answers],
    )
    stored = store_grades.vectors_of(connection, grader_id, query_id, [key]).get(key)
    vector = filled(stored, ratings)
    if stored is None or not np.array_equal(stored, vector):
        store_grades.write_vectors(connection, grader_id, query_id, {key: vector})
