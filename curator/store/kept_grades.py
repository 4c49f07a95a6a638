"""Grades that a question keeps when its answer key or choices change.

A grade depends on what its model was shown and what its reading looks at. So a prompt
without choices stays answered, ratings that use no key stay as they are, and others are
read again from the same response, without asking the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from sqlite3 import Connection

import numpy as np

from curator.bank.edits import Change
from curator.bank.questions import Question
from curator.store import grades as store_grades
from curator.store.collection import pool_texts
from curator.store.grades import Vector, to_common_type
from curator.store.responses import raw_by_text
from curator.store.texts import item_ids, item_of, key_ids, key_of, stored_item_ids
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec


def is_rekeyed(before: Question, after: Question) -> bool:
    """Return True if the key or the choices differ, but not the text."""
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
    """Return the grader's grades of the query's pool for the changed question.

    By pool position, derived from what is stored for the old question; None if there is
    nothing, or if the grades are found without this.
    """
    old_item, new_item = item_of(before), item_of(after)
    if new_item != old_item and spec.responder.shows_choices:
        return None
    item_id = stored_item_ids(connection, [old_item]).get(old_item)
    if item_id is None:
        return None
    query_id, reading = after.query_id, spec.reading
    if not reading.reads_answer_keys:
        key = (item_id, 0)
        stored = store_grades.vectors_of(connection, grader_id, query_id, [key])
        return stored.get(key) if new_item != old_item else None
    if spec.computed or reading.answers_of or not after.answers:
        return None  # computed quickly; a model's scores are for the key it saw
    from grading.readings import read_response

    responder_id = store_grades.responder_id_of(connection, grader_id)
    ratings = {
        text_id: read_response(
            reading, raw, answers=key_of(after), choices=new_item.choices
        )
        for text_id, raw in raw_by_text(connection, responder_id, item_id).items()
    }
    texts = pool_texts(connection, query_id)
    return np.array(
        [ratings.get(text_id, NOT_ASKED) for text_id, *_ in texts], dtype=np.int8
    )


def fill_gaps(preferred: Vector | None, grades: Vector) -> Vector:
    """Return ``preferred`` with gaps filled from ``grades``."""
    if preferred is None:
        return grades
    preferred, grades = to_common_type(preferred, grades)
    size = max(len(preferred), len(grades))
    merged: Vector = np.full(size, NOT_ASKED, dtype=preferred.dtype)
    merged[: len(grades)] = grades
    merged[: len(preferred)] = np.where(
        preferred == NOT_ASKED, merged[: len(preferred)], preferred
    )
    return merged


def keep_grades(connection: Connection, changes: Sequence[Change]) -> None:
    """Store the grades that questions with changed key or choices keep.

    Call within the transaction that changes them.
    """
    old_questions: dict[str, Question] = {}
    new_questions: dict[str, Question] = {}
    for change in changes:
        if change.before and change.after:
            old_questions.setdefault(change.before.question_id, change.before)
            new_questions[change.after.question_id] = change.after
    rekeyed = [
        (before, new_questions[question_id])
        for question_id, before in old_questions.items()
        if is_rekeyed(before, new_questions[question_id])
    ]
    graders = store_grades.read_graders(connection) if rekeyed else {}
    for before, after in rekeyed:
        for grader_id, spec in graders.items():
            if spec.combined:
                continue  # combined from the ratings of its parts
            _keep_responses(connection, grader_id, spec, before, after)
            _keep_ratings(connection, grader_id, spec, before, after)


def _keep_responses(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    before: Question,
    after: Question,
) -> None:
    old_item, new_item = item_of(before), item_of(after)
    if old_item == new_item or spec.responder.shows_choices:
        return
    ids = item_ids(connection, [old_item, new_item])
    responder_id = store_grades.responder_id_of(connection, grader_id)
    condition = "responder_id = ? AND item_id = ?"
    connection.execute(
        "INSERT OR IGNORE INTO response SELECT responder_id, ?, key_id, text_id, "
        "raw, answer, given_rating, given_probability FROM response "
        f"WHERE {condition} AND key_id = 0",
        (ids[new_item], responder_id, ids[old_item]),
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
    query_id, item = after.query_id, item_of(after)
    answers = key_of(after) if spec.reading.reads_answer_keys else ()
    key = (
        item_ids(connection, [item])[item],
        key_ids(connection, [answers])[answers],
    )
    stored = store_grades.vectors_of(connection, grader_id, query_id, [key]).get(key)
    vector = fill_gaps(stored, ratings)
    if stored is None or not np.array_equal(stored, vector):
        store_grades.write_vectors(connection, grader_id, query_id, {key: vector})
