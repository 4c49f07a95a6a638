"""What models proposed: each asking, with the response as it came."""

from __future__ import annotations

import re
import sqlite3

from curator.store import generations as store
from curator.store.generations import Generation
from grading.chat_ratings import without_thoughts

__all__ = ["Generation", "generations", "nothing_to_add"]

_EMPTY_LIST = re.compile(r"(?:```\w*\s*)?\[\s*\]\s*(?:```)?")


def generations(
    connection: sqlite3.Connection,
    *,
    query_id: str | None = None,
    asking: bool = False,
    unread: bool = False,
) -> tuple[Generation, ...]:
    """What was asked (about a query), the latest first.

    ``unread``: of what was asked about a query, a subtopic or a passage the latest,
    where that brought nothing and did not say either that there is nothing to add.
    """
    found = store.read_generations(
        connection, query_id=query_id, asking=asking, unread=unread
    )
    if asking and found:
        # Nobody asks any more for a process that has died.
        gone = {one.generation_id for one in store.left_behind(connection)}
        return tuple(one for one in found if one.generation_id not in gone)
    if not unread:
        return found
    return tuple(one for one in found if one.error or not nothing_to_add(one.raw))


def nothing_to_add(raw: str) -> bool:
    """Whether a response is an empty list, as the ``passage`` prompt asks for."""
    return _EMPTY_LIST.fullmatch(without_thoughts(raw)) is not None
