"""Which measures a workspace has what it takes for, to choose from on a page."""

from __future__ import annotations

from curator.engine.state import State

COMMON = ("cover", "P@20", "P@10", "nDCG@10", "nDCG@20", "RR", "AP")
OF_GOLD = ("n-exam",)
OF_VOTES = ("weighted-cover", "nugget-f", "nugget-p", "vital-f", "vital-r")
OF_IDEALS = ("rouge-1-f1", "rouge-2-f1", "rouge-s4-f1", "rouge-su4-f1", "rouge-su4-r")


def measures(state: State) -> tuple[str, ...]:
    """The measures worth offering here; any other can still be asked for by name."""
    return state.cached(("measures",), lambda: _measures(state))


def _measures(state: State) -> tuple[str, ...]:
    gold = any(pool.gold for pool in state.collection.pools.values())
    kept = [question for question in state.bank if question.state == "kept"]
    votes = any(question.votes for question in kept)
    ideals = gold or any(map(state.bank.ideals_of, state.collection.pools))
    ideals = ideals or any(question.answers for question in kept)
    return (
        *COMMON,
        *(OF_GOLD if gold else ()),
        *(OF_VOTES if votes else ()),
        *(OF_IDEALS if ideals else ()),
    )
