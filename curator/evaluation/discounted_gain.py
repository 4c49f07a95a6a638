"""nDCG on derived graded labels, as trec_eval computes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery, at_ranks
from curator.evaluation.labels import graded_labels, labels_without_each
from curator.evaluation.rows import Row, nan_for_an_only_item


@dataclass(frozen=True, slots=True)
class NormalizedDiscountedGain:
    """DCG of the first ``depth`` passages over that of an ideal order of the pool.

    DCG = sum over ranks i of label_i / log2(i + 1); gains are the raw labels, linear,
    as trec_eval's. 0 where no passage has a positive label. No bounds: a missing
    grade can raise the ideal as well as the score.
    """

    name: str
    depth: int | None

    def row(self, graded: GradedQuery) -> Row:
        top = graded.pool.top_k(self.depth)
        score = normalized_gain(graded_labels(graded), top, self.depth)
        complete = graded.known == graded.needed
        return Row(score, score if complete else None, score if complete else None)

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        top = graded.pool.top_k(self.depth)
        scores = normalized_gain(labels_without_each(graded), top, self.depth)
        return nan_for_an_only_item(scores)


def normalized_gain(
    labels: NDArray[np.int8], top: NDArray[np.int32], depth: int | None
) -> NDArray[np.float64]:
    """(…, systems) from ``labels`` (…, passages) and ``top`` (systems, k)."""
    gains = np.maximum(labels, 0).astype(np.float64)
    ideal_depth = gains.shape[-1] if depth is None else min(depth, gains.shape[-1])
    ideal_gains = -np.sort(-gains, axis=-1)[..., :ideal_depth]
    ideal = ideal_gains @ discounts(ideal_depth)
    got = at_ranks(gains, top).astype(np.float64) @ discounts(top.shape[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = got / ideal[..., None]
    return np.where(ideal[..., None] > 0, ratio, 0.0)


def discounts(depth: int) -> NDArray[np.float64]:
    """(depth,): 1 / log2(rank + 1) for ranks 1 to ``depth``."""
    discount: NDArray[np.float64] = 1.0 / np.log2(np.arange(2, depth + 2))
    return discount
