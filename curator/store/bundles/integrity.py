"""What STRICT and CHECKs leave open and this program relies on, looked at row by row.

Only what came out of this program is in a workspace otherwise; a bundle may have been
written by anybody, and what it holds is read like this before it is kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import numpy as np

from curator.bank.edits.changes import is_count
from curator.bank.edits.kinds import are_choices, are_texts, is_event
from curator.formats.text.records import NOT_IN_IDS, NOT_IN_NAMES
from curator.store import bank as store_bank
from curator.store.texts import cached_item_key, item_of
from grading.responders import GraderSpec

Connection = sqlite3.Connection

_IDS = {
    "query": "query_id",
    "subtopic": "subtopic_id",
    "passage": "passage_id",
    "question": "question_id",
}
_NAMES = {
    "system": ("system",),
    "official": ("system",),
    "batch": ("by",),
    "done": ("judge",),
    "vote": ("judge",),
    "verdict": ("judge",),
    "ideal": ("by",),
    "generation": ("by", "model"),
    "release": ("by", "name"),
    "grader": ("name",),
}
_LONGEST_NAME = 1000  # characters; what people give names to has less
_TIMES = ("batch", "done", "vote", "ideal", "verdict", "generation", "release")

_ROWS = {
    "a pool with a gap, or a passage without a text in it": (
        "SELECT query_id FROM pool JOIN passage ON passage.number = pool.passage "
        "GROUP BY query_id "
        "HAVING count(*) <> max(position) + 1 OR count(text_id) <> count(*)"
    ),
    "a gold article that is not in the pool": (
        "SELECT query_id FROM gold WHERE NOT EXISTS (SELECT 1 FROM pool WHERE "
        "pool.query_id = gold.query_id AND pool.passage = gold.passage)"
    ),
    "an ideal answer outside its passage": (
        "SELECT query_id FROM ideal JOIN passage ON passage.number = ideal.passage "
        "LEFT JOIN text USING (text_id) WHERE NOT EXISTS (SELECT 1 FROM pool WHERE "
        "pool.query_id = ideal.query_id AND pool.passage = ideal.passage) "
        'OR max(start, "end") > length(body)'
    ),
    "a question in another place than the history gave it": (
        "SELECT question_id FROM question WHERE number IS NOT "
        "(SELECT min(event_id) FROM event "
        "WHERE event.question_id = question.question_id)"
    ),
    "a subtopic that its query does not have": (
        "SELECT question_id FROM question WHERE subtopic_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM subtopic "
        "WHERE subtopic.query_id = question.query_id "
        "AND subtopic.subtopic_id = question.subtopic_id)"
    ),
    "kept fields that are no object": (
        "SELECT key FROM extra WHERE json_type(json) <> 'object'"
    ),
    "a vector longer than its pool": (
        "SELECT query_id FROM rating_vector AS vector WHERE length(ratings) > "
        "(SELECT count(*) FROM pool WHERE pool.query_id = vector.query_id)"
    ),
    "an embedding of another size than the others": (
        "SELECT responder_id FROM embedding GROUP BY responder_id "
        "HAVING min(dimensions) <> max(dimensions)"
    ),
}


def implausible(connection: Connection) -> Iterator[str]:
    """A sentence for each thing that no import, edit or grading here would leave."""
    yield from _wrong_ids(connection)
    yield from _wrong_names(connection)
    yield from _wrong_times(connection)
    for what, query in _ROWS.items():
        for (name,) in connection.execute(query):
            yield f"'{name}' has {what}"
    yield from _wrong_rankings(connection)
    yield from _wrong_json(connection)
    yield from _wrong_events(connection)
    yield from _wrong_graders(connection)
    yield from _wrong_questions(connection)


def _wrong_ids(connection: Connection) -> Iterator[str]:
    for table, column in _IDS.items():
        for (value,) in connection.execute(f"SELECT {column} FROM {table}"):
            if NOT_IN_IDS.search(value):
                yield f"the {column} {value!r:.80} holds a blank"


def _wrong_names(connection: Connection) -> Iterator[str]:
    for table, columns in _NAMES.items():
        for column in columns:
            for (value,) in connection.execute(
                f'SELECT DISTINCT "{column}" FROM "{table}"'
            ):
                if (
                    NOT_IN_NAMES.search(value)
                    or not value.strip()
                    or len(value) > _LONGEST_NAME
                ):
                    yield f"a {table} has the {column} {value!r:.80}, which is no name"


def _wrong_times(connection: Connection) -> Iterator[str]:
    for table in _TIMES:
        for (at,) in connection.execute(f"SELECT DISTINCT at FROM {table}"):
            try:
                datetime.fromisoformat(at)
            except ValueError:
                yield f"a {table} is of the time {at!r:.60}"


def _wrong_rankings(connection: Connection) -> Iterator[str]:
    known = {n for (n,) in connection.execute("SELECT number FROM passage")}
    for query_id, numbers in connection.execute(
        "SELECT query_id, passages FROM ranking"
    ):
        found = np.abs(np.frombuffer(numbers, dtype="<i4").astype(np.int64))
        if not set(found[found > 0].tolist()) <= known:
            yield f"a ranking of '{query_id}' has a passage that is not there"


def _wrong_json(connection: Connection) -> Iterator[str]:
    """JSON columns whose values are not of the shape that their readers take."""
    shapes: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
        ("item", "choices", are_choices),
        ("answer_key", "answers", are_texts),
        ("question", "provenance", lambda v: isinstance(v, dict)),
        ("generation", "parameters", _are_options),
        ("release", "board", lambda v: isinstance(v, list) and all(map(_is_score, v))),
    )
    for table, column, fits in shapes:
        for (stored,) in connection.execute(f"SELECT {column} FROM {table}"):
            if not fits(json.loads(stored)):
                yield f"a {table} has the {column} {stored:.60}"


def _wrong_events(connection: Connection) -> Iterator[str]:
    for event, *kept in connection.execute(
        "SELECT event_id, kind, query_id, question_id, before, after FROM event"
    ):
        if not is_event(*kept):
            yield f"event {event} ({kept[0]:.30}) says what no event says"


def _wrong_graders(connection: Connection) -> Iterator[str]:
    for name, key, spec, responder, their_spec in connection.execute(
        "SELECT name, grader.sha256, grader.spec, responder.sha256, responder.spec "
        "FROM grader JOIN responder USING (responder_id)"
    ):
        found = GraderSpec.from_json(json.loads(spec))
        if (
            found.name != name
            or not _is_spec(found)
            or found.key != key
            or found.responder.key != responder
            or json.loads(json.dumps(found.to_json()["responder"]))
            != json.loads(their_spec)
        ):
            yield f"the grader '{name:.60}' is not described as it is named"


def _is_spec(spec: GraderSpec) -> bool:
    """Whether everything that should be a text is one."""
    said = spec.responder
    texts = [spec.name, said.model, said.revision, said.prompt]
    texts += [spec.reading.parser, spec.reading.answers_of]
    texts += [part for pair in said.decoding for part in pair]
    return are_texts(texts)


def _wrong_questions(connection: Connection) -> Iterator[str]:
    """Questions whose item holds other words than they have."""
    keys = dict[str, str](
        connection.execute(
            "SELECT question_id, item.sha256 FROM question JOIN item USING (item_id)"
        )
    )
    for question in store_bank.read_bank(connection):
        if cached_item_key(item_of(question)) != keys[question.question_id]:
            yield f"question '{question.question_id}' has an item with other words"


def _are_options(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, str | int | float) for one in value.values()
    )


def _is_score(value: Any) -> bool:
    if not isinstance(value, list) or len(value) != 4:
        return False
    system, rank, score, stderr = value
    return (
        isinstance(system, str)
        and is_count(rank)
        and isinstance(score, int | float)
        and isinstance(stderr, int | float | None)
    )
