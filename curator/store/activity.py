"""Who worked on a workspace and when: what its history counts up to."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Activity:
    """The history in figures. Times are ISO 8601, UTC; "" where nothing happened.

    ``edits`` counts events by whom they are signed, imports left out, the busiest
    first. ``imported`` counts the events of imports.
    """

    began: str
    latest: str
    edits: tuple[tuple[str, int], ...]
    imported: int


def activity(connection: sqlite3.Connection) -> Activity:
    """What the whole history counts up to; a release is no event, but has a time."""
    (began, last), (released,) = (
        connection.execute("SELECT min(at), max(at) FROM batch").fetchone(),
        connection.execute("SELECT max(at) FROM release").fetchone(),
    )
    edits = connection.execute(
        "SELECT by, count(*) FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind <> 'import' GROUP BY by ORDER BY count(*) DESC, by"
    ).fetchall()
    (imported,) = connection.execute(
        "SELECT count(*) FROM event JOIN batch USING (batch_id) "
        "WHERE batch.kind = 'import'"
    ).fetchone()
    return Activity(
        began or "",
        max(last or "", released or ""),
        tuple((str(by), int(count)) for by, count in edits),
        int(imported),
    )
