"""Counts of a workspace's contents, and who worked on it when."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from sqlite3 import Connection

from curator.store.connection import column
from grading.responders import GraderSpec

_COUNTS = {
    "query texts": "SELECT count(*) FROM query WHERE title IS NOT NULL",
    "backgrounds": "SELECT count(*) FROM query WHERE background IS NOT NULL",
    "subtopics": "SELECT count(*) FROM subtopic",
    "passage texts": (
        "SELECT count(*) FROM passage WHERE text_id IS NOT NULL "
        "AND number NOT IN (SELECT passage FROM segment)"
    ),
    "segments": "SELECT count(DISTINCT document) FROM segment",
    "texts in no pool": (  # nor in a gold article, which is counted separately
        "SELECT count(*) FROM passage WHERE text_id IS NOT NULL "
        "AND number NOT IN (SELECT passage FROM pool UNION SELECT passage FROM gold "
        "UNION SELECT passage FROM segment)"
    ),
    "rankings": (
        "SELECT (SELECT count(*) FROM ranking) "
        "+ (SELECT count(*) FROM subtopic_ranking)"
    ),
    "judgments": (
        "SELECT (SELECT count(*) FROM judgment) "
        "+ (SELECT count(*) FROM subtopic_judgment)"
    ),
    "official ranks": "SELECT count(*) FROM official",
    "gold articles": "SELECT count(DISTINCT query_id) FROM gold",
    "title": "SELECT count(*) FROM setting WHERE key = 'title'",
    "threshold": "SELECT count(*) FROM setting WHERE key = 'min_relevance'",
    "guidelines": "SELECT count(*) FROM setting WHERE key = 'guidelines'",
    "grades of others": (
        "SELECT count(*) FROM (SELECT DISTINCT query_id, item_id "
        "FROM rating_vector AS vector JOIN item USING (item_id) "
        "WHERE item.kind IN ('question', 'nugget') AND NOT EXISTS ("
        "SELECT 1 FROM question WHERE question.query_id = vector.query_id "
        "AND question.item_id = vector.item_id AND state = 'kept'))"
    ),
    # Existence only: a count would read every response.
    "responses": (
        "SELECT count(*) FROM responder WHERE EXISTS (SELECT 1 FROM response "
        "WHERE response.responder_id = responder.responder_id AND raw IS NOT NULL)"
    ),
    "vectors": "SELECT count(DISTINCT text_id) FROM embedding",
    "askings": "SELECT count(*) FROM generation",
    "history": (
        "SELECT count(*) FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import'"
    ),
    "releases": "SELECT count(*) FROM release",
}


def read_counts(connection: Connection) -> dict[str, int]:
    """Return the counts by kind of content.

    The bank's contents are not included, since they depend on the viewer.
    """
    return {kind: column(connection, sql)[0] for kind, sql in _COUNTS.items()}


def count_rows(
    connection: Connection, table: str, where: str = "true", *values: object
) -> int:
    """Return the number of rows of a table that meet a condition."""
    select = f"SELECT count(*) FROM {table} WHERE {where}"
    (number,) = column(connection, select, *values)
    return int(number)


def count_gold_passages(connection: Connection) -> int:
    """Return the number of passages with text that belong to a gold article."""
    gold_condition = "number IN (SELECT passage FROM gold)"
    return count_rows(
        connection, "passage", f"text_id IS NOT NULL AND {gold_condition}"
    )


def questions_by_kind(connection: Connection) -> dict[str, int]:
    """Return the number of questions and nuggets in any state."""
    return dict(
        connection.execute(
            "SELECT item.kind || 's', count(*) FROM question JOIN item USING (item_id) "
            "GROUP BY item.kind ORDER BY item.kind DESC"
        )
    )


def graders_with_grades(connection: Connection) -> list[GraderSpec]:
    """Return the graders that have a grade, in the order they were added."""
    specs = column(
        connection,
        "SELECT spec FROM grader WHERE EXISTS (SELECT 1 FROM rating_vector "
        "WHERE rating_vector.grader_id = grader.grader_id) ORDER BY grader_id",
    )
    return [GraderSpec.from_json(json.loads(spec)) for spec in specs]


def extras_by_format(connection: Connection) -> dict[tuple[str, str], int]:
    """Return the number of records with extra fields, by (format, entity)."""
    return {
        (format_name, entity): number
        for format_name, entity, number in connection.execute(
            "SELECT format, entity, count(*) FROM extra GROUP BY format, entity "
            "ORDER BY format, entity"
        )
    }


@dataclass(frozen=True, slots=True)
class Activity:
    """Summary of the history. Times are ISO 8601, UTC; "" if there are none.

    ``edits`` counts events by author without imports, the busiest first. ``imported``
    counts the events of imports.
    """

    began: str
    latest: str
    edits: tuple[tuple[str, int], ...]
    imported: int


def read_activity(connection: sqlite3.Connection) -> Activity:
    """Return the summary of the whole history; a release counts only by its time."""
    began, last, released = connection.execute(
        "SELECT min(at), max(at), (SELECT max(at) FROM release) FROM batch"
    ).fetchone()
    edits = connection.execute(
        "SELECT by, count(*) FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import' GROUP BY by ORDER BY count(*) DESC, by"
    ).fetchall()
    return Activity(
        began or "",
        max(last or "", released or ""),
        tuple((str(by), int(count)) for by, count in edits),
        count_rows(
            connection, "event JOIN batch USING (batch_id)", "batch.kind = 'import'"
        ),
    )
