"""Stored raw responses of models; ratings and answers are derived from them.

A model's answers may get scores: a score is the response to an item of the kind
*candidate* (question, choices and answer) under the answer key that the model saw. Its
text is the answer itself.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from sqlite3 import Connection

from curator.store.connection import rows_in
from curator.store.texts import ids_by_key, item_ids, stored_item_ids, text_ids
from grading.items import Item
from grading.keys import answer_key_key
from grading.responders import Reading, Responder


def raw_by_text(
    connection: Connection, responder_id: int, item_id: int
) -> dict[int, str]:
    """Return the raw responses to one item, by text id."""
    return dict(
        connection.execute(
            "SELECT text_id, raw FROM response WHERE responder_id = ? AND item_id = ? "
            "AND key_id = 0 AND raw IS NOT NULL",
            (responder_id, item_id),
        )
    )


def answered_texts(
    connection: Connection, responder: Responder
) -> defaultdict[str, set[str]]:
    """Return content keys of texts with a response, by the item's content key."""
    text_keys: defaultdict[str, set[str]] = defaultdict(set)
    for item_key, text_key in connection.execute(
        "SELECT item.sha256, text.sha256 FROM response JOIN item USING (item_id) "
        "JOIN text ON text.text_id = response.text_id "
        "JOIN responder USING (responder_id) "
        "WHERE responder.sha256 = ? AND key_id = 0 AND raw IS NOT NULL",
        (responder.key,),
    ):
        text_keys[item_key].add(text_key)
    return text_keys


def put_responses(
    connection: Connection,
    responder_id: int,
    responses: Iterable[tuple[int, int, str, str | None]],
) -> None:
    """Store (item id, text id, raw response, extracted answer or None).

    Each in place of an earlier one. Call within a write transaction.
    """
    rows = [
        (responder_id, item_id, 0, *columns, None, None)
        for item_id, *columns in sorted(responses, key=lambda columns: columns[:2])
    ]
    insert = "INSERT OR REPLACE INTO response VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    connection.executemany(insert, rows)


def answers_of(
    connection: Connection,
    responder_id: int,
    item_ids: Sequence[int],
    passage_ids: Sequence[str],
) -> list[tuple[int, str, str | None, str | None]]:
    """Return (item id, passage id, extracted answer, raw response) of these pairs."""
    return connection.execute(
        "SELECT item_id, passage_id, answer, raw FROM passage "
        "JOIN response USING (text_id) WHERE responder_id = ? AND key_id = 0 "
        "AND item_id IN (SELECT value FROM json_each(?)) "
        "AND passage_id IN (SELECT value FROM json_each(?)) "
        "AND coalesce(answer, raw) IS NOT NULL",
        (responder_id, json.dumps(item_ids), json.dumps(passage_ids)),
    ).fetchall()


StatedAnswer = str | int
"""An answer, or the rating of a response without one: 0 or UNREADABLE."""


def responder_with_key(connection: Connection, key: str) -> int | None:
    """Return the id of the responder with this content key, or None."""
    return ids_by_key(connection, "responder", "responder_id", [key]).get(key)


def stored_key_id(connection: Connection, answers: tuple[str, ...]) -> int:
    """Return the answer key's id; 0 if it is empty or not stored."""
    key = answer_key_key(answers)
    return ids_by_key(connection, "answer_key", "key_id", [key]).get(key, 0)


def stated_answers(
    connection: Connection, responder_id: int | None, item_id: int, parser: str
) -> dict[int, StatedAnswer]:
    """Return the responder's answers by text id, from its raw or extracted texts.

    ``parser`` is that of the grader that checks the answers. Imported ratings are
    ignored.
    """
    # Imports the answer check, which a board does not need.
    from grading.readings import stated_answer

    return {
        text_id: stated_answer(words, parser)
        for text_id, words in connection.execute(
            "SELECT text_id, coalesce(answer, raw) FROM response "
            "WHERE responder_id = ? AND item_id = ? AND key_id = 0 "
            "AND coalesce(answer, raw) IS NOT NULL",
            (responder_id, item_id),
        )
    }


