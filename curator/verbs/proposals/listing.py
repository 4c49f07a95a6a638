"""What models proposed: each asking, with the response as it came."""

from __future__ import annotations

import re
from collections.abc import Mapping

from curator.engine.state import State
from curator.store import generations as store
from curator.store.generations import Generation
from curator.verbs.proposals.request import Order
from curator.verbs.setup.settings import setup
from curator.visibility.human_first import Gate, gates
from grading.ratings import without_thoughts

__all__ = ["Generation", "generations", "nothing_to_add"]

_EMPTY_LIST = re.compile(r"(?:```\w*\s*)?\[\s*\]\s*(?:```)?")


def generations(
    state: State,
    *,
    query_id: str | None = None,
    asking: bool = False,
    unread: bool = False,
) -> tuple[Generation, ...]:
    """What models were asked to propose and what they said, the latest first.

    ``asking``: only what is being asked now. ``unread``: of what was asked about a
    query, a subtopic or a passage the latest, where that brought nothing and did not
    say either that there is nothing to add. What a judge is not to see yet is left out.
    """
    connection, closed = state.connection, state.viewer.closed
    found = store.read_generations(
        connection, query_id=query_id, asking=asking, unread=unread
    )
    gone = set()
    if asking and found:
        # Nobody asks any more for a process that has died.
        gone = {one.generation_id for one in store.left_behind(connection)}
    return tuple(
        one
        for one in found
        if one.query_id not in closed
        and one.generation_id not in gone
        and (not unread or one.error or not nothing_to_add(one.raw))
    )


def left_behind(state: State) -> bool:
    """Whether anything had been asked by a process that has died since."""
    return bool(store.left_behind(state.connection))


def gate(state: State, query_id: str) -> Gate:
    """How many questions I have to write here before I am shown proposals."""
    found: Mapping[str, Gate] = state.viewer.gates
    if not state.viewer.is_judge:
        found = gates(state.connection, state.collection, state.viewer.judge)
    return found.get(query_id, Gate(0, 0))


def usual_order(state: State) -> Order:
    """How models are asked unless somebody says otherwise; no model, by default."""
    return setup(state.connection).generation or Order(model="")


def nothing_to_add(raw: str) -> bool:
    """Whether a response is an empty list, as the ``passage`` prompt asks for."""
    return _EMPTY_LIST.fullmatch(without_thoughts(raw)) is not None
