"""Precision, success and reciprocal rank on derived binary labels, with bounds.

Equal to ``ir-measures`` on the derived qrels (tested), but computed on arrays for all
systems, and all retirements of one question, at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.grades import GradedQuery, at_ranks
from curator.evaluation.measures.flips import (
    coverage_flips,
    distinct_sets,
    packed,
    places,
)
from curator.evaluation.measures.measure import (
    Documented,
    Measure,
    Name,
    Row,
    fraction_row,
    plain_name,
)

Relevant = NDArray[np.bool_]  # (…, systems, k): is the passage at this rank relevant


@dataclass(frozen=True, slots=True)
class BinaryMeasure(Measure):
    """A measure of which ranks hold a relevant passage; an empty rank holds none."""

    name: str
    threshold: int
    depth: int | None

    rests_on = "labels"
    cut_off: ClassVar[bool] = True  # whether its name has to say how deep it looks

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        plain = plain_name(name, cls)
        if plain is None or (cls.cut_off and plain[1] is None):
            return None
        return cls(name, plain[0] or threshold, plain[1])

    def of(self, relevant: Relevant) -> NDArray[np.float64]:
        """(…, systems): the scores of these ranks."""
        raise NotImplementedError

    def row(self, graded: GradedQuery) -> Row:
        score, upper = map(self.of, self.relevant_ranks(graded))
        return Row(score, score, upper)

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        correct = graded.correct(self.threshold)
        others = correct.sum(axis=0) - correct.astype(np.int64) > 0
        scores = self.of(at_ranks(others, graded.pool.top_k(self.depth)))
        return np.full_like(scores, np.nan) if len(scores) == 1 else scores

    def relevant_passages(self, graded: GradedQuery) -> NDArray[np.bool_]:
        """(passages,): is the passage known to be relevant?"""
        return np.asarray(graded.correct(self.threshold).any(axis=0))

    def relevant_ranks(self, graded: GradedQuery) -> tuple[Relevant, Relevant]:
        """(systems, k) twice: known to be relevant, and if every unknown one is."""
        top = graded.pool.top_k(self.depth)
        possible = np.asarray(graded.possibly_correct(self.threshold).any(axis=0))
        return at_ranks(self.relevant_passages(graded), top), at_ranks(possible, top)


@dataclass(frozen=True, slots=True)
class Precision(BinaryMeasure):
    """Share of the first ``depth`` ranks that hold a relevant passage."""

    depth: int

    place = 10
    names = (Name("P", "the share of {first} that is relevant"),)
    offered = ("P@20", "P@10")
    compared = ("P@20",)
    documented = (
        Documented(
            "P@k, RR, Success@k",
            "on labels, relevant from *min-rating*, or from `rel` where the name says "
            "it: `P(rel=2)@20`",
            "trec_eval",
            "`ir-measures`, equal to 1e-12",
        ),
    )

    def of(self, relevant: Relevant) -> NDArray[np.float64]:
        return np.asarray(relevant.sum(axis=-1) / self.depth)

    def row(self, graded: GradedQuery) -> Row:
        known, possible = (one.sum(axis=-1) for one in self.relevant_ranks(graded))
        return fraction_row(known, possible, self.depth)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        at = places(graded.pool, self.depth)
        relevant = self.relevant_passages(graded)[at.passages]
        listing, systems = packed(at.listed), at.listed.shape[1]
        gained = distinct_sets(listing[~relevant], systems)
        lost = distinct_sets(listing[relevant], systems)
        return np.concatenate([gained, -lost]) / self.depth


@dataclass(frozen=True, slots=True)
class Success(BinaryMeasure):
    """1 if any of the first ``depth`` passages is relevant, else 0."""

    depth: int

    place = 50
    names = (Name("Success", "whether any relevant passage is among {first}"),)

    def of(self, relevant: Relevant) -> NDArray[np.float64]:
        return np.asarray(relevant.any(axis=-1), dtype=np.float64)

    def row(self, graded: GradedQuery) -> Row:
        known, possible = (
            np.asarray(one.any(axis=-1), dtype=np.int64)
            for one in self.relevant_ranks(graded)
        )
        return fraction_row(known, possible, 1)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        relevant = self.relevant_passages(graded)
        return coverage_flips(relevant[None], places(graded.pool, self.depth))


@dataclass(frozen=True, slots=True)
class ReciprocalRank(BinaryMeasure):
    """1 / rank of the first relevant passage, 0 if none of the first ``depth`` is."""

    place = 30
    names = (
        Name("RR", "one over the rank of the first relevant passage among {first}"),
    )
    offered = ("RR",)
    cut_off = False

    def of(self, relevant: Relevant) -> NDArray[np.float64]:
        if not relevant.shape[-1]:
            return np.zeros(relevant.shape[:-1])
        first = relevant.argmax(axis=-1)
        return np.where(relevant.any(axis=-1), 1.0 / (first + 1), 0.0)

    def flips(self, graded: GradedQuery) -> NDArray[np.float64]:
        known, _ = self.relevant_ranks(graded)
        if not known.shape[-1]:
            return np.zeros((0, len(known)))
        at = places(graded.pool, self.depth)
        relevant = self.relevant_passages(graded)[at.passages]
        score = self.of(known)
        # Without its first relevant passage, a system is left with its second.
        later = known.copy()
        later[np.arange(len(known)), known.argmax(axis=-1)] = False
        alone = at.listed / (np.maximum(at.ranks, 0) + 1)
        is_first = at.listed & (at.ranks == known.argmax(axis=-1))
        gained = np.maximum(alone, score) - score
        lost = np.where(is_first, self.of(later) - score, 0.0)
        return np.where(relevant[:, None], lost, gained)
