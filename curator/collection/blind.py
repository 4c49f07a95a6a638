"""A collection as a judge may see it in blind mode: no names, no judgments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256

import numpy as np

from curator.collection.pools import UNJUDGED, Collection


@lru_cache(maxsize=8)
def blinded(collection: Collection) -> Collection:
    """The collection with systems renamed, and without judgments and official ranks.

    Pools keep their passages and rankings, so every score stays what it is; the same
    object each time, so what is computed from it can be kept.
    """
    names = masks(collection.systems)
    return replace(
        collection,
        systems=tuple(names[system] for system in collection.systems),
        pools={
            query_id: replace(pool, judgments=np.full_like(pool.judgments, UNJUDGED))
            for query_id, pool in collection.pools.items()
        },
        official={},
        min_relevance=None,
    )


def masks(systems: Iterable[str]) -> dict[str, str]:
    """``System 07`` by name, numbered in an order that tells nothing of the names."""
    shuffled = sorted(systems, key=lambda name: sha256(name.encode()).digest())
    width = len(str(len(shuffled)))
    return {
        system: f"System {number:0{width}}" for number, system in enumerate(shuffled, 1)
    }
