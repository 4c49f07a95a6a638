"""The marks that stand: votes, verdicts on answers, ideal answers, queries done.

Each kind of mark has a table. The history has every mark there ever was.
"""

from __future__ import annotations

import sqlite3

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
    """Store the mark that stands now in place of the one before, or none.

    Raises EditError for an ideal answer that is not in the query's pool.
    """
    key: dict[str, str | int]
    values: dict[str, str | None] = {}
    match mark:
        case Finished():
            table, key = "done", {"query_id": query_id, "judge": by}
        case Voted():
            table, key = "vote", {"question_id": mark.question_id, "judge": by}
            values = {"value": mark.after}
        case Judged():
            ids = text_ids(connection, {mark.question, mark.answer})
            words = {"question": ids[mark.question], "answer": ids[mark.answer]}
            table, key = "verdict", {"query_id": query_id, **words, "judge": by}
            values = {"question_id": mark.question_id, "value": mark.after}
        case Marked():
            table, key = "ideal", {"query_id": query_id}
            key |= _place(connection, query_id, mark.ideal)
            values = {"by": by}
        case _:
            raise TypeError(f"no table has marks of {type(mark).__name__}")
    where = " AND ".join(f'"{column}" = ?' for column in key)
    connection.execute(f"DELETE FROM {table} WHERE {where}", (*key.values(),))
    if mark.after:
        row = key | values | {"at": at}
        columns = ", ".join(f'"{column}"' for column in row)
        marks = ", ".join("?" * len(row))
        connection.execute(
            f"INSERT INTO {table} ({columns}) VALUES ({marks})", (*row.values(),)
        )


def _place(
    connection: sqlite3.Connection, query_id: str, ideal: Ideal
) -> dict[str, int]:
    """Where it stands; the passage has to be in the pool, a span within its text."""
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
    end = -1 if ideal.end is None else end
    return {"passage": number, "start": ideal.start, "end": end}
