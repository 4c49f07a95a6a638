"""Exporting a workspace query by query in the forms of its files."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from sqlite3 import Connection

import numpy as np

from curator.collection.pools import Pool, Query
from curator.collection.rankings import Ranking, Slot
from curator.evaluation.grades import best_of_segments
from curator.formats.autograder.grades import STATED_TITLE, UNGRADED
from curator.formats.autograder.grades_export import (
    ExportedQuery,
    GradedPassage,
    PassageGrades,
)
from curator.formats.tqa import LESSON
from curator.store import counts
from curator.store import grades as store_grades
from curator.store.connection import column, rows_in
from curator.store.responses import responder_with_key
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec

_TOPIC_COLUMN = "query_id || '/' || subtopic_id AS topic"
_RANKINGS = (
    "(SELECT system, query_id AS topic, passages, scores FROM ranking UNION ALL "
    f"SELECT system, {_TOPIC_COLUMN}, passages, scores FROM subtopic_ranking)"
)

Extras = dict[tuple[str, str, str], str]
QueryGrades = Callable[[str], Iterable[tuple[str, store_grades.Ratings]]]
"""(item id, ratings by pool position) of a query's kept items that have any."""


def read_extras(connection: Connection) -> Extras:
    """Return the fields of imported files that have no other table."""
    return {
        (entity, key, format_name): value
        for entity, key, format_name, value in connection.execute("SELECT * FROM extra")
    }


def read_extras_with_new_titles(connection: Connection) -> Extras:
    """Return the extras with corrected query titles, without the files' own titles."""
    edited = dict(
        connection.execute(
            "SELECT query_id, title FROM query WHERE query_id IN (SELECT query_id FROM "
            "event WHERE kind IN ('title', 'undo title', 'redo title'))"
        )
    )
    extras = read_extras(connection)
    for extra_key in [
        extra_key for extra_key in extras if extra_key[1].split("\t")[0] in edited
    ]:
        if extra_key[0] == STATED_TITLE:
            del extras[extra_key]
        elif extra_key[0] == LESSON:
            fields = json.loads(extras[extra_key]) | {
                "lessonName": edited[extra_key[1]]
            }
            extras[extra_key] = json.dumps(fields, ensure_ascii=False)
        elif extra_key[0].startswith("bank_line"):
            fields = json.loads(extras[extra_key]) | {"query_text": None}
            extras[extra_key] = json.dumps(fields, ensure_ascii=False)
    return extras


def creators(connection: Connection) -> list[str]:
    """Return the distinct creators, each a JSON list, of a NuggetBank's items."""
    return column(
        connection,
        "SELECT DISTINCT json_extract(json, '$.creator') FROM extra WHERE entity = "
        "'nuggetbank_question' AND json_type(json, '$.creator') = 'array'",
    )


