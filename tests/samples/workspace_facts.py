"""A workspace as plain facts, without numbers of rows, times and the order of imports.

Two workspaces are equal where their facts are. Each fact names things as files do: by
ids of queries, passages, questions, systems and graders.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np

from grading.ratings import NOT_ASKED

Fact = tuple[object, ...]
IN_ORDER = ("queries", "questions")
ROWS = {
    "queries": "SELECT query_id, title, background FROM query ORDER BY position",
    "subtopics": "SELECT query_id, position, subtopic_id, text FROM subtopic",
    "passages": "SELECT passage_id, body FROM passage LEFT JOIN text USING (text_id)",
    "pools": "SELECT query_id, position, passage_id FROM pool "
    "JOIN passage ON passage.number = pool.passage",
    "judgments": "SELECT query_id, passage_id, grade FROM judgment "
    "JOIN passage ON passage.number = judgment.passage",
    "official": "SELECT system, rank FROM official",
    "gold": "SELECT query_id, position, passage_id FROM gold "
    "JOIN passage ON passage.number = gold.passage",
    "questions": "SELECT question_id, question.query_id, body, item.kind, state, "
    "subtopic_id, choices, answers, provenance FROM question "
    "JOIN item USING (item_id) JOIN answer_key USING (key_id) "
    "LEFT JOIN text ON text.text_id = question.text_id "
    "JOIN query ON query.query_id = question.query_id "
    "ORDER BY query.position, question.number",
    "votes": "SELECT target ->> 'question_id', judge, value ->> '$' FROM mark "
    "WHERE kind = 'vote'",
    "graders": "SELECT name, spec FROM grader",
    "responses": "SELECT responder.sha256, item.sha256, answer_key.sha256, "
    "text.sha256, raw, answer, given_rating FROM response JOIN responder "
    "USING (responder_id) JOIN item USING (item_id) JOIN answer_key "
    "USING (key_id) JOIN text ON text.text_id = response.text_id",
    # A record of grades also names items that a text with equal words was graded for,
    # and how a record was spelled is no fact.
    "extras": "SELECT entity, key, format, json FROM extra "
    "WHERE entity <> 'grade_record' AND entity NOT LIKE '%_spelling'",
    "settings": "SELECT key, value FROM setting",
}


def facts(path: Path) -> dict[str, list[Fact]]:
    """Everything a collection's files can say, by part."""
    with closing(sqlite3.connect(path)) as connection:
        found = {
            part: [tuple(map(_value, row)) for row in connection.execute(query)]
            for part, query in ROWS.items()
        }
        found["rankings"] = _rankings(connection)
        found["ratings"] = _ratings(connection, found["pools"])
    return found


def assert_equal_workspaces(one: Path, other: Path, *, in_order: bool = True) -> None:
    """Fail where the facts differ; the order of queries and questions is one too."""
    mine, theirs = facts(one), facts(other)
    for part in mine:
        if in_order and part in IN_ORDER:
            assert mine[part] == theirs[part], part
        assert sorted(mine[part], key=repr) == sorted(theirs[part], key=repr), part


def _value(value: object) -> object:
    """The value of JSON, with keys in order; any other value as it is."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.dumps(json.loads(value), sort_keys=True)
    return value


def _rankings(connection: sqlite3.Connection) -> list[Fact]:
    """Each system's ids and scores by rank; whether a passage was listed again."""
    ids = dict(connection.execute("SELECT number, passage_id FROM passage"))
    found: list[Fact] = []
    for system, query_id, numbers, scores in connection.execute(
        "SELECT system.system, query_id, passages, scores FROM ranking "
        "JOIN system ON system.number = ranking.system"
    ):
        places = np.frombuffer(numbers, dtype="<i4").tolist()
        ranked = [number and (ids[abs(number)], number < 0) for number in places]
        at = [s for s, n in zip(np.frombuffer(scores, "<f8"), places, strict=True) if n]
        found.append((system, query_id, ranked, at))
    return found


def _ratings(connection: sqlite3.Connection, pools: list[Fact]) -> list[Fact]:
    """By grader, query and item: the rating of each passage that has one."""
    places = {(query_id, place): passage for query_id, place, passage in pools}
    return [
        (*key, places[key[1], place], rating)
        for *key, ratings in connection.execute(
            "SELECT name, query_id, item.sha256, answers, ratings FROM rating_vector "
            "JOIN grader USING (grader_id) JOIN item USING (item_id) "
            "JOIN answer_key USING (key_id)"
        )
        for place, rating in enumerate(np.frombuffer(ratings, dtype=np.int8).tolist())
        if rating != NOT_ASKED
    ]
