"""Changes of a query's scores if one label or grade is flipped.

A flip reverses whether one passage is relevant, or answers one item. Its effect depends
only on the rank at which each system lists the passage. Many flips change the same
systems by the same amount; they count once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool


@dataclass(frozen=True, eq=False)
class ListedRanks:
    """Ranks of the passages that any system lists.

    ``passages`` are their pool positions, ``ranks`` (passages, systems) counts from
    0, −1 where ``is_listed`` (passages, systems) is False.
    """

    passages: NDArray[np.int64]
    ranks: NDArray[np.int64]
    is_listed: NDArray[np.bool_]


@lru_cache(maxsize=4096)
def listed_ranks(pool: Pool, depth: int | None) -> ListedRanks:
    """Find the passages in the first ``depth`` ranks of every system, with ranks."""
    top = pool.top_k(depth)
    systems, ranks = np.nonzero(top >= 0)
    rank_of = np.full((pool.size, len(top)), -1)
    rank_of[top[systems, ranks], systems] = ranks
    passages = np.flatnonzero((rank_of >= 0).any(axis=1))
    return ListedRanks(passages, rank_of[passages], rank_of[passages] >= 0)


def coverage_flips(
    correct: NDArray[np.bool_], listed: ListedRanks
) -> NDArray[np.float64]:
    """(flips, systems): items gained (1) or lost (−1) if one grade is flipped.

    ``correct`` is (items, passages of the pool). A system gains an item that nothing
    it lists answers, and loses one that a single passage answers.
    """
    systems = listed.is_listed.shape[1]
    answers = correct[:, listed.passages]
    answer_counts = answers.astype(np.float32) @ listed.is_listed.astype(np.float32)
    listing_systems = packed(listed.is_listed)  # (passages, words)
    unanswered = packed(answer_counts == 0)[:, None] & listing_systems
    answered_once = packed(answer_counts == 1)[:, None] & listing_systems
    return np.concatenate(
        [
            distinct_sets(unanswered[~answers], systems),
            -distinct_sets(answered_once[answers], systems),
        ]
    )


def packed(sets: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """(…, words): the sets of systems (…, systems) as bits, 64 in a word."""
    systems = sets.shape[-1]
    words = max(-(-systems // 64), 1)
    padded = np.zeros((*sets.shape[:-1], 64 * words), dtype=np.bool_)
    padded[..., :systems] = sets
    return np.packbits(padded, axis=-1).view(np.uint64)


def distinct_sets(sets: NDArray[np.uint64], systems: int) -> NDArray[np.float64]:
    """(sets, systems): 1 for each system of each set, every set once, none empty."""
    nonempty = sets[sets.any(axis=-1)]
    if nonempty.shape[-1] == 1:  # whole words sort much faster than rows
        distinct = np.unique(nonempty[:, 0])[:, None]
    else:
        distinct = np.unique(nonempty, axis=0)
    bits = np.unpackbits(distinct.view(np.uint8), axis=-1, count=systems)
    return bits.astype(np.float64)