def passages_with_text(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield (passage id, text) of every passage with a text, in order of import.

    Segments are left out; the documents they are cut from are included.
    """
    yield from connection.execute(
        "SELECT passage_id, body FROM passage JOIN text USING (text_id) "
        "WHERE number NOT IN (SELECT passage FROM segment) ORDER BY passage.number"
    )


def gold_passages(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Yield (query id, passage id, text) of every gold article, in order."""
    yield from connection.execute(
        "SELECT query_id, passage_id, body FROM gold "
        "JOIN passage ON passage.number = gold.passage JOIN text USING (text_id) "
        "JOIN query USING (query_id) ORDER BY query.position, gold.position"
    )


def judgments(connection: Connection) -> dict[tuple[str, str], int]:
    """Return the official grade by (topic, passage id), also of passages without text.

    A topic is a query id, or ``query_id/subtopic_id``.
    """
    return {
        (topic, passage_id): grade
        for topic, passage_id, grade in connection.execute(
            "SELECT topic, passage_id, grade FROM (SELECT query_id AS topic, passage, "
            f"grade FROM judgment UNION ALL SELECT {_TOPIC_COLUMN}, passage, grade "
            "FROM subtopic_judgment) JOIN passage ON passage.number = passage"
        )
    }


def empty_rankings(connection: Connection) -> dict[str, int]:
    """Return by system the number of its empty rankings, if any."""
    return dict(
        connection.execute(
            f"SELECT system.system, count(*) FROM {_RANKINGS} AS ranking "
            "JOIN system ON system.number = ranking.system "
            "WHERE passages = zeroblob(length(passages)) GROUP BY system.number"
        )
    )


def count_subtopic_data(connection: Connection) -> tuple[int, int]:
    """Return the numbers of rankings and judgments of subtopics."""
    return (
        counts.count_rows(connection, "subtopic_ranking"),
        counts.count_rows(connection, "subtopic_judgment"),
    )


def ungraded_items(connection: Connection, grader: str | None = None) -> int:
    """Return the number of kept items without grades (of this grader)."""
    return counts.count_rows(
        connection,
        "question",
        "state = 'kept' AND NOT EXISTS ("
        # The table's key begins with the grader, so one look-up for each.
        "SELECT 1 FROM grader JOIN rating_vector AS vector USING (grader_id) "
        "WHERE vector.query_id = question.query_id "
        "AND vector.item_id = question.item_id "
        "AND grader.name = coalesce(?, grader.name))",
        grader,
    )


def rankings(connection: Connection) -> Iterator[Ranking]:
    """Yield every ranking, by system and then by topic, as in ``judgments``.

    Not in the order of queries, which depends on the imports.
    """
    ids = dict[int, str](connection.execute("SELECT number, passage_id FROM passage"))
    for system, topic, *blobs in connection.execute(
        f"SELECT system.system, topic, passages, scores FROM {_RANKINGS} AS ranking "
        "JOIN system ON system.number = ranking.system ORDER BY system.system, topic"
    ):
        slots = tuple(
            Slot(ids[abs(number)], score, number < 0) if number else None
            for number, score in _slots(*blobs)
        )
        yield Ranking(system, topic, slots)


def graded_queries(
    connection: Connection,
    queries: Sequence[Query],
    pools: Mapping[str, Pool],
    grader: str | None = None,
    by_people: tuple[GraderSpec, QueryGrades] | None = None,
) -> Iterator[ExportedQuery]:
    """Yield every query with its passages, judgments, rankings and grades.

    With a ``grader`` its grades only; grades ``by_people`` are computed, not stored.
    """
    extras = read_extras(connection)
    graders = store_grades.read_graders(connection)
    if grader is not None:
        graders = {
            grader_id: spec
            for grader_id, spec in graders.items()
            if spec.name == grader
        }
        extras = {
            (entity, key, format_name): text
            for (entity, key, format_name), text in extras.items()
            if entity != UNGRADED or key.startswith(f"{grader}\t")
        }
    for query in queries:
        yield ExportedQuery(
            query.query_id,
            query.title,
            _passages(connection, pools[query.query_id], graders, by_people),
            extras,
        )


def _passages(
    connection: Connection,
    pool: Pool,
    graders: dict[int, GraderSpec],
    by_people: tuple[GraderSpec, QueryGrades] | None,
) -> Iterator[GradedPassage]:
    """Yield the pool's passages in order, then those ranked or judged without a text.

    Passages only in the gold article are left out, since no system returned them. So
    are segments, whose best ratings their documents have.
    """
    query_id = pool.query_id
    select = "SELECT passage, grade FROM judgment WHERE query_id = ?"
    judgments = dict(connection.execute(select, (query_id,)))
    rankings = _rankings(connection, query_id)
    rows = connection.execute(
        "SELECT passage, passage_id, text_id, body FROM pool "
        "JOIN passage ON passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? ORDER BY position",
        (query_id,),
    ).fetchall()
    pooled = {row[0] for row in rows}
    left_out = {*pool.gold_only, *pool.segment_only}
    unpooled = sorted({*judgments, *rankings} - pooled)
    select = "SELECT number, passage_id FROM passage WHERE number IN ({})"
    ids = dict(rows_in(connection, select, unpooled))
    rows += [(number, ids[number], None, None) for number in unpooled]
    graded = [
        (kind_spec, item_grades)
        for grader_id, spec in graders.items()
        for kind_spec in spec.by_kind
        if (item_grades := _grades(connection, grader_id, kind_spec, pool, len(rows)))
    ]
    if by_people is not None:
        spec, grades_of_query = by_people
        item_ratings = [
            (item, store_grades.to_numbers(ratings))
            for item, ratings in grades_of_query(query_id)
        ]
        graded.append((spec, [(*item_rating, {}) for item_rating in item_ratings]))
    for position, (number, passage_id, text_id, body) in enumerate(rows):
        if position in left_out:
            continue
        passage_grades = [
            PassageGrades(
                spec,
                {
                    public_id: (raws.get(text_id), grades[position])
                    for public_id, grades, raws in item_grades
                    if position < len(grades) and grades[position] != NOT_ASKED
                },
            )
            for spec, item_grades in graded
            if number in pooled
        ]
        yield GradedPassage(
            passage_id,
            body,
            judgments.get(number),
            rankings.get(number, ()),
            passage_grades,
        )


def _grades(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    pool: Pool,
    size: int,
) -> list[tuple[str, list[float], dict[int, str | None]]]:
    """Return (public id, grades by pool position, raw responses by text id)."""
    responder_id = store_grades.responder_id_of(connection, grader_id)
    if spec.checks_answers:  # the answers that were found right or wrong
        source_id = responder_with_key(connection, spec.reading.answers_of)
        responder_id = responder_id if source_id is None else source_id
    select = "SELECT text_id, raw FROM response WHERE responder_id = ? AND item_id = ?"

    def merge_segments(*blobs: bytes) -> list[float]:
        vector = store_grades.vector_from(*blobs)
        if not pool.segments:
            return store_grades.to_numbers(vector)
        row = np.full((1, size), NOT_ASKED, dtype=vector.dtype)
        row[0, : len(vector)] = vector
        certain = row >= 1 if vector.dtype.kind == "f" else None
        (best,) = best_of_segments(row, pool.segments, spec.reading.kind, certain)
        return store_grades.to_numbers(best)

    return [
        (
            public_id,
            merge_segments(*blobs),
            dict(
                connection.execute(f"{select} AND key_id = 0", (responder_id, item_id))
            ),
        )
        for public_id, item_id, *blobs in connection.execute(
            "SELECT coalesce(question_id, vector.query_id), vector.item_id, ratings, "
            "probability FROM rating_vector AS vector LEFT JOIN question "
            "ON question.query_id = vector.query_id "
            "AND question.item_id = vector.item_id "
            # 0: no answer key was checked, whatever key the question has.
            "AND vector.key_id IN (0, question.key_id) "
            "JOIN item ON item.item_id = vector.item_id "
            "WHERE grader_id = ? AND vector.query_id = ? "
            "AND (question.state = 'kept' OR item.kind = 'query') "
            "AND item.kind = ? ORDER BY number",
            (grader_id, pool.query_id, spec.reading.item_kind),
        )
    ]


def _rankings(
    connection: Connection, query_id: str
) -> dict[int, list[tuple[str, int, float]]]:
    """Return (system, rank from 1, score) by passage number."""
    by_passage: defaultdict[int, list[tuple[str, int, float]]] = defaultdict(list)
    for system, *blobs in connection.execute(
        # By name, not in order of import: equal workspaces give equal files.
        "SELECT system.system, passages, scores FROM ranking "
        "JOIN system ON system.number = ranking.system WHERE query_id = ? "
        "ORDER BY system.system",
        (query_id,),
    ):
        for rank, (number, score) in enumerate(_slots(*blobs), start=1):
            if number:
                by_passage[abs(number)].append((system, rank, score))
    return by_passage


def _slots(numbers: bytes, scores: bytes) -> Iterator[tuple[int, float]]:
    """Yield (passage number, score) by rank; 0 for an empty rank."""
    passages = np.frombuffer(numbers, dtype="<i4").tolist()
    return zip(passages, np.frombuffer(scores, dtype="<f8").tolist(), strict=True)
