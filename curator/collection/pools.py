"""What the evaluation sees of a collection: pools and ranks as numpy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from curator.collection.queries import Query

GAP = -1  # a rank at which no passage with text stands
UNJUDGED = -(2**15)


@dataclass(frozen=True, eq=False)
class Pool:
    """A query's passages in their fixed order, and where each system ranked them.

    ``top`` is int32 (systems, depth): the pool position of the passage at each rank,
    GAP where there is none. ``judgments`` is int16 (passages,): the official grade,
    UNJUDGED where there is none.
    """

    query_id: str
    passage_ids: tuple[str, ...]
    top: NDArray[np.int32]
    judgments: NDArray[np.int16]

    @property
    def size(self) -> int:
        """The number of passages."""
        return len(self.passage_ids)

    @property
    def depth(self) -> int:
        """The deepest rank any system has here."""
        return int(self.top.shape[1])

    def top_k(self, k: int | None) -> NDArray[np.int32]:
        """The first ``k`` ranks of every system, all of them for None."""
        return self.top if k is None else self.top[:, :k]


@dataclass(frozen=True, eq=False)
class Collection:
    """A test collection: queries, pools, systems and what is known officially.

    ``official`` maps system to its official rank (1 is best; fractions and ties
    occur). ``min_relevance`` is the judgment from which a passage counts as
    relevant, None where nobody has said. ``guidelines`` is Markdown that the organizer
    wrote for the judges, None where there is none. ``blind``: judges are not to see
    system names, judgments and official ranks. ``mask_salt`` is the secret from which
    their masks are made, never to be shown; "" where nothing is masked.
    """

    title: str
    queries: tuple[Query, ...]
    systems: tuple[str, ...]
    pools: Mapping[str, Pool]
    official: Mapping[str, float] = field(default_factory=dict)
    min_relevance: int | None = None
    guidelines: str | None = None
    blind: bool = False
    mask_salt: str = field(default="", repr=False)

    @property
    def depth(self) -> int:
        """The deepest rank stored of any system in any query, 0 without runs."""
        return max((pool.depth for pool in self.pools.values()), default=0)
