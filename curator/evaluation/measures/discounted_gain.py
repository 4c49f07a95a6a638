"""nDCG on derived graded labels, as trec_eval computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import (
    GradedQuery,
    at_ranks,
    graded_labels,
    labels_without_each,
)
from curator.evaluation.measures.flips import places
from curator.evaluation.measures.measure import (
    Documented,
    Measure,
    Name,
    Row,
    plain_name,
    unbounded_row,
)
from curator.evaluation.settings import ReadingKind


@dataclass(frozen=True, slots=True)
class NormalizedDiscountedGain(Measure):
    """DCG of the first ``depth`` passages over that of an ideal order of the pool.

    DCG = sum over ranks i of label_i / log2(i + 1); gains are the raw labels, linear,
    as trec_eval's. 0 where no passage has a positive label. No bounds: a missing
    grade can raise the ideal as well as the score.
    """

    name: str
    depth: int | None

    place = 20
    names = (
        Name(
            "nDCG",
            "the gains of the labels of {first}, discounted by rank, over those of the "
            "best possible order",
        ),
    )
    offered = ("nDCG@10", "nDCG@20")
    compared = ("nDCG@10",)
    rests_on = "labels"
    bounded = False
    documented = (
        Documented(
            "nDCG@k",
            "gains are the labels, linear; discount log2(rank + 1)",
            "trec_eval",
            "`ir-measures`",
        ),
    )

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        plain = plain_name(name, cls)
        # Graded labels have no threshold.
        return None if plain is None or plain[0] else cls(name, plain[1])

    def row(self, graded: GradedQuery) -> Row:
        top = graded.pool.top_k(self.depth)
        return unbounded_row(
            graded, normalized_gain(graded_labels(graded), top, self.depth)
        )

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        top = graded.pool.top_k(self.depth)
        scores = normalized_gain(labels_without_each(graded), top, self.depth)
        return np.full_like(scores, np.nan) if len(scores) == 1 else scores

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        labels = np.maximum(graded_labels(graded), 0).astype(np.int64)
        top = graded.pool.top_k(self.depth)
        at = places(graded.pool, self.depth)
        score = normalized_gain(labels, top, self.depth)
        got = at_ranks(labels.astype(np.float64), top) @ discounts(top.shape[1])
        weight = at.listed / np.log2(np.maximum(at.ranks, 0) + 2)
        changed = []
        for reading in (0, HIGHEST_GAIN[graded.reading]):
            # The ideal order knows labels, not passages: one sum for each label.
            ideals = {
                int(label): ideal_gain(
                    with_one(labels, int(label), reading), self.depth
                )
                for label in np.unique(labels)
                if label != reading
            }
            for label, ideal in ideals.items():
                held = labels[at.passages] == label
                gains = got + (reading - label) * weight[held]
                apart = 0 if label else len(graded.pool.gold_only)
                if np.count_nonzero(labels == label) - apart > np.count_nonzero(held):
                    # Of a passage that nobody returns, only the ideal takes note.
                    gains = np.concatenate([gains, got[None]])
                changed.append(gains / ideal if ideal > 0 else np.zeros_like(gains))
        if not changed:
            return np.zeros((0, len(score)))
        return np.concatenate(changed) - score


# What a label read the other way becomes, beside 0: the top of the grader's scale.
# Direct grades have no one scale, and no edit moves a board of them.
HIGHEST_GAIN: dict[ReadingKind, int] = {
    "rated": 5,
    "answered": 1,
    "keyed": 1,
    "direct": 3,
}


def with_one(labels: NDArray[np.int64], label: int, reading: int) -> NDArray[np.int64]:
    """The labels after one of those that are ``label`` has become ``reading``."""
    changed = labels.copy()
    changed[int(np.argmax(labels == label))] = reading
    return changed


def ideal_gain(labels: NDArray[np.int64], depth: int | None) -> float:
    """DCG of the best order of a pool with these labels."""
    best = -np.sort(-labels)[:depth]
    return float(best @ discounts(len(best)))


def normalized_gain(
    labels: NDArray[np.integer[Any]], top: NDArray[np.int32], depth: int | None
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
