"""Reading and writing questions; what changed is for the history to remember."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from curator.bank.marks import Votes
from curator.bank.questions import Bank, Question
from curator.store.marks import read_done, read_ideals, read_verdicts, read_votes
from curator.store.texts import item_ids, item_of, key_ids, text_ids

_SELECT = (
    "SELECT question_id, query_id, body, item.kind, state, subtopic_id, choices, "
    "answers, provenance, revision FROM question JOIN item USING (item_id) "
    "JOIN answer_key USING (key_id) LEFT JOIN text ON text.text_id = question.text_id"
)


def read_bank(connection: sqlite3.Connection) -> Bank:
    """Every question and done mark."""
    by_query: defaultdict[str, list[Question]] = defaultdict(list)
    votes = read_votes(connection)
    for row in connection.execute(f"{_SELECT} ORDER BY question.number"):
        question = _question(row, votes)
        by_query[question.query_id].append(question)
    return Bank(
        {query_id: tuple(many) for query_id, many in by_query.items()},
        read_done(connection),
        read_ideals(connection),
        read_verdicts(connection),
    )


def read_queries(
    connection: sqlite3.Connection, bank: Bank, query_ids: Iterable[str]
) -> Bank:
    """The bank with these queries read again; the others are shared."""
    by_query, ideals = dict(bank.by_query), dict(bank.ideals)
    verdicts = dict(bank.verdicts)
    for query_id in query_ids:
        by_query[query_id] = read_questions(connection, query_id)
        marked = read_ideals(connection, query_id).get(query_id, ())
        if marked != ideals.get(query_id, ()):
            ideals[query_id] = marked
        judged = read_verdicts(connection, query_id).get(query_id, ())
        if judged != verdicts.get(query_id, ()):
            verdicts[query_id] = judged
    return Bank(by_query, read_done(connection), ideals, verdicts)


def read_questions(
    connection: sqlite3.Connection, query_id: str
) -> tuple[Question, ...]:
    """One query's questions, in the order they came in."""
    rows = connection.execute(
        f"{_SELECT} WHERE query_id = ? ORDER BY question.number", (query_id,)
    )
    votes = read_votes(connection, query_id)
    return tuple(_question(row, votes) for row in rows)


def read_question(connection: sqlite3.Connection, question_id: str) -> Question | None:
    """The question of this id without its votes, None if there is none."""
    rows = connection.execute(f"{_SELECT} WHERE question_id = ?", (question_id,))
    return next((_question(row, {}) for row in rows), None)


def write_questions(
    connection: sqlite3.Connection, questions: Iterable[Question]
) -> None:
    """Store these questions, new or changed; their order of arrival stays.

    The event that first brought a question must be recorded: its number is the
    question's, so one that an undo took out comes back to its place.
    """
    questions = list(questions)
    items = item_ids(connection, [item_of(q) for q in questions])
    keys = key_ids(connection, [q.answers for q in questions])
    texts = text_ids(connection, {q.text for q in questions if q.text is not None})
    connection.executemany(
        "INSERT INTO question (number, question_id, query_id, subtopic_id, text_id, "
        "item_id, key_id, state, provenance, revision) VALUES ((SELECT min(event_id) "
        "FROM event WHERE event.question_id = ?1), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
        "ON CONFLICT (question_id) DO UPDATE SET subtopic_id = excluded.subtopic_id, "
        "text_id = excluded.text_id, item_id = excluded.item_id, "
        "key_id = excluded.key_id, state = excluded.state, "
        "provenance = excluded.provenance, revision = excluded.revision",
        [
            (
                q.question_id,
                q.query_id,
                q.subtopic_id,
                None if q.text is None else texts[q.text],
                items[item_of(q)],
                keys[q.answers],
                q.state,
                q.provenance,
                q.revision,
            )
            for q in questions
        ],
    )


def delete_question(connection: sqlite3.Connection, question_id: str) -> None:
    """Take a question out again; only undoing its addition does this."""
    connection.execute("DELETE FROM question WHERE question_id = ?", (question_id,))


def _question(row: tuple[Any, ...], votes: Mapping[str, Votes]) -> Question:
    fields = list(row)  # in the order of a question's
    fields[6] = () if row[6] == "[]" else tuple(map(tuple, json.loads(row[6])))
    fields[7] = () if row[7] == "[]" else tuple(json.loads(row[7]))
    fields.append(votes.get(row[0], ()))
    return Question(*fields)
