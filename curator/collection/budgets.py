"""Grading budgets: which passages of a query are graded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import GAP, UNJUDGED, Pool
from curator.errors import BudgetError


@dataclass(frozen=True, slots=True)
class Budget:
    """The passages of a query that are graded; all others are left out.

    ``depth``: passages that some system has among its first ``depth`` ranks, for the
    query or a subtopic, and, with ``judged``, judged ones. ``sample``: number of
    passages drawn from the others, or from all without a ``depth``; see ``selected``.
    The passages of a gold article are always graded.
    """

    depth: int | None = None
    sample: int | None = None
    seed: int | None = None  # of the sample, None without one
    judged: bool = True

    @classmethod
    def from_options(
        cls,
        depth: int | None,
        sample: int | None,
        seed: int | None = None,
        *,
        judged: bool = True,
    ) -> Budget | None:
        """Return the budget, None without a depth or a sample. Raises BudgetError."""
        for name, number in (("depth", depth), ("sample", sample)):
            if number is not None and not 1 <= number < 2**31:
                raise BudgetError(
                    f"The {name} of the budget is {number}; expected a whole number "
                    "of 1 or more."
                )
        if seed is not None and (sample is None or not -(2**63) <= seed < 2**63):
            raise BudgetError(f"The seed {seed} needs a sample, and at most 64 bits.")
        if depth is None and not judged:
            raise BudgetError("Judged passages are left out of a depth; give a depth.")
        if depth is None and sample is None:
            return None
        return cls(depth, sample, None if sample is None else seed or 0, judged)

    @property
    def description(self) -> str:
        """Description, as ``top 10 and judged, 50 drawn of the others (seed 0)``."""
        parts = []
        if self.depth is not None:
            parts.append(f"top {self.depth:,}{' and judged' if self.judged else ''}")
        if self.sample is not None:
            source = "" if self.depth is None else " of the others"
            parts.append(f"{self.sample:,} drawn{source} (seed {self.seed})")
        return ", ".join(parts)


@lru_cache(maxsize=4096)
def selected(pool: Pool, budget: Budget | None) -> NDArray[np.bool_]:
    """Return (passages,): True for passages graded under this budget, all for None.

    A sample takes the first in the order of SHA-256 of
    ``"<seed>\\n<query>\\n<passage>"``, which depends on ids only: every draw gives the
    same passages, a larger sample contains the smaller, and a pool that has grown keeps
    most of it. The segments of a document are graded with it.
    """
    if budget is None:
        return np.ones(pool.size, dtype=np.bool_)
    chosen = np.zeros(pool.size, dtype=np.bool_)
    if budget.depth is not None:
        for ranked_pool in (pool, *pool.subtopics.values()):
            ranked = ranked_pool.top_k(budget.depth)
            chosen[ranked[ranked != GAP]] = True
        if budget.judged:
            chosen |= pool.judgments != UNJUDGED
    chosen[list(pool.gold)] = True
    if budget.sample is not None:

        def order(position: int) -> bytes:
            words = f"{budget.seed}\n{pool.query_id}\n{pool.passage_ids[position]}"
            return sha256(words.encode()).digest()

        uncounted = frozenset(pool.uncounted)
        remaining = [
            position
            for position in np.flatnonzero(~chosen).tolist()
            if position not in uncounted
        ]
        chosen[sorted(remaining, key=order)[: budget.sample]] = True
    for document, segments in pool.segments.items():
        chosen[list(segments)] |= chosen[document]
    return chosen
