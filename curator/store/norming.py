"""Norming rounds as the file keeps them: nothing answered or said is ever written over.

What is read here has every answer in it; ``visibility/norming.py`` gives each viewer
what they may see of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from sqlite3 import Connection
from typing import Literal

from curator.evaluation.norming import Comment, Given, Item, Of, Round, Stamp
from curator.store import versions
from curator.store.connection import grouped
from curator.store.digests import adding, changing
from curator.store.history import now


def read_rounds(
    connection: Connection, round_id: int | None = None
) -> tuple[Round, ...]:
    """Every round, or this one if there is one, with everything in it; the last first.

    Answers and comments in the order in which they were given.
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
    given = rows("norming_answer", "place, judge, answer, blind, at", "answer_id")
    said = rows("norming_comment", "place, judge, text, at", "comment_id")
    counted = connection.execute(
        "SELECT round_id, judge, count(answer) FROM norming_answer WHERE answer_id IN "
        "(SELECT max(answer_id) FROM norming_answer GROUP BY round_id, place, judge) "
        "GROUP BY round_id, judge ORDER BY round_id, judge"
    )
    answered = grouped(counted)
    rounds = connection.execute(
        "SELECT round_id, asks, highest, seed, opened_at, opened_by, revealed_at, "
        "revealed_by, closed_at, closed_by FROM norming_round "
        "WHERE :id IS NULL OR round_id = :id ORDER BY round_id DESC",
        {"id": round_id},
    )
    return tuple(
        Round(
            *(number, asks, highest, seed, Stamp(*stamps[:2])),
            Stamp(*stamps[2:4]) if stamps[2] else None,
            Stamp(*stamps[4:]) if stamps[4] else None,
            tuple(Item(*one) for one in items.get(number, ())),  # type: ignore[arg-type]
            tuple(_given(*one) for one in given.get(number, ())),  # type: ignore[arg-type]
            tuple(Comment(*one) for one in said.get(number, ())),  # type: ignore[arg-type]
            tuple((judge, count) for judge, count in answered.get(number, ())),
        )
        for number, asks, highest, seed, *stamps in rounds
    )


def _given(place: int, judge: str, answer: str | None, blind: int, at: str) -> Given:
    return Given(place, judge, answer, bool(blind), at)


def is_saved(connection: Connection, nonce: str | None) -> int | None:
    """The round in which something was saved under this nonce, None without any."""
    found = connection.execute(
        "SELECT round_id FROM norming_round WHERE nonce = ?1 UNION ALL "
        "SELECT round_id FROM norming_answer WHERE nonce = ?1 UNION ALL "
        "SELECT round_id FROM norming_comment WHERE nonce = ?1",
        (nonce,),
    ).fetchone()
    return found and int(found[0])


def write_round(
    connection: Connection,
    items: Iterable[Item],
    *,
    of: Of,
    highest: int,
    seed: int | None,
    by: str,
    nonce: str | None = None,
) -> int:
    """Open a round of these items; its number. Call within a write transaction."""
    with (
        adding(connection, "norming_round", "round_id"),
        adding(connection, "norming_item", "round_id"),
    ):
        cursor = connection.execute(
            "INSERT INTO norming_round (asks, highest, seed, opened_at, opened_by, "
            "nonce) VALUES (?, ?, ?, ?, ?, ?)",
            (of, highest, seed, now(), by, nonce),
        )
        number = int(cursor.lastrowid or 0)
        connection.executemany(
            "INSERT INTO norming_item VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(number, one.place, one.query_id, one.question_id, one.passage_id),
                    *(one.query, one.question, one.passage),
                )
                for one in items
            ],
        )
    versions.bump(connection, [versions.NORMING])
    return number


def stamp_round(
    connection: Connection,
    round_id: int,
    what: Literal["revealed", "closed"],
    by: str,
) -> None:
    """Say that it is so since now, by whom; as it was where it was so already."""
    with changing(connection, "norming_round", "round_id = ?", round_id):
        connection.execute(
            f"UPDATE norming_round SET {what}_at = ?, {what}_by = ? "
            f"WHERE round_id = ? AND {what}_at IS NULL",
            (now(), by, round_id),
        )
    versions.bump(connection, [versions.NORMING])


def write_answer(
    connection: Connection, round_id: int, given: Given, nonce: str | None = None
) -> None:
    """Keep an answer beside those before it. Call within a write transaction."""
    with adding(connection, "norming_answer", "answer_id"):
        connection.execute(
            "INSERT INTO norming_answer (round_id, place, judge, answer, blind, at, "
            "nonce) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                *(round_id, given.place, given.judge, given.answer, given.blind),
                *(given.at, nonce),
            ),
        )
    versions.bump(connection, [versions.NORMING])


def write_comment(
    connection: Connection, round_id: int, said: Comment, nonce: str | None = None
) -> None:
    """Keep what was said. Call within a write transaction."""
    with adding(connection, "norming_comment", "comment_id"):
        connection.execute(
            "INSERT INTO norming_comment (round_id, place, judge, text, at, nonce) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (round_id, said.place, said.judge, said.text, said.at, nonce),
        )
    versions.bump(connection, [versions.NORMING])
