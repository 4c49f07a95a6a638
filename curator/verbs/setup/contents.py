"""What is in a workspace: its collection and its bank."""

from __future__ import annotations

from curator.bank.questions import Bank
from curator.collection.pools import Collection
from curator.engine.state import State


def collection(state: State) -> Collection:
    """Queries, pools, systems, official ranks; the same object until it changes."""
    return state.collection


def bank(state: State) -> Bank:
    """Every question in every state, by query; of votes and verdicts what is seen."""
    return state.seen.bank
