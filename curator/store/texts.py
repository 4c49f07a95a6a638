"""Texts, items and answer keys, stored once each by content key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from sqlite3 import Connection
from typing import TypeVar

from curator.bank.questions import Question, WithheldQuestion
from curator.store.connection import column, rows_in
from grading.items import AllOf, Item, KeyOnlyAnswers, KeyOnlyItem
from grading.keys import answer_key_key, item_key, text_key

T = TypeVar("T")


def text_ids(connection: Connection, bodies: Iterable[str]) -> dict[str, int]:
    """Return text ids by body, storing those that are new."""
    return keyed_text_ids(connection, text_keys(bodies))


def text_keys(bodies: Iterable[str]) -> dict[str, str]:
    """Return content keys by body; for many texts call it before a transaction."""
    return {body: text_key(body) for body in bodies}


def keyed_text_ids(
    connection: Connection, key_by_body: Mapping[str, str]
) -> dict[str, int]:
    """Text id by body, storing those that are new."""
    connection.executemany(
        "INSERT OR IGNORE INTO text (sha256, body, letters) VALUES (?, ?, ?)",
        [(key, body, letters_of(body)) for body, key in key_by_body.items()],
    )
    return _stored_ids(connection, "text", "text_id", key_by_body)


SAMPLE_SIZE = 256  # texts of each kind


def sampled_texts(connection: Connection) -> tuple[list[str], list[str]]:
    """Return samples of query and question texts, and of passage texts.

    They are spread evenly over all; few pages are read, however many there are.
    """
    titles = column(connection, "SELECT title FROM query WHERE title <> query_id")
    numbers = column(connection, "SELECT number FROM question ORDER BY number")
    (last,) = column(connection, "SELECT coalesce(max(number), 0) FROM passage")
    queries = _sample(titles) + _bodies(connection, "question", _sample(numbers))
    return queries, _bodies(connection, "passage", _sample(range(1, last + 1)))


def _sample(values: Sequence[T]) -> list[T]:
    """Return at most ``SAMPLE_SIZE`` of the values, spread over all."""
    return list(values[:: len(values) // SAMPLE_SIZE + 1])


def _bodies(connection: Connection, table: str, numbers: Iterable[int]) -> list[str]:
    select = (
        f"SELECT body FROM {table} JOIN text USING (text_id) WHERE number IN ({{}})"
    )
    rows = rows_in(connection, f"{select} ORDER BY number", numbers)
    return [body for (body,) in rows]


def letters_of(body: str) -> int:
    """Return the number of characters that are not white space."""
    return sum(map(len, body.split()))


def ids_by_key(
    connection: Connection, table: str, column: str, keys: Iterable[str]
) -> dict[str, int]:
    """Return row ids by content key, for those stored.

    Table and column must not come from a user.
    """
    select = f"SELECT sha256, {column} FROM {table} WHERE sha256 IN ({{}})"
    return dict(rows_in(connection, select, keys))


def _stored_ids(
    connection: Connection, table: str, column: str, key_of: Mapping[T, str]
) -> dict[T, int]:
    """Return row ids by the objects that have a content key, for those stored."""
    ids = ids_by_key(connection, table, column, key_of.values())
    return {value: ids[key] for value, key in key_of.items() if key in ids}


def item_ids(connection: Connection, items: Iterable[Item]) -> dict[Item, int]:
    """Return item ids by item, storing those that are new."""
    key_by_item = {item: item_key(item) for item in items}
    texts = text_ids(
        connection, {item.text.strip() for item in key_by_item if item.text is not None}
    )
    connection.executemany(
        "INSERT OR IGNORE INTO item (sha256, kind, text_id, public_id, choices, "
        "candidate) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (
                key,
                item.kind,
                None if item.text is None else texts[item.text.strip()],
                item.public_id if item.text is None else None,
                json.dumps(item.choices, ensure_ascii=False),
                item.candidate,
            )
            for item, key in key_by_item.items()
        ],
    )
    return _stored_ids(connection, "item", "item_id", key_by_item)


def stored_item_ids(connection: Connection, items: Iterable[Item]) -> dict[Item, int]:
    """Return item ids by item, for those stored; stores nothing."""
    key_by_item = {item: item_key(item) for item in items}
    return _stored_ids(connection, "item", "item_id", key_by_item)


def keyed_items(
    connection: Connection, ids: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], tuple[Item, tuple[str, ...]]]:
    """Return item and answer key by (item id, key id)."""
    select = (
        "SELECT kind, body, item.choices, candidate, public_id, answers "
        "FROM answer_key, item LEFT JOIN text USING (text_id) "
        "WHERE item_id = ? AND key_id = ?"
    )
    items = {}
    for id_pair in ids:
        kind, text, choices, *other_columns, answers = connection.execute(
            select, id_pair
        ).fetchone()
        pairs = tuple((letter, choice) for letter, choice in json.loads(choices))
        items[id_pair] = Item(kind, text, pairs, *other_columns), answers_from(answers)
    return items


def key_ids(
    connection: Connection, answers: Iterable[tuple[str, ...]]
) -> Mapping[tuple[str, ...], int]:
    """Return answer-key ids, storing those that are new; 0 for no answers."""
    keys = {
        answer_key: answer_key_key(answer_key) for answer_key in answers if answer_key
    }
    connection.executemany(
        "INSERT OR IGNORE INTO answer_key (sha256, answers) VALUES (?, ?)",
        [(key, answers_json(answer_key)) for answer_key, key in keys.items()],
    )
    return {(): 0} | _stored_ids(connection, "answer_key", "key_id", keys)


def answers_json(answers: tuple[str, ...]) -> str:
    """Return an answer key as JSON: a list, or ``{"AND": [...]}`` if all are needed."""
    content = {"AND": answers} if isinstance(answers, AllOf) else answers
    return json.dumps(content, ensure_ascii=False)


def answers_from(stored: str) -> tuple[str, ...]:
    content = json.loads(stored)
    return AllOf(content["AND"]) if isinstance(content, dict) else tuple(content)


def key_of(question: Question) -> tuple[str, ...]:
    """Return the answer key by which a grader checks the question."""
    if isinstance(question, WithheldQuestion):
        return KeyOnlyAnswers((question.answers_key,)) if question.answers_key else ()
    answers, needs_all = question.answers, question.aggregator == "AND"
    return AllOf(answers) if needs_all and len(answers) > 1 else answers


def item_of(question: Question) -> Item:
    """Return the item by which graders grade this question."""
    if isinstance(question, WithheldQuestion):
        question_id, key = question.question_id, question.item_key
        return KeyOnlyItem(question.kind, None, public_id=question_id, key=key)
    if question.text is None:
        return Item(question.kind, None, public_id=question.question_id)
    return Item(question.kind, question.text.strip(), question.choices)


@lru_cache(maxsize=1 << 16)
def cached_item_key(item: Item) -> str:
    """Return the item's content key; cached, since banks use the same items again."""
    return item_key(item)
