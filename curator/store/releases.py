"""Releases as the file keeps them: written once, never changed."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from curator.errors import ReleaseError, UnknownNameError
from curator.evaluation.releases import FrozenScore, Release
from curator.store import clocks
from curator.store.history import last_event, now


@dataclass(frozen=True, slots=True)
class ReleaseRecord:
    """A release without its content: who froze what, when and why.

    ``event_id`` is the latest event of the history that is in it.
    """

    name: str
    at: str  # ISO 8601, UTC
    by: str
    why: str
    event_id: int
    sha256: str
    grader: str
    measure: str
    min_rating: int
    k: int
    questions: int
    labels: int
    needed: int
    known: int


_COLUMNS = (
    "name, at, by, why, event_id, sha256, grader, measure, min_rating, k, questions, "
    "labels, needed, known"
)


def write_release(
    connection: sqlite3.Connection, name: str, release: Release, *, by: str, why: str
) -> ReleaseRecord:
    """Keep the release under this name. Call within a write transaction.

    Raises ReleaseError where the name is taken.
    """
    if connection.execute("SELECT 1 FROM release WHERE name = ?", (name,)).fetchone():
        raise ReleaseError(
            f"There is a release '{name}' already, and a release never changes; choose "
            "another name."
        )
    record = ReleaseRecord(
        name,
        now(),
        by,
        why,
        last_event(connection),
        release.sha256,
        release.settings.grader,
        release.settings.measure,
        release.settings.min_rating,
        release.settings.k,
        release.questions,
        len(release.labels()),
        release.needed,
        release.known,
    )
    board = [[one.system, one.rank, one.score, one.stderr] for one in release.board]
    connection.execute(
        f"INSERT INTO release ({_COLUMNS}, body, board) VALUES ({', '.join('?' * 16)})",
        (
            *(getattr(record, column) for column in _COLUMNS.split(", ")),
            release.canonical,
            json.dumps(board, ensure_ascii=False),
        ),
    )
    clocks.bump(connection, [clocks.RELEASES])
    return record


def read_releases(connection: sqlite3.Connection) -> tuple[ReleaseRecord, ...]:
    """Every release, the latest first."""
    return tuple(
        ReleaseRecord(*row)
        for row in connection.execute(
            f"SELECT {_COLUMNS} FROM release ORDER BY release_id DESC"
        )
    )


def read_release(
    connection: sqlite3.Connection, name: str
) -> tuple[ReleaseRecord, Release]:
    """The release of this name. Raises UnknownNameError with those there are."""
    row = connection.execute(
        f"SELECT {_COLUMNS}, body, board FROM release WHERE name = ?", (name,)
    ).fetchone()
    if row is None:
        names = ", ".join(one.name for one in read_releases(connection)) or "none yet"
        raise UnknownNameError(f"No release '{name}' here. There are: {names}.")
    *columns, body, board = row
    scores = (FrozenScore(*one) for one in json.loads(board))
    return ReleaseRecord(*columns), Release.from_json(body, scores)
