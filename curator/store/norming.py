"""Norming rounds in the file; answers and comments are marks (``bank/marks``)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from sqlite3 import Connection
from typing import Literal

from curator.bank.marks.norming import NormingTask
from curator.evaluation.norming import NormingItem, Round, Stamp
from curator.store import versions
from curator.store.connection import column, grouped
from curator.store.history import now


def read_rounds(
    connection: Connection, round_id: int | None = None
) -> tuple[Round, ...]:
    """Return all rounds, or this one, without answers, the latest first."""
    where = "WHERE :id IS NULL OR round_id = :id ORDER BY round_id DESC"
    items = grouped(
        connection.execute(
            "SELECT round_id, place, query_id, question_id, passage_id, query, "
            f"question, passage FROM norming_item {where}, place",
            {"id": round_id},
        )
    )
    rounds = connection.execute(
        "SELECT round_id, asks, highest, seed, opened_at, opened_by, revealed_at, "
        f"revealed_by, closed_at, closed_by FROM norming_round {where}",
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
            tuple(NormingItem(*row) for row in items.get(number, ())),
        )
        for number, asks, highest, seed, *stamps in rounds
    )


def round_of_nonce(connection: Connection, nonce: str | None) -> int | None:
    """Return the round that was opened under this nonce, or None."""
    row = connection.execute(
        "SELECT round_id FROM norming_round WHERE nonce = ?", (nonce,)
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
        [(number, *astuple(item)) for item in items],
    )
    _bump_banks(connection, number)
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
    _bump_banks(connection, round_id)


def _bump_banks(connection: Connection, round_id: int) -> None:
    """Have the rules of the round read again with the banks of its queries."""
    select = "SELECT DISTINCT query_id FROM norming_item WHERE round_id = ?"
    query_ids = column(connection, select, round_id)
    versions.bump(connection, map(versions.bank_scope, query_ids))
