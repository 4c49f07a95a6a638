"""The history and the grades as readable records: one per line, all fields named."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from curator.store import grades as store_grades
from curator.store.connection import grouped
from grading.ratings import NOT_ASKED, ratings_of

Connection = sqlite3.Connection
Record = dict[str, Any]


def history_records(connection: Connection) -> Iterator[Record]:
    """Yield every event, the oldest first: author, time, before and after, reason."""
    rows = connection.execute(
        "SELECT event_id AS event, at, by, event.kind AS kind, query_id AS query, "
        "question_id AS question, before, after, reason, batch_id AS batch, "
        "batch.kind AS batch_kind, inverse_of, shown, seconds "
        "FROM event JOIN batch USING (batch_id) ORDER BY event_id"
    )
    names = [name for name, *_ in rows.description]
    for row in rows:
        record = dict(zip(names, row, strict=True))
        for side in ("before", "after"):
            record[side] = json.loads(record[side] or "null")
        yield record


def grade_records(connection: Connection, grader_id: int) -> Iterator[Record]:
    """Yield every grade of one grader, with the model's response if it is stored.

    ``rating`` is None if the response states none; ``probability`` is added if the
    rating follows from one. ``question`` is None for the query as a whole, and for an
    item that is no current question, whose ``text`` is added then.
    """
    responder_id = store_grades.responder_id_of(connection, grader_id)
    pools = grouped(
        connection.execute(
            "SELECT query_id, passage_id, text_id FROM pool "
            "JOIN passage ON passage.number = pool.passage ORDER BY query_id, position"
        )
    )
    responses = (
        "SELECT text_id, raw, answer FROM response WHERE responder_id = ? "
        "AND item_id = ? AND key_id = 0 AND coalesce(raw, answer) IS NOT NULL"
    )
    for query_id, item_id, kind, text, question, *blobs in connection.execute(
        "SELECT query_id, vector.item_id, item.kind, body, (SELECT min(question_id) "
        "FROM question WHERE question.query_id = vector.query_id "
        "AND question.item_id = vector.item_id "
        # 0: no answer key was checked, whatever key the question has.
        "AND vector.key_id IN (0, question.key_id)), ratings, probability "
        "FROM rating_vector AS vector JOIN item USING (item_id) "
        "JOIN query USING (query_id) LEFT JOIN text USING (text_id) "
        "WHERE grader_id = ? ORDER BY query.position, vector.item_id, vector.key_id",
        (grader_id,),
    ).fetchall():
        words = {
            text_id: {"raw": raw} | ({} if answer is None else {"answer": answer})
            for text_id, raw, answer in connection.execute(
                responses, (responder_id, item_id)
            )
        }
        vector = store_grades.vector_from(*blobs)
        grades = zip(
            pools[query_id],
            ratings_of(vector).tolist(),
            store_grades.to_numbers(vector),
            strict=False,
        )
        for (passage_id, text_id), rating, grade in grades:
            if rating == NOT_ASKED:
                continue
            record = {
                "query": query_id,
                "kind": kind,
                "question": question,
                "passage": passage_id,
                "rating": rating if rating >= 0 else None,
            }
            if rating >= 0 and vector.dtype.kind == "f":
                record["probability"] = grade
            if question is None and kind != "query":
                record["text"] = text
            yield record | words.get(text_id, {})
