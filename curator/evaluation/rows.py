"""One query's scores of all systems: the unit from which every board is summed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]  # (systems,)


@dataclass(frozen=True, eq=False)
class Row:
    """A query's score for every system, with what is left open by missing grades.

    ``numerator`` and ``denominator`` are there where the score is a fraction of
    whole numbers: boards are then summed exactly, so that equal fractions tie.
    ``lower`` and ``upper`` bound the score over everything the missing grades could
    say; both are None for a measure that has no bounds.
    """

    score: Scores
    lower: Scores | None
    upper: Scores | None
    numerator: NDArray[np.int64] | None = None
    denominator: int = 1


def fraction_row(
    numerator: NDArray[np.int64], upper: NDArray[np.int64], denominator: int
) -> Row:
    """The row of whole-number fractions; the score counts only what is known."""
    score = numerator / denominator
    # One object where nothing is open, so that sums of the two cannot differ either.
    closed = np.array_equal(numerator, upper)
    return Row(
        score, score, score if closed else upper / denominator, numerator, denominator
    )
