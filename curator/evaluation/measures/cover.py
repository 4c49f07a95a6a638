"""EXAM Cover: how much of a query's exam a ranking answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError
from curator.evaluation.flips import coverage_flips, places
from curator.evaluation.grades import GradedQuery, at_ranks
from curator.evaluation.rows import Row, fraction_row


@dataclass(frozen=True, slots=True)
class Cover:
    """Share of the active items that any of a system's first ``k`` passages answers.

    Cover(S) = |{item : some passage in S's top k is correct for it}| / |items|, in
    [0, 1]. An item counts once, however many passages answer it. The denominator is
    the bank, not the grades that happen to exist.

    Source: Farzi & Dietz 2024, equation 1 (Sander & Dietz 2021 for the mean over
    queries).
    """

    threshold: int
    depth: int | None

    @property
    def name(self) -> str:
        return "cover"

    def row(self, graded: GradedQuery) -> Row:
        require_items(graded)
        covered = covered_items(graded.correct(self.threshold), self._top(graded))
        possible = covered_items(
            graded.possibly_correct(self.threshold), self._top(graded)
        )
        return fraction_row(
            covered.sum(axis=0), possible.sum(axis=0), len(graded.item_ids)
        )

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        require_items(graded)
        covered = covered_items(graded.correct(self.threshold), self._top(graded))
        rest = len(graded.item_ids) - 1
        if not rest:
            return np.full(covered.shape, np.nan)
        return np.asarray((covered.sum(axis=0) - covered) / rest)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        require_items(graded)
        correct = graded.correct(self.threshold)
        at = places(graded.pool, self.depth)
        return coverage_flips(correct, at) / len(graded.item_ids)

    def overall(self, graded: GradedQuery) -> float:
        """Share of the items that any passage of the whole pool answers."""
        require_items(graded)
        return float(graded.correct(self.threshold).any(axis=1).mean())

    def _top(self, graded: GradedQuery) -> NDArray[np.int32]:
        return graded.pool.top_k(self.depth)


def covered_items(
    correct: NDArray[np.bool_], top: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """(items, systems): whether the passages in ``top`` answer the item."""
    return np.asarray(at_ranks(correct, top).any(axis=-1))


def require_items(graded: GradedQuery) -> None:
    """Refuse what Cover cannot mean: no items, or a grade of the query itself."""
    if graded.reading == "direct":
        raise EvaluationError(
            "Cover is undefined for a direct relevance grader: it grades the query, "
            "not questions. Use a measure on its labels, such as P@20."
        )
    if not graded.item_ids:
        raise EvaluationError(
            f"Query '{graded.query_id}' has no active question; 0/0 is not a low score."
        )
