"""Precision, success and reciprocal rank on derived binary labels, with bounds.

Equal to ``ir-measures`` on the derived qrels (tested), but computed on arrays for all
systems, and all retirements of one question, at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.flips import coverage_flips, distinct_sets, packed, places
from curator.evaluation.grades import GradedQuery, at_ranks
from curator.evaluation.rows import Row, fraction_row, nan_for_an_only_item

Relevant = NDArray[np.bool_]  # (…, systems, k): is the passage at this rank relevant


def relevant_passages(graded: GradedQuery, threshold: int) -> NDArray[np.bool_]:
    """(passages,): is the passage known to be relevant?"""
    return np.asarray(graded.correct(threshold).any(axis=0))


def relevant_without_each(graded: GradedQuery, threshold: int) -> NDArray[np.bool_]:
    """(items, passages): is the passage relevant without that item?"""
    correct = graded.correct(threshold)
    others: NDArray[np.bool_] = correct.sum(axis=0) - correct.astype(np.int64) > 0
    return others


@dataclass(frozen=True, slots=True)
class Precision:
    """Share of the first ``depth`` ranks that hold a relevant passage (trec_eval's P).

    An empty rank counts as not relevant.
    """

    name: str
    threshold: int
    depth: int

    def row(self, graded: GradedQuery) -> Row:
        known, possible = relevant_ranks(graded, self.threshold, self.depth)
        return fraction_row(count(known), count(possible), self.depth)

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        relevant = ranks_without_each(graded, self.threshold, self.depth)
        return nan_for_an_only_item(count(relevant) / self.depth)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        at = places(graded.pool, self.depth)
        relevant = relevant_passages(graded, self.threshold)[at.passages]
        listing, systems = packed(at.listed), at.listed.shape[1]
        gained = distinct_sets(listing[~relevant], systems)
        lost = distinct_sets(listing[relevant], systems)
        return np.concatenate([gained, -lost]) / self.depth


@dataclass(frozen=True, slots=True)
class Success:
    """1 if any of the first ``depth`` passages is relevant, else 0."""

    name: str
    threshold: int
    depth: int

    def row(self, graded: GradedQuery) -> Row:
        known, possible = relevant_ranks(graded, self.threshold, self.depth)
        return fraction_row(found(known), found(possible), 1)

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        relevant = ranks_without_each(graded, self.threshold, self.depth)
        return nan_for_an_only_item(found(relevant).astype(np.float64))

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        relevant = relevant_passages(graded, self.threshold)
        return coverage_flips(relevant[None], places(graded.pool, self.depth))


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """1 / rank of the first relevant passage, 0 if none of the first ``depth`` is."""

    name: str
    threshold: int
    depth: int | None

    def row(self, graded: GradedQuery) -> Row:
        known, possible = relevant_ranks(graded, self.threshold, self.depth)
        score = reciprocal_ranks(known)
        return Row(score, score, reciprocal_ranks(possible))

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        relevant = ranks_without_each(graded, self.threshold, self.depth)
        return nan_for_an_only_item(reciprocal_ranks(relevant))

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        known, _ = relevant_ranks(graded, self.threshold, self.depth)
        if not known.shape[-1]:
            return np.zeros((0, len(known)))
        at = places(graded.pool, self.depth)
        relevant = relevant_passages(graded, self.threshold)[at.passages]
        score = reciprocal_ranks(known)
        # Without its first relevant passage, a system is left with its second.
        later = known.copy()
        later[np.arange(len(known)), known.argmax(axis=-1)] = False
        alone = at.listed / (np.maximum(at.ranks, 0) + 1)
        is_first = at.listed & (at.ranks == known.argmax(axis=-1))
        gained = np.maximum(alone, score) - score
        lost = np.where(is_first, reciprocal_ranks(later) - score, 0.0)
        return np.where(relevant[:, None], lost, gained)


def relevant_ranks(
    graded: GradedQuery, threshold: int, depth: int | None
) -> tuple[Relevant, Relevant]:
    """(systems, k) twice: known to be relevant, and relevant if every unknown is."""
    top = graded.pool.top_k(depth)
    known = relevant_passages(graded, threshold)
    possible = np.asarray(graded.possibly_correct(threshold).any(axis=0))
    return at_ranks(known, top), at_ranks(possible, top)


def ranks_without_each(
    graded: GradedQuery, threshold: int, depth: int | None
) -> Relevant:
    """(items, systems, k): what is relevant at each rank without that item."""
    relevant = relevant_without_each(graded, threshold)
    return at_ranks(relevant, graded.pool.top_k(depth))


def count(relevant: Relevant) -> NDArray[np.int64]:
    """(…, systems): how many ranks hold a relevant passage."""
    return np.asarray(relevant.sum(axis=-1), dtype=np.int64)


def found(relevant: Relevant) -> NDArray[np.int64]:
    """(…, systems): 1 if any rank holds a relevant passage, else 0."""
    return np.asarray(relevant.any(axis=-1), dtype=np.int64)


def reciprocal_ranks(relevant: Relevant) -> NDArray[np.float64]:
    """(…, systems): 1 / (1 + position of the first True), 0 without one."""
    if not relevant.shape[-1]:
        return np.zeros(relevant.shape[:-1])
    first = relevant.argmax(axis=-1)
    return np.where(relevant.any(axis=-1), 1.0 / (first + 1), 0.0)
