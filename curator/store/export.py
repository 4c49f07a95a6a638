"""Reading a workspace back out, query by query, as its files would have it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from sqlite3 import Connection

import numpy as np

from curator.collection.pools import Query
from curator.collection.rankings import Ranking, Slot
from curator.evaluation.grades import best_of_segments
from curator.formats.autograder.grades import UNGRADED
from curator.formats.autograder.grades_export import (
    GradedPassage,
    GradedQuery,
    PassageGrades,
)
from curator.formats.autograder.paragraphs import STATED_TITLE
from curator.formats.tqa import LESSON
from curator.store import counts
from curator.store import grades as store_grades
from curator.store.collection import read_segments, segments_at
from curator.store.connection import column, rows_in
from curator.store.responses import responder_with_key
from grading.ratings import NOT_ASKED
from grading.responders import GraderSpec

_TOPIC = "query_id || '/' || subtopic_id AS topic"
_RANKINGS = (
    "(SELECT system, query_id AS topic, passages, scores FROM ranking UNION ALL "
    f"SELECT system, {_TOPIC}, passages, scores FROM subtopic_ranking)"
)

Extras = dict[tuple[str, str, str], str]
GivenGrades = Callable[[str], Iterable[tuple[str, store_grades.Ratings]]]
"""(item's id, ratings by pool position) of a query's kept items that have any."""


def read_extras(connection: Connection) -> Extras:
    """Fields of imported files that have no other home."""
    return {
        (entity, key, kind): value
        for entity, key, kind, value in connection.execute("SELECT * FROM extra")
    }


def read_extras_as_titled(connection: Connection) -> Extras:
    """Read the extras without titles as files had them that were corrected here."""
    edited = dict(
        connection.execute(
            "SELECT query_id, title FROM query WHERE query_id IN (SELECT query_id FROM "
            "event WHERE kind IN ('title', 'undo title', 'redo title'))"
        )
    )
    extras = read_extras(connection)
    for place in [place for place in extras if place[1].split("\t")[0] in edited]:
        if place[0] == STATED_TITLE:
            del extras[place]
        elif place[0] == LESSON:
            fields = json.loads(extras[place]) | {"lessonName": edited[place[1]]}
            extras[place] = json.dumps(fields, ensure_ascii=False)
        elif place[0] in ("bank_line", "bank_form"):
            fields = json.loads(extras[place])
            for line in (fields, fields.get("lines", {})):
                line.pop("query_text", None)
            extras[place] = json.dumps(fields, ensure_ascii=False)
    return extras


def creators(connection: Connection) -> list[str]:
    """The different creators, each a JSON list, of a NuggetBank's items."""
    return column(
        connection,
        "SELECT DISTINCT json_extract(json, '$.creator') FROM extra WHERE entity = "
        "'nuggetbank_question' AND json_type(json, '$.creator') = 'array'",
    )


def passages_with_text(connection: Connection) -> Iterator[tuple[str, str]]:
    """(passage id, text) of every passage with a text, in the order they came in.

    Segments are not among them, but the documents that they are cut from.
    """
    yield from connection.execute(
        "SELECT passage_id, body FROM passage JOIN text USING (text_id) "
        "WHERE number NOT IN (SELECT passage FROM segment) ORDER BY passage.number"
    )


def gold_passages(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """(query id, passage id, text) of every gold article, each in its order."""
    yield from connection.execute(
        "SELECT query_id, passage_id, body FROM gold "
        "JOIN passage ON passage.number = gold.passage JOIN text USING (text_id) "
        "JOIN query USING (query_id) ORDER BY query.position, gold.position"
    )


def judgments(connection: Connection) -> dict[tuple[str, str], int]:
    """The official grade by (topic, passage id), also of passages without text.

    A topic is a query id, or ``query_id/subtopic_id``.
    """
    return {
        (topic, passage_id): grade
        for topic, passage_id, grade in connection.execute(
            "SELECT topic, passage_id, grade FROM (SELECT query_id AS topic, passage, "
            f"grade FROM judgment UNION ALL SELECT {_TOPIC}, passage, grade "
            "FROM subtopic_judgment) JOIN passage ON passage.number = passage"
        )
    }


def empty_rankings(connection: Connection) -> dict[str, int]:
    """How many rankings without a passage each system has that has some."""
    return dict(
        connection.execute(
            f"SELECT system.system, count(*) FROM {_RANKINGS} AS ranking "
            "JOIN system ON system.number = ranking.system "
            "WHERE passages = zeroblob(length(passages)) GROUP BY system.number"
        )
    )


def of_subtopics(connection: Connection) -> tuple[int, int]:
    """How many rankings and judgments are of subtopics."""
    return (
        counts.rows(connection, "subtopic_ranking"),
        counts.rows(connection, "subtopic_judgment"),
    )


def ungraded_items(connection: Connection, grader: str | None = None) -> int:
    """How many kept questions and nuggets no grader has graded, or not this one."""
    return counts.rows(
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
    """Every ranking as it stands, by system and then by topic, as ``judgments`` has it.

    Not in the order of queries, which another import may have brought otherwise.
    """
    ids = dict[int, str](connection.execute("SELECT number, passage_id FROM passage"))
    for system, topic, *blobs in connection.execute(
        f"SELECT system.system, topic, passages, scores FROM {_RANKINGS} AS ranking "
        "JOIN system ON system.number = ranking.system ORDER BY system.system, topic"
    ):
        slots = tuple(
            Slot(ids[abs(number)], score, number < 0) if number else None
            for number, score in _by_rank(*blobs)
        )
        yield Ranking(system, topic, slots)


def graded_queries(
    connection: Connection,
    queries: Sequence[Query],
    grader: str | None = None,
    by_people: tuple[GraderSpec, GivenGrades] | None = None,
) -> Iterator[GradedQuery]:
    """Every query with its passages, judgments, rankings and grades, one at a time.

    With a ``grader`` its grades alone; those ``by_people`` are in no table.
    """
    extras = read_extras(connection)
    graders = store_grades.read_graders(connection)
    if grader is not None:
        graders = {i: spec for i, spec in graders.items() if spec.name == grader}
        extras = {
            (entity, key, form): text
            for (entity, key, form), text in extras.items()
            if entity != UNGRADED or key.startswith(f"{grader}\t")
        }
    for query in queries:
        yield GradedQuery(
            query.query_id,
            query.title,
            _passages(connection, query.query_id, graders, by_people),
            extras,
        )


def _passages(
    connection: Connection,
    query_id: str,
    graders: dict[int, GraderSpec],
    by_people: tuple[GraderSpec, GivenGrades] | None,
) -> Iterator[GradedPassage]:
    """Pool passages in order, then those ranked or judged without a text.

    Passages of the gold article alone are left out: they are no response. So are
    segments, whose best ratings their documents have.
    """
    judgments = dict(
        connection.execute(
            "SELECT passage, grade FROM judgment WHERE query_id = ?", (query_id,)
        )
    )
    rankings = _rankings(connection, query_id)
    rows = connection.execute(
        "SELECT passage, passage_id, text_id, body FROM pool "
        "JOIN passage ON passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? ORDER BY position",
        (query_id,),
    ).fetchall()
    pooled = {row[0] for row in rows}
    gold = set(
        column(connection, "SELECT passage FROM gold WHERE query_id = ?", query_id)
    )
    segments = segments_at([row[0] for row in rows], read_segments(connection))
    gold |= {rows[one][0] for parts in segments.values() for one in parts}
    gold -= {*judgments, *rankings, *_of_subtopics(connection, query_id)}
    beyond = sorted({*judgments, *rankings} - pooled)
    select = "SELECT number, passage_id FROM passage WHERE number IN ({})"
    ids = dict(rows_in(connection, select, beyond))
    rows += [(number, ids[number], None, None) for number in beyond]
    graded = [
        (one, found)
        for grader_id, spec in graders.items()
        for one in spec.by_kind
        if (found := _grades(connection, grader_id, one, query_id, segments, len(rows)))
    ]
    if by_people is not None:
        spec, given = by_people
        stated = [(item, store_grades.as_stated(one)) for item, one in given(query_id)]
        graded.append((spec, [(*one, {}) for one in stated]))
    for position, (number, passage_id, text_id, body) in enumerate(rows):
        if number in gold:
            continue
        grades = [
            PassageGrades(
                spec,
                [public_id for public_id, _, _ in found],
                [raws.get(text_id) for _, _, raws in found],
                [
                    stated[position] if position < len(stated) else NOT_ASKED
                    for _, stated, _ in found
                ],
            )
            for spec, found in graded
            if number in pooled
        ]
        yield GradedPassage(
            passage_id, body, judgments.get(number), rankings.get(number, ()), grades
        )


def _grades(
    connection: Connection,
    grader_id: int,
    spec: GraderSpec,
    query_id: str,
    segments: dict[int, tuple[int, ...]],
    size: int,
) -> list[tuple[str, list[float], dict[int, str | None]]]:
    """(public id, grades by pool position, raw responses by text id) of each item."""
    responder_id = store_grades.responder_id_of(connection, grader_id)
    if spec.checks_answers:  # the words that were found right or wrong
        source_id = responder_with_key(connection, spec.reading.answers_of)
        responder_id = responder_id if source_id is None else source_id
    said = "SELECT text_id, raw FROM response WHERE responder_id = ? AND item_id = ?"

    def counted(*blobs: bytes) -> list[float]:
        found = store_grades.vector_from(*blobs)
        if not segments:
            return store_grades.as_stated(found)
        row = np.full((1, size), NOT_ASKED, dtype=found.dtype)
        row[0, : len(found)] = found
        sure = row >= 1 if found.dtype.kind == "f" else None
        (best,) = best_of_segments(row, segments, spec.reading.kind, sure)
        return store_grades.as_stated(best)

    return [
        (
            public_id,
            counted(*blobs),
            dict(connection.execute(f"{said} AND key_id = 0", (responder_id, item_id))),
        )
        for public_id, item_id, *blobs in connection.execute(
            "SELECT coalesce(question_id, vector.query_id), vector.item_id, ratings, "
            "probability FROM rating_vector AS vector LEFT JOIN question "
            "ON question.query_id = vector.query_id "
            "AND question.item_id = vector.item_id "
            # 0: no answer key was checked, whichever the question has.
            "AND vector.key_id IN (0, question.key_id) "
            "JOIN item ON item.item_id = vector.item_id "
            "WHERE grader_id = ? AND vector.query_id = ? "
            "AND (question.state = 'kept' OR item.kind = 'query') "
            "AND item.kind = ? ORDER BY number",
            (grader_id, query_id, spec.reading.item_kind),
        )
    ]


def _rankings(
    connection: Connection, query_id: str
) -> dict[int, list[tuple[str, int, float]]]:
    """(system, rank from 1, score) by passage number."""
    found: defaultdict[int, list[tuple[str, int, float]]] = defaultdict(list)
    for system, *blobs in connection.execute(
        # By name, not in the order of imports: equal workspaces give equal files.
        "SELECT system.system, passages, scores FROM ranking "
        "JOIN system ON system.number = ranking.system WHERE query_id = ? "
        "ORDER BY system.system",
        (query_id,),
    ):
        for rank, (number, score) in enumerate(_by_rank(*blobs), start=1):
            if number:
                found[abs(number)].append((system, rank, score))
    return found


def _of_subtopics(connection: Connection, query_id: str) -> Iterator[int]:
    """Numbers of the passages that were ranked or judged for the query's subtopics."""
    blobs = "SELECT passages FROM subtopic_ranking WHERE query_id = ?"
    for blob in column(connection, blobs, query_id):
        yield from np.abs(np.frombuffer(blob, dtype="<i4")).tolist()
    judged = "SELECT passage FROM subtopic_judgment WHERE query_id = ?"
    yield from column(connection, judged, query_id)


def _by_rank(numbers: bytes, scores: bytes) -> Iterator[tuple[int, float]]:
    """(passage number, score) by rank; 0 where nothing stands."""
    passages = np.frombuffer(numbers, dtype="<i4").tolist()
    return zip(passages, np.frombuffer(scores, dtype="<f8").tolist(), strict=True)
