"""Precision, success, reciprocal rank and nDCG on derived labels.

Equal to ``ir-measures`` on the derived qrels (tested), but computed on arrays for all
systems, and all retirements of one question, at once.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import (
    GradedQuery,
    Labels,
    best_case,
    graded_labels,
    labels_of_draws,
    labels_without_each,
    values_at_ranks,
)
from curator.evaluation.measures.flips import (
    coverage_flips,
    distinct_sets,
    listed_ranks,
    packed,
)
from curator.evaluation.measures.measure import (
    Measure,
    Name,
    Row,
    fraction_row,
    refuse_threshold,
    unbounded_row,
)
from curator.evaluation.settings import HIGHEST_LABEL, LabelRule

Relevant = NDArray[np.bool_]  # (…, systems, k): True for relevant passages


class LabelMeasure(Measure):
    """A measure of the labels of ranked passages."""

    based_on = "labels"

    def score_labels(
        self, labels: NDArray[Any], top: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """(…, systems): the scores of labels (…, passages) at ``top`` (systems, k)."""
        raise NotImplementedError

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        labels = labels_without_each(graded, self.rule)
        return self.score_labels(labels, graded.pool.top_k(self.depth))

    def scores_of_draws(
        self, graded: GradedQuery, drawn: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        labels = labels_of_draws(graded, self.rule, drawn)
        return self.score_labels(labels, graded.pool.top_k(self.depth))


class BinaryMeasure(LabelMeasure):
    """A measure of the ranks with a relevant passage; an empty rank has none."""

    source = "trec_eval"

    def with_label_rule(self, rule: LabelRule) -> Self:
        """Return the measure on labels of this rule, or raise EvaluationError."""
        refuse_threshold(self.name, rule)
        return super().with_label_rule(rule)

    def score_ranks(self, relevant: Relevant) -> NDArray[np.float64]:
        """(…, systems): the scores of these ranks."""
        raise NotImplementedError

    def score_labels(
        self, labels: NDArray[Any], top: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        return self.score_ranks(values_at_ranks(labels >= self.threshold, top))

    def row(self, graded: GradedQuery) -> Row:
        score, upper = map(self.score_ranks, self.relevant_ranks(graded))
        return Row(score, score, upper)

    def relevant_passages(self, graded: GradedQuery) -> NDArray[np.bool_]:
        """(passages,): True for passages known to be relevant."""
        return np.asarray(graded_labels(graded, self.rule) >= self.threshold)

    def relevant_ranks(self, graded: GradedQuery) -> tuple[Relevant, Relevant]:
        """(systems, k) twice: known to be relevant, and possibly relevant."""
        top = graded.pool.top_k(self.depth)
        relevant = possible = values_at_ranks(self.relevant_passages(graded), top)
        if graded.known < graded.needed:
            possible = values_at_ranks(self.relevant_passages(best_case(graded)), top)
        return relevant, possible


class Precision(BinaryMeasure):
    """Share of the first ``depth`` ranks that hold a relevant passage."""

    depth: int

    place = 10
    names = (Name("P", "the share of {first} that is relevant"),)
    offered = ("P@20", "P@10")
    compared = ("P@20",)

    def score_ranks(self, relevant: Relevant) -> NDArray[np.float64]:
        return np.asarray(relevant.sum(axis=-1) / self.depth)

    def row(self, graded: GradedQuery) -> Row:
        certain, possible = (
            ranks.sum(axis=-1) for ranks in self.relevant_ranks(graded)
        )
        return fraction_row(certain, possible, self.depth)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        listed = listed_ranks(graded.pool, self.depth)
        relevant = self.relevant_passages(graded)[listed.passages]
        listing_systems, systems = packed(listed.is_listed), listed.is_listed.shape[1]
        gained = distinct_sets(listing_systems[~relevant], systems)
        lost = distinct_sets(listing_systems[relevant], systems)
        return np.concatenate([gained, -lost]) / self.depth


class Success(BinaryMeasure):
    """1 if any of the first ``depth`` passages is relevant, else 0."""

    depth: int

    place = 50
    names = (Name("Success", "whether any relevant passage is among {first}"),)

    def score_ranks(self, relevant: Relevant) -> NDArray[np.float64]:
        return np.asarray(relevant.any(axis=-1), dtype=np.float64)

    def row(self, graded: GradedQuery) -> Row:
        certain, possible = (
            np.asarray(ranks.any(axis=-1), dtype=np.int64)
            for ranks in self.relevant_ranks(graded)
        )
        return fraction_row(certain, possible, 1)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        relevant = self.relevant_passages(graded)
        return coverage_flips(relevant[None], listed_ranks(graded.pool, self.depth))


class ReciprocalRank(BinaryMeasure):
    """1 / rank of the first relevant passage, 0 if none of the first ``depth`` is."""

    place = 30
    names = (
        Name("RR", "one over the rank of the first relevant passage among {first}"),
    )
    offered = ("RR",)
    cut_off = "optional"

    def score_ranks(self, relevant: Relevant) -> NDArray[np.float64]:
        if not relevant.shape[-1]:
            return np.zeros(relevant.shape[:-1])
        first = relevant.argmax(axis=-1)
        return np.where(relevant.any(axis=-1), 1.0 / (first + 1), 0.0)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        relevant_ranks, _ = self.relevant_ranks(graded)
        if not relevant_ranks.shape[-1]:
            return np.zeros((0, len(relevant_ranks)))
        listed = listed_ranks(graded.pool, self.depth)
        relevant = self.relevant_passages(graded)[listed.passages]
        score = self.score_ranks(relevant_ranks)
        # Without its first relevant passage, a system is left with its second.
        later = relevant_ranks.copy()
        later[np.arange(len(relevant_ranks)), relevant_ranks.argmax(axis=-1)] = False
        alone = listed.is_listed / (np.maximum(listed.ranks, 0) + 1)
        is_first = listed.is_listed & (listed.ranks == relevant_ranks.argmax(axis=-1))
        gained = np.maximum(alone, score) - score
        lost = np.where(is_first, self.score_ranks(later) - score, 0.0)
        return np.where(relevant[:, None], lost, gained)


class NormalizedDiscountedGain(LabelMeasure):
    """DCG of the first ``depth`` passages over that of an ideal order of the pool.

    DCG = sum over ranks i of label_i / log2(i + 1); gains are the raw labels, linear,
    as trec_eval's. 0 where no passage has a positive label.

    A missing grade can raise the ideal as well as the gain. The lower bound has the
    gain of the known grades over the highest possible ideal, the upper bound the
    highest possible gain over the ideal of the known grades: no values of the grades
    may reach them. None under a direct grader, whose grades have no highest value.
    """

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
    cut_off = "optional"
    has_threshold = False
    source = "trec_eval"

    def row(self, graded: GradedQuery) -> Row:
        top = graded.pool.top_k(self.depth)
        gain, ideal = gain_and_ideal(self._labels(graded), top, self.depth)
        score = ratio(gain, ideal)
        if graded.known == graded.needed or graded.reading == "direct":
            return unbounded_row(graded, score)
        possible = graded_labels(best_case(graded), self.rule)
        most, highest = gain_and_ideal(possible, top, self.depth)
        upper = np.where(ideal > 0, np.minimum(ratio(most, ideal), 1.0), most > 0)
        # Rounding puts no score outside of its bounds.
        return Row(
            score,
            np.minimum(ratio(gain, highest), score),
            np.maximum(upper.astype(np.float64), score),
        )

    def score_labels(
        self, labels: NDArray[Any], top: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        return normalized_gain(labels, top, self.depth)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        labels = np.maximum(self._labels(graded), 0).astype(np.float64)
        top = graded.pool.top_k(self.depth)
        listed = listed_ranks(graded.pool, self.depth)
        score = normalized_gain(labels, top, self.depth)
        got = values_at_ranks(labels, top) @ discounts(top.shape[1])
        weight = listed.is_listed / np.log2(np.maximum(listed.ranks, 0) + 2)
        # A passage that no system returns affects the ideal only.
        unlisted = np.ones(len(labels), dtype=np.bool_)
        unlisted[[*listed.passages, *graded.pool.uncounted]] = False
        values, positions = np.unique(labels, return_index=True)
        changed = []
        # The highest label, which a flip can set; no edit moves direct grades.
        highest = HIGHEST_LABEL[graded.reading]
        if self.rule.label == "answered":
            highest = len(graded.item_ids)
        for reading in (0.0, float(highest)):
            other_labels = np.tile(labels, (len(values), 1))
            other_labels[np.arange(len(values)), positions] = reading
            ideals = ideal_gain(other_labels, self.depth)
            current = labels[listed.passages]
            gains = got + (reading - current)[:, None] * weight
            for old, dcg in (
                (current[current != reading], gains[current != reading]),
                (np.setdiff1d(labels[unlisted], [reading]), got[None]),
            ):
                best = ideals[np.searchsorted(values, old)][:, None]
                changed.append(ratio(dcg, best))
        return np.concatenate(changed) - score

    def _labels(self, graded: GradedQuery) -> Labels:
        return graded_labels(graded, self.rule)


def normalized_gain(
    labels: NDArray[Any], top: NDArray[np.int32], depth: int | None
) -> NDArray[np.float64]:
    """(…, systems) from ``labels`` (…, passages) and ``top`` (systems, k)."""
    return ratio(*gain_and_ideal(labels, top, depth))


def gain_and_ideal(
    labels: NDArray[Any], top: NDArray[np.int32], depth: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """DCG (…, systems) and that of the best order (…, 1) of these labels."""
    gains = np.maximum(labels, 0).astype(np.float64)
    got = values_at_ranks(gains, top).astype(np.float64) @ discounts(top.shape[1])
    return got, ideal_gain(gains, depth)[..., None]


def ideal_gain(gains: NDArray[np.float64], depth: int | None) -> NDArray[np.float64]:
    """(…,): DCG of the best order of ``gains`` (…, passages)."""
    ranks = gains.shape[-1] if depth is None else min(depth, gains.shape[-1])
    return np.asarray(-np.sort(-gains, axis=-1)[..., :ranks] @ discounts(ranks))


def ratio(gain: NDArray[np.float64], ideal: NDArray[np.float64]) -> NDArray[np.float64]:
    """(…, systems): the gain over the ideal; 0 where the ideal is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(ideal > 0, gain / ideal, 0.0)


def discounts(depth: int) -> NDArray[np.float64]:
    """(depth,): 1 / log2(rank + 1) for ranks 1 to ``depth``."""
    discount: NDArray[np.float64] = 1.0 / np.log2(np.arange(2, depth + 2))
    return discount
