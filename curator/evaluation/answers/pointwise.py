"""Precision, recall and F1 of what a model calls right, answer by answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Confusion:
    """How many answers were called right or not, and were.

    A positive is an answer that was called right, a true one is called what it is.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def precision(self) -> float | None:
        """Share of those called right that are; None where none was."""
        return _share(self.true_positives, self.true_positives + self.false_positives)

    @property
    def recall(self) -> float | None:
        """Share of the right ones that were called so; None where none is right."""
        return _share(self.true_positives, self.true_positives + self.false_negatives)

    @property
    def f1(self) -> float | None:
        """Twice the hits, over those called right and those that are.

        The harmonic mean of precision and recall where both are defined. 0 for a
        model that calls nothing right, as the paper prints for its linear classifier
        (Table 6); None where nothing is right either.
        """
        wrong = self.false_positives + self.false_negatives
        return _share(2 * self.true_positives, 2 * self.true_positives + wrong)

    @property
    def note(self) -> str:
        """Why a number is undefined; "" where none is."""
        said = []
        if self.precision is None:
            said.append("No answer was called right: there is no precision.")
        if self.recall is None:
            said.append("No answer is right: there is no recall.")
        return " ".join(said)


def confusion_of(called_right: Sequence[bool], right: Sequence[bool]) -> Confusion:
    """Counts over answers, in the same order in both."""
    ours, truth = np.asarray(called_right, bool), np.asarray(right, bool)
    return Confusion(
        int(np.count_nonzero(ours & truth)),
        int(np.count_nonzero(ours & ~truth)),
        int(np.count_nonzero(~ours & truth)),
        int(np.count_nonzero(~ours & ~truth)),
    )


def confusion_at(
    scores: Scores, right: Sequence[bool], *, threshold: float
) -> Confusion:
    """Counts where an answer is called right if its score is above the threshold."""
    return confusion_of((scores > threshold).tolist(), right)


def mean_over_references(scores: Scores, candidate: npt.NDArray[np.int64]) -> Scores:
    """The mean score of each candidate over the references it was held against.

    ``candidate`` gives the candidate's number for each score; every number from 0 to
    the highest stands there. Source: Vu & Moschitti 2020, section 6.5.1.
    """
    return np.bincount(candidate, weights=scores) / np.bincount(candidate)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
