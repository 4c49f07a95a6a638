"""Who gave questions their words, as the history tells it."""

from __future__ import annotations

import sqlite3


def read_authors(connection: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    """(judge, when) by question id, for words that a person wrote here.

    Whoever first wrote the words a question has now, however often they came and went
    since. Words that came with a file or that a model proposed have no author here,
    unless somebody typed a proposal's words.
    """
    first: dict[str, dict[str, tuple[str, str] | None]] = {}
    for question_id, by, at, kind, batch_kind, text in connection.execute(
        "SELECT event.question_id, by, at, event.kind, batch.kind, "
        "json_extract(after, '$.text') FROM event JOIN batch USING (batch_id) "
        "WHERE event.question_id IS NOT NULL AND after IS NOT NULL ORDER BY event_id"
    ):
        words = first.setdefault(question_id, {})
        if kind == "add":
            words[text] = (by, at)
        else:
            foreign = batch_kind == "import" or kind == "propose"
            words.setdefault(text, None if foreign else (by, at))
    current = connection.execute(
        "SELECT question_id, body FROM question JOIN text USING (text_id)"
    )
    found = {}
    for question_id, text in current:
        author = first.get(question_id, {}).get(text)
        if author is not None:
            found[question_id] = author
    return found
