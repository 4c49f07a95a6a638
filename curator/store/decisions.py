"""What became of the questions that were proposed, as the history tells it."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Decision:
    """A proposal and what stands decided of it.

    ``proposed`` are the words it came in, ``text`` those it has now. ``by`` is None
    while nobody has decided; ``kind`` and ``at`` are then "". ``seconds`` is the
    judge's time for this decision, an equal share of that for the ``together`` decided
    at once; None where nobody measured. What is redone keeps its time.
    """

    question_id: str
    query_id: str
    proposed: str
    text: str
    by: str | None = None
    kind: str = ""
    at: str = ""
    dropped: bool = False
    seconds: float | None = None
    together: int = 1


def read_decisions(connection: sqlite3.Connection) -> tuple[Decision, ...]:
    """Every question that was ever proposed and has not been taken out again.

    A decision that was undone does not stand; the latest one counts. Whoever restores
    what was dropped has kept it, whoever writes it anew has written it; what becomes of
    a kept one is no decision any more.
    """
    rows = connection.execute(
        "SELECT question_id, event.query_id, event.kind, by, at, seconds, batch_id, "
        "json_extract(before, '$.state') AS was, json_extract(after, '$.state'), "
        "json_extract(before, '$.text'), json_extract(after, '$.text') "
        "FROM event JOIN batch USING (batch_id) "
        "WHERE question_id IS NOT NULL AND ('proposed' IN "
        "(was, json_extract(after, '$.state')) OR event.kind IN "
        "('restore', 'undo restore', 'redo restore', 'add', 'undo add', 'redo add')) "
        "ORDER BY event_id"
    ).fetchall()
    decided_in = Counter(row[6] for row in rows if row[7] == "proposed")
    found: dict[str, Decision] = {}
    dropped: dict[str, Decision] = {}  # what somebody restored, as it was before
    timed: dict[tuple[str, str], tuple[float | None, int]] = {}  # for what is redone
    for question_id, query_id, kind, by, at, *rest in rows:
        seconds, batch, was, state, old, new = rest
        if state == "proposed":
            # The first words stand, through whatever was decided and undone.
            first = found.get(question_id)
            words = first.proposed if first else new
            found[question_id] = Decision(question_id, query_id, words or "", new or "")
        elif state is None:
            found.pop(question_id, None)
        elif was != "proposed":
            if kind.startswith("undo "):
                if question_id in dropped:
                    found[question_id] = dropped.pop(question_id)
            elif question_id in found and found[question_id].dropped:
                before = dropped[question_id] = found[question_id]
                found[question_id] = replace(
                    before, by=by, kind=kind, at=at, dropped=False, seconds=None
                )
        else:
            words = found[question_id].proposed if question_id in found else old or ""
            share = None if seconds is None else seconds / decided_in[batch]
            if kind.startswith("redo "):
                share, together = timed.get((question_id, kind[5:]), (None, 1))
            else:
                together = decided_in[batch]
                timed[question_id, kind] = share, together
            found[question_id] = Decision(
                question_id=question_id,
                query_id=query_id,
                proposed=words,
                text=new or "",
                by=by,
                kind=kind,
                at=at,
                dropped=state == "retired",
                seconds=share,
                together=together,
            )
    return tuple(found.values())


def proposed_words(connection: sqlite3.Connection, query_id: str) -> list[str]:
    """The words in which every question of the query was proposed that ever was."""
    return [
        text
        for (text,) in connection.execute(
            "SELECT json_extract(after, '$.text') FROM event "
            "WHERE query_id = ? AND kind = 'propose'",
            (query_id,),
        )
    ]


def words_by(
    connection: sqlite3.Connection, question_ids: Iterable[str]
) -> dict[tuple[str, str], str]:
    """The words that each judge last left a question in, by question id and judge."""
    wanted = set(question_ids)
    return {
        (question_id, by): text
        for question_id, by, text in connection.execute(
            "SELECT question_id, by, json_extract(after, '$.text') FROM event "
            "JOIN batch USING (batch_id) WHERE after IS NOT NULL "
            "AND batch.kind <> 'import' ORDER BY event_id"
        )
        if question_id in wanted and text is not None
    }


def written_by(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    """(judge, query id) by question id: who wrote what people added.

    Only what stands still, and not what was imported or proposed. A proposal that
    somebody typed without having seen it is theirs.
    """
    added: dict[str, tuple[str, str]] = {}
    found: dict[str, tuple[str, str]] = {}
    for question_id, by, query_id, kind in connection.execute(
        "SELECT question_id, by, query_id, event.kind FROM event "
        "JOIN batch USING (batch_id) WHERE event.kind IN "
        "('add', 'undo add', 'redo add') ORDER BY event_id"
    ):
        if kind == "add":
            added[question_id] = (by, query_id)
        if kind == "undo add":
            found.pop(question_id, None)
        else:
            found[question_id] = added[question_id]
    return found
