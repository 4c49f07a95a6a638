"""EXAM Cover: how much of a query's exam a ranking answers."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.flips import coverage_flips, listed_ranks
from curator.evaluation.measures.measure import (
    Measure,
    Name,
    Row,
    fraction_row,
    require_items,
)


class Cover(Measure):
    """Share of the active items that any of a system's first ``k`` passages answers.

    Cover(S) = |{item : some passage in S's top k is correct for it}| / |items|, in
    [0, 1]. An item counts once, however many passages answer it. The denominator is
    the bank, not the grades that happen to exist.

    Source: Farzi & Dietz 2024, equation 1 (Sander & Dietz 2021 for the mean over
    queries).
    """

    place = 0
    names: ClassVar[tuple[Name, ...]] = (
        Name(
            "cover",
            "the share of a query’s kept questions that are answered in {first} of a "
            "system",
            "Cover",
        ),
        Name(
            "exam",  # its name of 2021
            "the share of a query’s kept questions that are answered in {first} of a "
            "system",
            "EXAM",
        ),
    )
    offered = compared = ("cover",)
    cut_off = "settings"
    source = "Farzi & Dietz 2024, eq. 1"

    def covered(
        self, graded: GradedQuery, *, possibly: bool = False
    ) -> NDArray[np.bool_]:
        """(items, systems): the items that count as answered, or might."""
        return graded.covered(self.threshold, self.depth, possibly=possibly)

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded, self.name)
        covered = self.covered(graded).sum(axis=0)
        possible = self.covered(graded, possibly=True).sum(axis=0)
        return fraction_row(covered, possible, len(graded.item_ids))

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        require_items(graded, self.name)
        covered = self.covered(graded)
        others = len(graded.item_ids) - 1
        return np.asarray((covered.sum(axis=0) - covered) / others)

    def scores_of_draws(
        self, graded: GradedQuery, drawn: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        require_items(graded, self.name)
        covered = self.covered(graded)
        return np.asarray(covered[drawn].mean(axis=1))

    def flips(self, graded: GradedQuery) -> NDArray[np.float64] | None:
        require_items(graded, self.name)
        correct = graded.correct(self.threshold)
        listed = listed_ranks(graded.pool, self.depth)
        return coverage_flips(correct, listed) / len(graded.item_ids)

    def overall(self, graded: GradedQuery) -> float | None:
        require_items(graded, self.name)
        return float(graded.correct(self.threshold).any(axis=1).mean())
