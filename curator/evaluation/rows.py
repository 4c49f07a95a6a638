"""One query's scores of all systems: the unit from which every board is summed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]  # (systems,)
Counts = NDArray[np.int64]  # (systems,)


@dataclass(frozen=True, eq=False)
class Row:
    """A query's score for every system, with what is left open by missing grades.

    ``lower`` and ``upper`` bound the score over everything the missing grades could
    say; both are None for a measure that has no bounds. The numerators of score and
    upper bound are there where these are fractions of whole numbers: boards are then
    summed exactly, so that equal fractions tie and no bound cuts into its score. The
    numerator of the lower bound is there where that is another number than the score.
    Where a measure is a multiple of another, the same for all queries, the fractions
    are those of the other: score and upper bound are ``factor`` times theirs, the
    lower bound is ``lower_factor`` times.
    """

    score: Scores
    lower: Scores | None
    upper: Scores | None
    numerator: Counts | None = None
    upper_numerator: Counts | None = None
    denominator: int = 1
    lower_numerator: Counts | None = None
    factor: float = 1.0
    lower_factor: float = 1.0


def fraction_row(numerator: Counts, upper: Counts, denominator: int) -> Row:
    """The row of whole-number fractions; the score counts only what is known."""
    score = numerator / denominator
    closed = np.array_equal(numerator, upper)  # nothing to sum twice
    above = score if closed else upper / denominator
    return Row(score, score, above, numerator, upper, denominator)


def nan_for_an_only_item(without_each: NDArray[np.float64]) -> NDArray[np.float64]:
    """(items, systems) as given; NaN where there is one item, for a query that left."""
    if len(without_each) == 1:
        return np.full_like(without_each, np.nan)
    return without_each
