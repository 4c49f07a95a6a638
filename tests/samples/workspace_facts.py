"""A workspace as plain facts, without numbers of rows, times and the order of imports.

Two workspaces are equal where their facts are. Each fact names things as files do: by
ids of queries, passages, questions, systems and graders.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from pathlib import Path

import numpy as np

from grading.ratings import NOT_ASKED

Fact = dict[object, object]

SHOWN = 5  # differences of one part in a message


def facts(path: Path) -> dict[str, Fact]:
    """Everything a collection's files can say, by part and then by what it is of."""
    connection = sqlite3.connect(path)
    try:
        return {name: take(connection) for name, take in PARTS.items()}
    finally:
        connection.close()


def assert_equal_workspaces(
    one: Path,
    other: Path,
    *,
    parts: Collection[str] | None = None,
    in_order: bool = True,
) -> None:
    """Fail where the facts of two workspaces differ, in these parts or in any.

    ``in_order``: the order of queries and of questions is a fact too.
    """
    said = differences(facts(one), facts(other), parts=parts, in_order=in_order)
    assert not said, "\n".join(said)


def differences(
    one: dict[str, Fact],
    other: dict[str, Fact],
    *,
    parts: Collection[str] | None,
    in_order: bool,
) -> list[str]:
    """The first few facts of each part that are not the same."""
    found = []
    for part in one:
        if parts is not None and part not in parts:
            continue
        mine, theirs = one[part], other[part]
        if in_order and part in IN_ORDER and list(mine) != list(theirs):
            found.append(f"{part}: order {list(mine)[:9]} and {list(theirs)[:9]}")
        keys = [k for k in {**mine, **theirs} if mine.get(k) != theirs.get(k)]
        found += [
            f"{part} {key!r}: {mine.get(key)!r} and {theirs.get(key)!r}"
            for key in keys[:SHOWN]
        ]
        if len(keys) > SHOWN:
            found.append(f"{part}: {len(keys)} facts differ")
    return found


IN_ORDER = ("queries", "questions")


def _queries(connection: sqlite3.Connection) -> Fact:
    subtopics: dict[str, list[tuple[str, str | None]]] = {}
    for query_id, subtopic_id, text in connection.execute(
        "SELECT query_id, subtopic_id, text FROM subtopic ORDER BY query_id, position"
    ):
        subtopics.setdefault(query_id, []).append((subtopic_id, text))
    return {
        query_id: (title, background, subtopics.get(query_id, []))
        for query_id, title, background in connection.execute(
            "SELECT query_id, title, background FROM query ORDER BY position"
        )
    }


def _passages(connection: sqlite3.Connection) -> Fact:
    return dict(
        connection.execute(
            "SELECT passage_id, body FROM passage LEFT JOIN text USING (text_id)"
        )
    )


def _lists(connection: sqlite3.Connection, table: str) -> Fact:
    found: dict[object, list[str]] = {}
    for query_id, passage_id in connection.execute(
        f"SELECT query_id, passage_id FROM {table} JOIN passage "
        f"ON passage.number = {table}.passage ORDER BY query_id, position"
    ):
        found.setdefault(query_id, []).append(passage_id)
    return dict(found)


def _rankings(connection: sqlite3.Connection) -> Fact:
    ids = dict(connection.execute("SELECT number, passage_id FROM passage"))
    found: Fact = {}
    for system, query_id, numbers, scores in connection.execute(
        "SELECT system.system, query_id, passages, scores FROM ranking "
        "JOIN system ON system.number = ranking.system"
    ):
        by_rank = zip(
            np.frombuffer(numbers, dtype="<i4").tolist(),
            np.frombuffer(scores, dtype="<f8").tolist(),
            strict=True,
        )
        found[system, query_id] = [
            (ids[abs(number)], score, number < 0) if number else None
            for number, score in by_rank
        ]
    return found


def _judgments(connection: sqlite3.Connection) -> Fact:
    return {
        (query_id, passage_id): grade
        for query_id, passage_id, grade in connection.execute(
            "SELECT query_id, passage_id, grade FROM judgment "
            "JOIN passage ON passage.number = judgment.passage"
        )
    }


def _questions(connection: sqlite3.Connection) -> Fact:
    return {
        row[0]: (*row[1:6], *map(json.loads, row[6:]))
        for row in connection.execute(
            "SELECT question_id, question.query_id, body, item.kind, state, "
            "subtopic_id, choices, answers, provenance FROM question "
            "JOIN item USING (item_id) JOIN answer_key USING (key_id) "
            "LEFT JOIN text ON text.text_id = question.text_id "
            "JOIN query ON query.query_id = question.query_id "
            "ORDER BY query.position, question.number"
        )
    }


def _votes(connection: sqlite3.Connection) -> Fact:
    return {
        (question_id, judge): value
        for question_id, judge, value in connection.execute(
            "SELECT target ->> 'question_id', judge, value ->> '$' FROM mark "
            "WHERE kind = 'vote'"
        )
    }


def _graders(connection: sqlite3.Connection) -> Fact:
    return {
        name: json.loads(spec)
        for name, spec in connection.execute("SELECT name, spec FROM grader")
    }


def _ratings(connection: sqlite3.Connection) -> Fact:
    """By grader, query and item: the rating of each passage that has one."""
    pools = _lists(connection, "pool")
    found: Fact = {}
    for grader, query_id, item, answers, ratings in connection.execute(
        "SELECT name, query_id, item.sha256, answers, ratings FROM rating_vector "
        "JOIN grader USING (grader_id) JOIN item USING (item_id) "
        "JOIN answer_key USING (key_id)"
    ):
        pool = pools.get(query_id, [])
        assert isinstance(pool, list)
        given = np.frombuffer(ratings, dtype=np.int8).tolist()
        found[grader, query_id, item, answers] = {
            passage_id: rating
            for passage_id, rating in zip(pool, given, strict=False)
            if rating != NOT_ASKED
        }
    return found


def _responses(connection: sqlite3.Connection) -> Fact:
    return {
        row[:4]: row[4:]
        for row in connection.execute(
            "SELECT responder.sha256, item.sha256, answer_key.sha256, text.sha256, "
            "raw, answer, given_rating FROM response JOIN responder "
            "USING (responder_id) JOIN item USING (item_id) JOIN answer_key "
            "USING (key_id) JOIN text ON text.text_id = response.text_id"
        )
    }


def _extras(connection: sqlite3.Connection) -> Fact:
    # A record of grades also names items that a text with equal words was graded for,
    # and how a record was spelled is no fact.
    return {
        row[:3]: json.loads(row[3])
        for row in connection.execute(
            "SELECT entity, key, format, json FROM extra WHERE entity "
            "<> 'grade_record' AND entity NOT LIKE '%_spelling'"
        )
    }


def _settings(connection: sqlite3.Connection) -> Fact:
    return dict(connection.execute("SELECT key, value FROM setting"))


PARTS = {
    "queries": _queries,
    "passages": _passages,
    "pools": lambda connection: _lists(connection, "pool"),
    "rankings": _rankings,
    "judgments": _judgments,
    "official": lambda c: dict(c.execute("SELECT system, rank FROM official")),
    "gold": lambda connection: _lists(connection, "gold"),
    "questions": _questions,
    "votes": _votes,
    "graders": _graders,
    "ratings": _ratings,
    "responses": _responses,
    "extras": _extras,
    "settings": _settings,
}


