"""Raw responses of models that answer here; what they mean is derived from them."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grading.models.protocol import Response
from grading.responders import Responder


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """What was said about one item and text, and the answer found in it, if any."""

    item_id: int
    text_id: int
    response: Response
    answer: str | None


def raw_by_text(
    connection: sqlite3.Connection, responder_id: int, item_id: int
) -> dict[int, str]:
    """Raw response by text id, of one item."""
    return dict(
        connection.execute(
            "SELECT text_id, raw FROM response WHERE responder_id = ? AND item_id = ? "
            "AND key_id = 0 AND raw IS NOT NULL",
            (responder_id, item_id),
        )
    )


def texts_answered(
    connection: sqlite3.Connection, responder: Responder
) -> defaultdict[str, set[str]]:
    """Content keys of the texts that have a response, by the item's content key."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for item_key, text_key in connection.execute(
        "SELECT item.sha256, text.sha256 FROM response JOIN item USING (item_id) "
        "JOIN text ON text.text_id = response.text_id "
        "JOIN responder USING (responder_id) "
        "WHERE responder.sha256 = ? AND key_id = 0 AND raw IS NOT NULL",
        (responder.key,),
    ):
        found[item_key].add(text_key)
    return found


def put_responses(
    connection: sqlite3.Connection,
    responder_id: int,
    responses: Iterable[StoredResponse],
) -> None:
    """Store them, each in place of an earlier one. Call within a write transaction."""
    connection.executemany(
        "INSERT OR REPLACE INTO response (responder_id, item_id, key_id, text_id, raw, "
        "answer) VALUES (?, ?, 0, ?, ?, ?)",
        sorted(
            (responder_id, one.item_id, one.text_id, one.response.raw, one.answer)
            for one in responses
        ),
    )


def answers_of(
    connection: sqlite3.Connection,
    responder_id: int,
    item_ids: Sequence[int],
    passage_ids: Sequence[str],
) -> list[tuple[int, str, str | None, str | None]]:
    """(item id, passage id, answer found in it, raw response) of what was said.

    For what one page shows: items and passages together are fewer than SQLite's
    parameters.
    """
    items, passages = (",".join("?" * len(ids)) for ids in (item_ids, passage_ids))
    return connection.execute(
        "SELECT item_id, passage_id, answer, raw FROM passage "
        "JOIN response USING (text_id) WHERE responder_id = ? AND key_id = 0 "
        f"AND item_id IN ({items}) AND passage_id IN ({passages}) "
        "AND coalesce(answer, raw) IS NOT NULL",
        (responder_id, *item_ids, *passage_ids),
    ).fetchall()
