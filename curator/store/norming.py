"""Norming rounds in the file: answers and comments are never overwritten.

All answers are read here; ``visibility/norming.py`` selects what each viewer may see.
"""

from __future__ import annotations

from collections.abc import Iterable
from sqlite3 import Connection
from typing import Literal

from curator.evaluation.norming import (
    Comment,
    NormingAnswer,
    NormingItem,
    NormingTask,
    Round,
    Stamp,
)
from curator.store import versions
from curator.store.connection import grouped
from curator.store.history import now


def read_rounds(
    connection: Connection, round_id: int | None = None
) -> tuple[Round, ...]:
    """Return all rounds, or this one, complete, the latest first.

    Answers and comments are in the order in which they were given.
    """

    def rows(
        table: str, columns: str, order: str
    ) -> dict[int, list[tuple[object, ...]]]:
        select = f"SELECT round_id, {columns} FROM {table} "
        where = "WHERE :id IS NULL OR round_id = :id ORDER BY round_id DESC, "
        return grouped(connection.execute(select + where + order, {"id": round_id}))

    items = rows(
        "norming_item",
        "place, query_id, question_id, passage_id, query, question, passage",
        "place",
    )
    answers = rows("norming_answer", "place, judge, answer, blind, at", "answer_id")
    comments = rows("norming_comment", "place, judge, text, at", "comment_id")
    answer_counts = connection.execute(
        "SELECT round_id, judge, count(answer) FROM norming_answer WHERE answer_id IN "
        "(SELECT max(answer_id) FROM norming_answer GROUP BY round_id, place, judge) "
        "GROUP BY round_id, judge ORDER BY round_id, judge"
    )
    counts_by_round = grouped(answer_counts)
    rounds = connection.execute(
        "SELECT round_id, asks, highest, seed, opened_at, opened_by, revealed_at, "
        "revealed_by, closed_at, closed_by FROM norming_round "
        "WHERE :id IS NULL OR round_id = :id ORDER BY round_id DESC",
        {"id": round_id},
    )
    return tuple(
        Round(
            number,
            asks,
            highest,
            seed,
            Stamp(*stamps[:2]),
            Stamp(*stamps[2:4]) if stamps[2] else None,
            Stamp(*stamps[4:]) if stamps[4] else None,
            tuple(NormingItem(*row) for row in items.get(number, ())),  # type: ignore[arg-type]
            tuple(_answer(*row) for row in answers.get(number, ())),  # type: ignore[arg-type]
            tuple(Comment(*row) for row in comments.get(number, ())),  # type: ignore[arg-type]
            tuple((judge, count) for judge, count in counts_by_round.get(number, ())),
        )
        for number, asks, highest, seed, *stamps in rounds
    )


def _answer(
    place: int, judge: str, answer: str | None, blind: int, at: str
) -> NormingAnswer:
    return NormingAnswer(place, judge, answer, bool(blind), at)


def round_of_nonce(connection: Connection, nonce: str | None) -> int | None:
    """Return the round that has this nonce, or an answer or comment that has it."""
    row = connection.execute(
        "SELECT round_id FROM norming_round WHERE nonce = ?1 UNION ALL "
        "SELECT round_id FROM norming_answer WHERE nonce = ?1 UNION ALL "
        "SELECT round_id FROM norming_comment WHERE nonce = ?1",
        (nonce,),
    ).fetchone()
    return row and int(row[0])


def write_round(
    connection: Connection,
    items: Iterable[NormingItem],
    *,
    task: NormingTask,
    highest: int,
    seed: int | None,
    by: str,
    nonce: str | None = None,
) -> int:
    """Open a round of these items; return its number. Call within a transaction."""
    cursor = connection.execute(
        "INSERT INTO norming_round (asks, highest, seed, opened_at, opened_by, "
        "nonce) VALUES (?, ?, ?, ?, ?, ?)",
        (task, highest, seed, now(), by, nonce),
    )
    number = int(cursor.lastrowid or 0)
    connection.executemany(
        "INSERT INTO norming_item VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                number,
                item.place,
                item.query_id,
                item.question_id,
                item.passage_id,
                item.query,
                item.question,
                item.passage,
            )
            for item in items
        ],
    )
    versions.bump(connection, [versions.NORMING])
    return number


def mark_round(
    connection: Connection,
    round_id: int,
    what: Literal["revealed", "closed"],
    by: str,
) -> None:
    """Mark the round as revealed or closed now; an earlier mark stays."""
    connection.execute(
        f"UPDATE norming_round SET {what}_at = ?, {what}_by = ? "
        f"WHERE round_id = ? AND {what}_at IS NULL",
        (now(), by, round_id),
    )
    versions.bump(connection, [versions.NORMING])


def write_answer(
    connection: Connection,
    round_id: int,
    answer: NormingAnswer,
    nonce: str | None = None,
) -> None:
    """Append an answer; earlier ones stay. Call within a write transaction."""
    connection.execute(
        "INSERT INTO norming_answer (round_id, place, judge, answer, blind, at, "
        "nonce) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            round_id,
            answer.place,
            answer.judge,
            answer.answer,
            answer.blind,
            answer.at,
            nonce,
        ),
    )
    versions.bump(connection, [versions.NORMING])


def write_comment(
    connection: Connection, round_id: int, comment: Comment, nonce: str | None = None
) -> None:
    """Append a comment. Call within a write transaction."""
    connection.execute(
        "INSERT INTO norming_comment (round_id, place, judge, text, at, nonce) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (round_id, comment.place, comment.judge, comment.text, comment.at, nonce),
    )
    versions.bump(connection, [versions.NORMING])
