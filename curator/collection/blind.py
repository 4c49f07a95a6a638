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

    Pools keep their passages, and every system its rankings, so every score stays what
    it is. Systems stand in the order of their masks: the order of import, often the
    alphabet's, would tell which is which. The salt of the masks is gone as well. The
    same object each time, so what is computed from it can be kept.
    """
    names = masks(collection.systems, collection.mask_salt)
    # The row that each mask's system has in the pools, by mask.
    rows = {names[system]: row for row, system in enumerate(collection.systems)}
    systems = tuple(sorted(rows))
    order = np.array([rows[mask] for mask in systems], dtype=np.intp)
    return replace(
        collection,
        systems=systems,
        pools={
            query_id: replace(
                pool,
                top=pool.top[order],
                listed=pool.listed[order] if len(pool.listed) else pool.listed,
                judgments=np.full_like(pool.judgments, UNJUDGED),
            )
            for query_id, pool in collection.pools.items()
        },
        official={},
        min_relevance=None,
        mask_salt="",
    )


def masks(systems: Iterable[str], salt: str) -> dict[str, str]:
    """``System 07`` by name, numbered in an order that tells nothing of the names.

    The order is secret as long as ``salt`` is: names are public, so anybody could
    compute one that rests on them alone.
    """
    shuffled = sorted(
        systems, key=lambda name: sha256(f"{salt}\n{name}".encode()).digest()
    )
    width = len(str(len(shuffled)))
    return {
        system: f"System {number:0{width}}" for number, system in enumerate(shuffled, 1)
    }
