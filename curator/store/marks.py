"""The marks that stand: votes, verdicts on answers, ideal answers, queries done.

Each kind of mark has a table. The history has every mark there ever was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

from curator.bank.edits import Mark
from curator.bank.edits.done import Finished
from curator.bank.edits.ideal import Marked
from curator.bank.edits.verdict import Judged
from curator.bank.edits.vote import Voted
from curator.bank.marks import Ideal, Verdict, Votes
from curator.errors import EditError
from curator.store.connection import grouped
from curator.store.texts import text_ids


def read_done(connection: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """(query id, judge) of every done mark."""
    return frozenset(connection.execute("SELECT query_id, judge FROM done"))


def read_votes(
    connection: sqlite3.Connection, query_id: str | None = None
) -> dict[str, Votes]:
    """The votes that stand (in this query), by question id."""
    rows = connection.execute(
        "SELECT question_id, judge, value FROM vote WHERE :query IS NULL OR "
        "question_id IN (SELECT question_id FROM question WHERE query_id = :query) "
        "ORDER BY question_id, judge",
        {"query": query_id},
    )
    return {question_id: tuple(votes) for question_id, votes in grouped(rows).items()}


def read_ideals(
    connection: sqlite3.Connection, query_id: str | None = None
) -> dict[str, tuple[Ideal, ...]]:
    """The ideal answers that people marked, by query."""
    rows = connection.execute(
        "SELECT query_id, passage_id, start, nullif(end, -1) FROM ideal "
        "JOIN passage ON passage.number = ideal.passage "
        "WHERE :query IS NULL OR query_id = :query",
        {"query": query_id},
    )
    return {
        query: tuple(sorted((Ideal(*one) for one in many), key=Ideal.in_order))
        for query, many in grouped(rows).items()
    }


def read_verdicts(
    connection: sqlite3.Connection, query_id: str | None = None
) -> dict[str, tuple[Verdict, ...]]:
    """The verdicts that stand (in this query), by query."""
    rows = connection.execute(
        "SELECT query_id, question_id, asked.body, answered.body, judge, value "
        "FROM verdict JOIN text AS asked ON asked.text_id = verdict.question "
        "JOIN text AS answered ON answered.text_id = verdict.answer "
        "WHERE :query IS NULL OR query_id = :query",
        {"query": query_id},
    )
    return {
        query: tuple(sorted((Verdict(*one) for one in many), key=Verdict.in_order))
        for query, many in grouped(rows).items()
    }


def write_mark(
    connection: sqlite3.Connection, query_id: str, mark: Mark, *, by: str, at: str
) -> None:
    """Store the mark that stands now, or none. Raises EditError."""
    _WRITERS[type(mark)](connection, query_id, mark, by, at)


def _write_done(
    connection: sqlite3.Connection, query_id: str, mark: Finished, by: str, at: str
) -> None:
    key = {"query_id": query_id, "judge": by}
    _put(connection, "done", key, {"at": at} if mark.after else None)


def _write_vote(
    connection: sqlite3.Connection, query_id: str, mark: Voted, by: str, at: str
) -> None:
    key = {"question_id": mark.question_id, "judge": by}
    values = {"value": mark.after, "at": at}
    _put(connection, "vote", key, values if mark.after else None)


def _write_verdict(
    connection: sqlite3.Connection, query_id: str, mark: Judged, by: str, at: str
) -> None:
    ids = text_ids(connection, {mark.question, mark.answer})
    words = {"question": ids[mark.question], "answer": ids[mark.answer]}
    values = {"question_id": mark.question_id, "value": mark.after, "at": at}
    key = {"query_id": query_id, **words, "judge": by}
    _put(connection, "verdict", key, values if mark.after else None)


def _write_ideal(
    connection: sqlite3.Connection, query_id: str, mark: Marked, by: str, at: str
) -> None:
    """The passage has to be in the query's pool, and a span within its text."""
    ideal = mark.ideal
    row = connection.execute(
        "SELECT passage, length(body) FROM pool JOIN passage ON "
        "passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? AND passage_id = ?",
        (query_id, ideal.passage_id),
    ).fetchone()
    if row is None:
        raise EditError(
            f"No passage '{ideal.passage_id}' in the pool of query '{query_id}'."
        )
    number, length = row
    end = length if ideal.end is None else ideal.end
    if not 0 <= ideal.start < end <= length:
        raise EditError(
            f"Characters {ideal.start} to {end} are not in passage "
            f"'{ideal.passage_id}', which has {length}."
        )
    span = {"start": ideal.start, "end": -1 if ideal.end is None else ideal.end}
    key = {"query_id": query_id, "passage": number, **span}
    _put(connection, "ideal", key, {"by": by, "at": at} if mark.after else None)


_WRITERS: dict[type[Mark], Callable[..., None]] = {
    Finished: _write_done,
    Voted: _write_vote,
    Judged: _write_verdict,
    Marked: _write_ideal,
}


def _put(
    connection: sqlite3.Connection,
    table: str,
    key: dict[str, Any],
    values: dict[str, Any] | None,
) -> None:
    """Have the table hold this row, in place of what the key had; None for no row."""
    if values is None:
        where = " AND ".join(f'"{column}" = ?' for column in key)
        connection.execute(f"DELETE FROM {table} WHERE {where}", (*key.values(),))
        return
    row = key | values
    columns, marks = ", ".join(f'"{one}"' for one in row), ", ".join("?" * len(row))
    connection.execute(
        f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({marks})",
        (*row.values(),),
    )
