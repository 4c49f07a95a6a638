"""Cover of what the pool can answer: 1 where nothing answerable is left out.

A question that no passage of the pool answers lowers everybody's Cover. Here it leaves
the exam, so that the best possible ranking scores 1 in every query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.measure import (
    Documented,
    Measure,
    Name,
    Row,
    fraction_row,
    require_items,
)


@dataclass(frozen=True, slots=True)
class PoolCover(Measure):
    """Share of the answerable items that a system's first ``k`` passages answer.

    |{item : some passage in S's top k is correct for it}| / |{item : some passage of
    the pool is}|, in [0, 1]; 0 in a query of which the pool answers nothing. Passages
    of a gold article alone are no part of the pool.

    Source: the RUBRIC workbench's normalised EXAM cover score, which it calls n-exam
    (n-EXAM of Sander & Dietz 2021 is set in relation to gold articles instead).
    """

    threshold: int
    depth: int | None
    name: str = "pool-cover"

    place = 55  # after P@k, which a first letter chooses in a list
    names = (
        Name(
            "pool-cover",
            "the share of a query’s kept questions that any pooled passage answers "
            "that are answered in {first} of a system",
            "Pool-normalised Cover",
        ),
    )
    offered = ("pool-cover",)
    usage = listed = "pool-cover"
    looks_at_k = True
    documented = (
        Documented(
            "pool-normalised Cover",
            "items that any of the first *k* passages answers / items that any passage "
            "of the pool answers; 0 where none does",
            "RUBRIC workbench, its n-exam",
            "by hand; every completion; an independent count over DL19's file",
        ),
    )

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        return cls(threshold, k) if name.lower() == "pool-cover" else None

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, "Pool-normalised Cover", "not questions")
        known = graded.correct(self.threshold)
        covered = graded.covered(self.threshold, self.depth)
        answerable = np.asarray(known.any(axis=1))
        of = max(int(answerable.sum()), 1)
        if graded.known == graded.needed:
            return fraction_row(covered.sum(axis=0), covered.sum(axis=0), of)
        possible = graded.covered(self.threshold, self.depth, possibly=True)
        # Lowest: what is unknown answers new items, and only below the system's top k.
        perhaps = graded.possibly_correct(self.threshold)
        perhaps[:, list(graded.pool.aside)] = False
        top = graded.pool.top_k(self.depth)
        below = np.ones((len(top), graded.pool.size), dtype=np.bool_)
        systems, ranks = np.nonzero(top >= 0)
        below[systems, top[systems, ranks]] = False
        elsewhere = np.asarray(perhaps.astype(np.int64) @ below.T > 0)
        known_to = answerable[:, None]  # (items, 1)
        lowest = of_most(covered, known_to | elsewhere)
        # Highest: it answers whatever the system's top k can, and nothing else.
        highest = of_most(possible, known_to | possible)
        return Row(covered.sum(axis=0) / of, lowest, highest)

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        require_items(graded, "Pool-normalised Cover", "not questions")
        covered = graded.covered(self.threshold, self.depth)
        if len(covered) == 1:
            return np.full(covered.shape, np.nan)
        answerable = graded.correct(self.threshold).any(axis=1)
        of = np.maximum(answerable.sum() - answerable, 1)
        return np.asarray((covered.sum(axis=0) - covered) / of[:, None])


def of_most(
    covered: NDArray[np.bool_], answerable: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """(systems,): covered items over answerable ones, both (items, systems)."""
    of = np.maximum(answerable.sum(axis=0), 1)
    return np.asarray(covered.sum(axis=0) / of)