def answer_places(
    connection: Connection,
    responder_id: int | None,
    item_id: int,
    query_id: str,
    *,
    true_false: bool = False,
) -> list[tuple[int, str]]:
    """Return (pool position, answer) of the passages with an answer to the item.

    "no" is an answer to a ``true_false`` question.
    """
    # Imports the answer check, which most boards do not need.
    from grading.readings import stated_answer

    answers = (
        # Read in the same way as for verdicts.
        (position, stated_answer(words, true_false=true_false))
        for position, words in connection.execute(
            "SELECT position, coalesce(answer, raw) FROM pool "
            "JOIN passage ON passage.number = pool.passage "
            "JOIN response USING (text_id) WHERE pool.query_id = ? "
            "AND responder_id = ? AND item_id = ? AND key_id = 0 "
            "AND coalesce(answer, raw) IS NOT NULL",
            (query_id, responder_id, item_id),
        )
    )
    return [
        (position, answer) for position, answer in answers if isinstance(answer, str)
    ]


def scores_of(
    connection: Connection,
    responder_id: int | None,
    key_id: int,
    candidates: Iterable[Item],
) -> dict[Item, str]:
    """Return the raw stored score of each candidate that has one."""
    if responder_id is None:
        return {}
    stored = stored_item_ids(connection, candidates)
    candidate_by_id = {item_id: item for item, item_id in stored.items()}
    select = (
        "SELECT item_id, raw FROM response WHERE responder_id = ? AND key_id = ? "
        "AND item_id IN ({})"
    )
    rows = rows_in(connection, select, candidate_by_id, responder_id, key_id)
    return {candidate_by_id[item_id]: raw for item_id, raw in rows}


def store_scores(
    connection: Connection,
    responder_id: int,
    scores: Mapping[tuple[Item, int], float],
) -> None:
    """Store the score of each (candidate, key id). Call within a write transaction.

    An existing score stays: it is equal except for rounding, and ratings were derived
    from it.
    """
    items = item_ids(connection, {item for item, _ in scores})
    texts = text_ids(connection, {item.candidate or "" for item in items})
    rows = sorted(
        (responder_id, items[item], key_id, texts[item.candidate or ""], repr(score))
        for (item, key_id), score in scores.items()
    )
    connection.executemany(
        "INSERT OR IGNORE INTO response (responder_id, item_id, key_id, text_id, "
        "raw) VALUES (?, ?, ?, ?, ?)",
        rows,
    )


def checked_ratings(
    connection: Connection,
    responder_id: int,
    reading: Reading,
    item: tuple[int, int],
) -> dict[int, int]:
    """Return ratings by text id for (item id, key id), if answer and score are stored.

    0 if the answering model said that there is no answer, UNREADABLE if its response is
    unreadable.
    """
    from grading.ava.grader import candidate_item
    from grading.readings import read_response

    item_id, key_id = item
    row = connection.execute(
        "SELECT body, choices FROM item JOIN text USING (text_id) WHERE item_id = ?",
        (item_id,),
    ).fetchone()
    if row is None or not key_id:
        return {}
    pairs = tuple((letter, text) for letter, text in json.loads(row[1]))
    question = Item("question", row[0], pairs)
    source_id = responder_with_key(connection, reading.answers_of)
    stated = stated_answers(connection, source_id, item_id, reading.parser)
    answers = (answer for answer in stated.values() if isinstance(answer, str))
    candidates = {answer: candidate_item(question, answer) for answer in answers}
    scores = scores_of(connection, responder_id, key_id, candidates.values())
    ratings = {}
    for text_id, answer in stated.items():
        if isinstance(answer, int):
            ratings[text_id] = answer
        elif (raw := scores.get(candidates[answer])) is not None:
            ratings[text_id] = read_response(reading, raw)
    return ratings
