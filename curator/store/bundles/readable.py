"""The history and the grades as readable records: one per line, all fields named."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from curator.store import grades as store_grades
from curator.store.connection import column, grouped
from grading.ratings import NOT_ASKED, ratings_of

Connection = sqlite3.Connection
Record = dict[str, Any]


def history_records(connection: Connection) -> Iterator[Record]:
    """Yield every event, the oldest first: author, time, before and after, reason."""
    names = (
        "event",
        "at",
        "by",
        "kind",
        "query",
        "question",
        "before",
        "after",
        "reason",
        "batch",
        "batch_kind",
        "inverse_of",
        "shown",
        "seconds",
    )
    for row in connection.execute(
        "SELECT event_id, at, by, event.kind, query_id, question_id, before, after, "
        "reason, batch_id, batch.kind, inverse_of, shown, seconds "
        "FROM event JOIN batch USING (batch_id) ORDER BY event_id"
    ):
        record = dict(zip(names, row, strict=True))
        for side in ("before", "after"):
            record[side] = json.loads(record[side] or "null")
        yield record


def grade_records(connection: Connection, grader_id: int) -> Iterator[Record]:
    """Yield every grade of one grader, with the model's response if it is stored.

    ``rating`` is None if the response states none; ``probability`` is added if the
    rating follows from one. ``question`` is None for the query as a whole, and for an
    item that is no current question, whose ``text`` is given then.
    """
    responder_id = store_grades.responder_id_of(connection, grader_id)
    pools = grouped(
        connection.execute(
            "SELECT query_id, passage_id, text_id FROM pool "
            "JOIN passage ON passage.number = pool.passage ORDER BY query_id, position"
        )
    )
    for query_id in column(connection, "SELECT query_id FROM query ORDER BY position"):
        pool = pools[query_id]
        for item_id, kind, text, question, blob, probability in _vectors(
            connection, grader_id, query_id
        ):
            responses = {
                text_id: (raw, answer)
                for text_id, raw, answer in connection.execute(
                    "SELECT text_id, raw, answer FROM response WHERE responder_id = ? "
                    "AND item_id = ? AND key_id = 0 "
                    "AND coalesce(raw, answer) IS NOT NULL",
                    (responder_id, item_id),
                )
            }
            vector = store_grades.vector_from(blob, probability)
            grades = zip(
                ratings_of(vector).tolist(),
                store_grades.to_numbers(vector),
                strict=True,
            )
            for (passage_id, text_id), (rating, grade) in zip(
                pool, grades, strict=False
            ):
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
                if text_id in responses:
                    record["raw"], answer = responses[text_id]
                    if answer is not None:
                        record["answer"] = answer
                yield record


def _vectors(
    connection: Connection, grader_id: int, query_id: str
) -> list[tuple[int, str, str | None, str | None, bytes, bytes | None]]:
    """Return (item id, kind, text, a matching question, the two blobs) of a query."""
    return connection.execute(
        "SELECT vector.item_id, item.kind, body, (SELECT min(question_id) "
        "FROM question WHERE question.query_id = vector.query_id "
        "AND question.item_id = vector.item_id "
        # 0: no answer key was checked, whatever key the question has.
        "AND vector.key_id IN (0, question.key_id)), ratings, probability "
        "FROM rating_vector AS vector JOIN item USING (item_id) "
        "LEFT JOIN text USING (text_id) "
        "WHERE grader_id = ? AND vector.query_id = ? "
        "ORDER BY vector.item_id, vector.key_id",
        (grader_id, query_id),
    ).fetchall()
